// Decides whether the stream fits, and over which transport.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/doctor/checks/checks.h"

namespace verbcast {

struct Evidence {
    double copyRate = 0;      ///< bytes per second
    double loopbackRate = 0;  ///< bytes per second
    std::optional<std::uint64_t> availableBytes;
    LockLimit lock;
    RdmaFindings rdma;
    bool peerAsked = false;
    std::string peerTransport;  ///< the transport that reached it; "": not reached
    std::string peerInterface;  ///< the network interface that leads to it; "": unknown
    std::string ownAddress;     ///< towards it, without a port
};

struct TransportVerdict {
    std::string transport{};  ///< its scheme
    bool carries = false;
    std::string why{};  ///< "memory is copied at 15.1 GB/s", "no RDMA device"
};

struct Verdict {
    bool fits = false;
    std::string reason;
    std::vector<TransportVerdict> transports;
};

/// A stream fits if some transport carries it; with a peer, the one that reached the peer.
Verdict judge(const SystemTree& tree, const StreamNeed& need, const Evidence& evidence);

/// "3840x2160 rgba at 60 fps (1.99 GB/s, 15.9 Gb/s): fits over ..." or "... does not fit, because ...".
std::string verdictText(const StreamNeed& need, const Verdict& verdict);

// Distinct from the exit codes of errors, which the doctor may also return.
inline constexpr int kDoctorWarned = 10;  ///< with --strict
inline constexpr int kDoctorFailed = 11;  ///< a check failed, or the stream does not fit

/// Returns 0 if this machine can stream, else one of the codes above.
int doctorExitCode(const Checks& checks, const Verdict& verdict, bool strict);

}  // namespace verbcast
