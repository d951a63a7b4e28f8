// Does the stream fit, and over what?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/doctor/checks/checks.h"

namespace verbcast {

struct Evidence {
    double copyRate = 0;      ///< bytes per second
    double loopbackRate = 0;  ///< bytes per second
    std::optional<std::uint64_t> availableBytes;
    LockLimit lock;
    RdmaFindings rdma;
    bool peerAsked = false;
    std::string peerTransport;  ///< by which it was reached; "" when it was not
};

struct TransportVerdict {
    std::string transport;
    bool carries = false;
    std::string why;  ///< "memory is copied at 15.1 GB/s", "no RDMA device"
};

struct Verdict {
    bool fits = false;
    std::string reason;
    std::vector<TransportVerdict> transports;
};

/// A stream fits when one transport carries it; towards a peer, that by which the peer was reached.
Verdict judge(const SystemTree& tree, const StreamNeed& need, const Evidence& evidence);

/// "3840x2160 rgba at 60 fps (1.99 GB/s, 15.9 Gb/s): fits, because ..."
std::string verdictText(const StreamNeed& need, const Verdict& verdict);

// Apart from the exit codes of errors, which the doctor may end with, too.
inline constexpr int kDoctorWarned = 10;  ///< with --strict
inline constexpr int kDoctorFailed = 11;  ///< something failed, or the stream does not fit

/// 0: this machine can stream.
int doctorExitCode(const Checks& checks, const Verdict& verdict, bool strict);

}  // namespace verbcast
