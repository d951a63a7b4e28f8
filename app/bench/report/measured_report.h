// Reads a report written by verbcast bench --json, as far as needed for comparing it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace verbcast {

/// A metric of each row.
struct ComparedMetric {
    const char* name;
    bool moreIsBetter;
};
inline constexpr std::array<ComparedMetric, 5> kComparedMetrics{{{"fps", true},
                                                                 {"GB/s", true},
                                                                 {"latency p50 us", false},
                                                                 {"latency p99 us", false},
                                                                 {"CPU us/frame, both sides", false}}};
using MeasuredValues = std::array<double, kComparedMetrics.size()>;

struct MeasuredRow {
    std::string name, verify, conditions;
    std::uint32_t slots = 0, load = 0;
    MeasuredValues values{};
    std::vector<MeasuredValues> runs;
    /// Identifies the row within its report.
    std::string key(bool withVerify = true) const {
        return withVerify ? name + ", " + verify + ", " + conditions : name + ", " + conditions;
    }
};

/// One or two metrics of another section: "tcp, 64 KiB, 4 in flight" -> GB/s and latency.
struct MeasuredSection {
    std::string title;
    std::vector<std::string> metrics;
    std::vector<std::pair<std::string, std::vector<double>>> points;
};

struct MeasuredReport {
    std::string path, startedAt, verbcast, machine;
    bool interrupted = false;
    std::vector<MeasuredRow> rows;
    std::vector<MeasuredSection> sections;
};

/// Throws Error{Input} if the file is not such a report.
MeasuredReport readReport(const std::string& path);

}  // namespace verbcast
