// Reference speeds that simpler methods reach on this machine, for comparison with a transport.
//
// All move frames from one ring into another, as large as those under test: a small buffer would stay in a
// cache. Each stops early when interruptEvent() is set. What cannot be measured here is returned with
// Limit::unavailable; nothing is thrown for that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/bench/report/bench_report.h"
#include "core/transport/registry.h"

namespace verbcast {

/// Frames of a size, and of the options what applies to them.
struct LimitJob {
    std::uint64_t frameBytes = 0;
    std::uint32_t slots = 8;
    std::optional<std::uint64_t> frames;  ///< number of frames; nullopt: measure for `seconds`
    double seconds = 3;
    std::vector<int> pin;  ///< processors for the two ends
    std::string device;    ///< RDMA device; empty: the first
};
LimitJob limitJobFor(const BenchOptions& options, std::uint64_t frameBytes);

Limit measureMemcpy(const LimitJob& job);
Limit measureNonTemporalCopy(const LimitJob& job);
Limit measurePipe(const LimitJob& job);
Limit measurePlainTcp(const LimitJob& job);
/// The same, with the writes and checks of `--verify full`.
Limit measureCheckedTcp(const LimitJob& job);
/// The writes and checks of `--verify full`, by two threads of one process that hand slots to each other.
Limit measureOneProcess(const LimitJob& job);
Limit measureIperf3(const LimitJob& job);
Limit measureIbWriteBw(const LimitJob& job);

/// Copies between a GPU's memory and this process's pinned memory, one after the other.
Limit measureCopyToHost(const LimitJob& job);
Limit measureCopyToDevice(const LimitJob& job);
/// perftest's ib_write_bw, from and to a GPU's memory, if built with CUDA.
Limit measureIbWriteBwCuda(const LimitJob& job);

/// One process wakes another that sleeps on a word of shared memory, `perSecond` times a second: a lower
/// bound for handing over a frame. Returns nullopt if interrupted before the first. Throws Error{Resource}.
std::optional<WakeUp> measureWakeUp(const LimitJob& job, double perSecond);

/// Results of OpenSSL's own benchmark for the cipher used on frames.
struct CipherLimits {
    Limit seal, open;
};
/// Encrypts on one processor while decrypting on another, like the two ends of a session.
CipherLimits measureCipher(const LimitJob& job);
/// Parses the output of `openssl speed -mr`, "+F:24:AES-256-GCM:4590432714.24" (bytes/s), and returns GB/s.
/// Throws Error{Device} if there is no such number.
double opensslSpeed(const std::string& output);

using MeasureLimit = Limit (*)(const LimitJob& job);
/// What rows are compared with.
struct RowLimit {
    MeasureLimit measure = nullptr;
    bool checks = false;  ///< writes and checks every byte, as rows with Verify::Full do
};
RowLimit limitOf(const Transport& transport, Verify verify);

}  // namespace verbcast
