// One clock for every time in the program: CLOCK_MONOTONIC in nanoseconds, shared by all processes of a host.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

namespace verbcast {

/// Nanoseconds of CLOCK_MONOTONIC. Also the wire form of all timestamps.
using TimestampNs = std::int64_t;

inline TimestampNs nowNs() {
    // libstdc++'s steady_clock is CLOCK_MONOTONIC through the vDSO: no system call.
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// `to` minus `from`, saturating: a peer's timestamps may be anything.
constexpr TimestampNs elapsedNs(TimestampNs from, TimestampNs to) noexcept {
    TimestampNs difference = 0;
    if (__builtin_sub_overflow(to, from, &difference)) {
        return from < 0 ? std::numeric_limits<TimestampNs>::max() : std::numeric_limits<TimestampNs>::min();
    }
    return difference;
}

/// CPU time (user and system) that this process has used, in seconds.
double processCpuSeconds();

/// Sixteen bytes that are equal for all processes on one booted host that share its clock, so that their time
/// stamps can be compared directly. They differ between hosts, and between containers with a clock of their
/// own.
struct HostId {
    std::uint8_t bytes[16] = {};
    friend bool operator==(const HostId&, const HostId&) = default;
};

/// This host's id: the kernel's boot id and the offset of our clock in its time namespace. If that cannot be
/// read, random bytes that stay the same for the life of the process: such a process recognises no other on
/// its host, but never mistakes another host for its own. Throws Error{Internal} if there is not even
/// randomness.
HostId hostId();

/// What hostId() makes of the files at these paths. Random bytes, new ones on each call, unless the first
/// holds 32 hexadecimal digits (and hyphens) that are not all 0. `offsetsPath`: see time_namespaces(7); no
/// such file, as with older kernels, means no offset.
HostId hostIdFrom(const std::string& bootIdPath, const std::string& offsetsPath);

}  // namespace verbcast
