// One clock for every time in the program: CLOCK_MONOTONIC in nanoseconds, the same for all processes of a
// host.
#pragma once

#include <chrono>
#include <cstdint>

namespace verbcast {

/// Nanoseconds of CLOCK_MONOTONIC. Also the wire form of every time stamp.
using TimestampNs = std::int64_t;

inline TimestampNs nowNs() {
    // libstdc++'s steady_clock is CLOCK_MONOTONIC through the vDSO: no system call.
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// CPU time (user and system) that this process has used, in seconds.
double processCpuSeconds();

/// Sixteen bytes that are equal for processes on one booted host (the kernel's boot id), so that their clocks
/// can be compared directly.
struct HostId {
    std::uint8_t bytes[16] = {};
    friend bool operator==(const HostId&, const HostId&) = default;
};
HostId hostId();

}  // namespace verbcast
