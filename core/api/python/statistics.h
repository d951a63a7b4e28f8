// vc_stats as a dictionary.
#pragma once

#include <pybind11/pybind11.h>

#include <verbcast/verbcast.h>

namespace verbcast::python {

/// What is not known is None.
inline pybind11::dict dictOf(const vc_stats& stats) {
    using namespace pybind11::literals;
    const auto known = [](double value) {
        return value < 0 ? pybind11::object(pybind11::none()) : pybind11::float_(value);
    };
    return pybind11::dict(
        "frames"_a = stats.frames, "frames_shown"_a = stats.frames_shown,
        "frames_dropped"_a = stats.frames_dropped, "frames_lost"_a = stats.frames_lost,
        "frames_skipped"_a = stats.frames_skipped, "frames_corrupt"_a = stats.frames_corrupt,
        "bytes"_a = stats.bytes, "bytes_moved"_a = stats.bytes_moved, "bytes_copied"_a = stats.bytes_copied,
        "seconds"_a = stats.seconds, "latency_p50"_a = known(stats.latency_p50),
        "latency_p99"_a = known(stats.latency_p99), "latency_max"_a = known(stats.latency_max),
        "clock_error"_a = known(stats.clock_error), "connections"_a = stats.connections,
        "connections_lost"_a = stats.connections_lost);
}

inline const char* protectionName(vc_protection protection) {
    switch (protection) {
        case VC_PROTECTION_NONE:
            return "none";
        case VC_PROTECTION_THIS_HOST:
            return "this-host";
        case VC_PROTECTION_PROVEN:
            return "proven";
        case VC_PROTECTION_ENCRYPTED:
            return "encrypted";
    }
    return "unknown";
}

}  // namespace verbcast::python
