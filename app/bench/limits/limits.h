// Speeds that something simpler reaches on this machine, to hold a transport against.
//
// All of them move frames out of a ring and into a ring that are as large as those under test: a small buffer
// would stay in a cache. Each stops early when interruptEvent() is set. What cannot be measured here is
// returned with Limit::unavailable; nothing is thrown for that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/report/bench_report.h"

namespace verbcast {

struct LimitJob {
    std::uint64_t frameBytes = 0;
    std::uint32_t slots = 8;
    std::optional<std::uint64_t> frames;  ///< how many; else for `seconds`
    double seconds = 3;
    std::vector<int> pin;  ///< processors of the two ends
    std::string device;    ///< RDMA device; empty: the first
};

Limit measureMemcpy(const LimitJob& job);
Limit measureNonTemporalCopy(const LimitJob& job);
Limit measurePipe(const LimitJob& job);
Limit measurePlainTcp(const LimitJob& job);
/// The writes and checks of `--verify full` by two threads of one process, which hand slots to each other.
Limit measureOneProcess(const LimitJob& job);
Limit measureIperf3(const LimitJob& job);
Limit measureIbWriteBw(const LimitJob& job);

/// Copies between a GPU's memory and pinned memory of this process, one after the other.
struct GpuCopyLimits {
    Limit toHost, toDevice;
};
GpuCopyLimits measureGpuCopies(const LimitJob& job);

/// A process wakes another one that sleeps on a word of shared memory, so many times a second: the least that
/// handing over a frame can take. Nothing when interrupted before the first. Throws Error{Resource}.
std::optional<WakeUp> measureWakeUp(const LimitJob& job, double perSecond);

/// What OpenSSL's own benchmark does with the cipher of frames.
struct CipherLimits {
    Limit seal, open;
};
/// Encrypts on one processor while it decrypts on another, as the two ends of a session do.
CipherLimits measureCipher(const LimitJob& job);
/// GB/s in what `openssl speed -mr` prints: "+F:24:AES-256-GCM:4590432714.24", bytes a second. Throws
/// Error{Device} when there is none, or no number.
double opensslSpeed(const std::string& output);

using MeasureLimit = Limit (*)(const LimitJob& job);
/// The limit that rows of this transport are held against.
MeasureLimit limitOf(const std::string& scheme, Verify verify);

}  // namespace verbcast
