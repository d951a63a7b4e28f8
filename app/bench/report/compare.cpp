// verbcast bench --compare OLD NEW: what changed between two reports, and what only seems to have changed.
//
// A difference is within the spread if the ranges (minimum to maximum) of the two reports' repeated runs
// overlap.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/bench/report/report_output.h"
#include "app/bench/report/report_text.h"
#include "core/base/error.h"
#include "core/base/os/standard_streams.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

using Values = std::vector<double>;
constexpr const char* kRemedy = "give two files that verbcast bench --json has written";

struct Metric {
    const char* name;
    const char* expression;  // as numberOf() takes it
    bool moreIsBetter = false;
};

/// A part of the report whose measurements are compared: "tcp, 64 KiB, 4 in flight" -> GB/s and latency.
struct Part {
    const char* key;
    const char* title;
    const char* name;  // of a measurement, as filled() takes it
    std::vector<Metric> metrics;
};
/// Rows of frames are compared by name, verify level and conditions, and judged by their repeated runs.
const Part kRows{"rows",
                 "Frames",
                 "{transport} {width}x{height} {pixel_format}",
                 {{"fps", "fps", true},
                  {"GB/s", "gigabytes_per_second", true},
                  {"latency p50 us", "latency_us.p50"},
                  {"latency p99 us", "latency_us.p99"},
                  {"CPU us/frame, both sides", "cpu_us_per_frame.sender + cpu_us_per_frame.receiver"}}};
const std::vector<Part> kParts{{"limits", "Limits", "{name}", {{"GB/s", "gigabytes_per_second"}}},
                               {"sweep",
                                "Sweep",
                                "{transport}, {block_bytes:b}, {in_flight} in flight",
                                {{"GB/s", "gigabytes_per_second"}, {"p50 us", "latency_us.p50"}}},
                               {"registrations",
                                "Registering memory",
                                "{device}, {pages} pages, {load:l}, {bytes:b}",
                                {{"register us", "register_us"}, {"copy us", "copy_us"}}},
                               {"rpc",
                                "Calls",
                                "{transport}, {payload_bytes:b}, {callers} in flight",
                                {{"calls/s", "calls_per_second"}, {"p99 us", "latency_us.p99"}}},
                               {"viewers",
                                "Viewers",
                                "{transport}, {viewers} viewers, {slow_viewers} slow[, {slow_take}]",
                                {{"fps", "least_fps"}, {"p99 us", "latency_us.p99"}}},
                               {"decoding",
                                "Decoding",
                                "{decoder}, {memory} memory, {width}x{height} {pixel_format}",
                                {{"pictures/s", "fps"}, {"CPU us", "cpu_us_per_picture"}}},
                               {"av",
                                "Picture and sound",
                                "{transport}, {width}x{height}, {asked_offset_ms:g} ms asked",
                                {{"p50 ms", "offset_ms.p50"}, {"p99 ms", "offset_ms.p99"}}},
                               {"stages",
                                "Stages, whole frame",
                                "{source} over {transport}, {width}x{height} {pixel_format}, {load:l}",
                                {{"p50 us", "total_us.p50"}, {"p99 us", "total_us.p99"}}}};

struct Point {
    std::string name;
    Values values = {};  // of the part's metrics
};

struct Row : Point {
    std::string verify = {}, conditions = {};
    std::string setting = {};  // in which rows that are compared may differ
    std::vector<Values> runs = {};
    bool isComparedWith(const Row& other) const { return text() == other.text(); }
    std::string text() const { return name + ", " + verify + ", " + conditions; }
};

struct Measured {
    std::string path, origin, machine;
    std::vector<Row> rows = {};
    std::vector<std::vector<Point>> parts = {};  // as kParts
};

Point readPoint(const Part& part, const Json& item) {
    Point point{filled(part.name, item)};
    for (const Metric& metric : part.metrics) {
        point.values.push_back(numberOf(item, metric.expression));
    }
    return point;
}

Row readRow(const Json& json) {
    Row row{readPoint(kRows, json), json.at("verify").get<std::string>(), conditionsText(json),
            filled("{slots} slots, {load:l}", json)};
    for (const Json& repeated : json.at("repeats")) {
        Json run = json;
        run.update(repeated);
        run["cpu_us_per_frame"] = {{"sender", run.at("cpu_us_per_frame_both_sides")}, {"receiver", 0}};
        row.runs.push_back(readPoint(kRows, run).values);
    }
    return row;
}

/// Throws Error{Input} if the file is not such a report.
Measured readReport(const std::string& path) {
    const auto refuse = [&](const std::string& what) {
        throw Error(ErrorKind::Input,
                    fmt::format("{}: {}; a report with schema {} expected", path, what, kReportSchema),
                    kRemedy);
    };
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    // Reading nothing counts as an error: neither an empty file nor a folder is a report.
    if (!file || !(text << file.rdbuf())) {
        refuse("cannot be read");
    }
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) {
        refuse(json.is_discarded() ? "no JSON" : "no report of verbcast bench");
    }
    if (const Json schema = json.value("schema", Json(nullptr)); schema != kReportSchema) {
        refuse(schema.is_string() ? "has schema " + schema.get<std::string>()
                                  : "no report of verbcast bench");
    }
    try {
        const Json& machine = json.at("machine");
        Measured report{
            .path = path,
            .origin = filled("{started_at}, ", json) + filled("verbcast {verbcast} ({compiler})", machine) +
                      (json.at("interrupted").get<bool>() ? ", interrupted" : ""),
            .machine = filled("{processor}, {processors} processors, {memory_bytes:b}, {kernel}", machine)};
        std::ranges::transform(json.at("rows"), std::back_inserter(report.rows), readRow);
        for (const Part& part : kParts) {
            std::ranges::transform(json.value(part.key, Json::array()),
                                   std::back_inserter(report.parts.emplace_back()),
                                   [&](const Json& item) { return readPoint(part, item); });
        }
        return report;
    } catch (const Json::exception& error) {
        refuse(fmt::format("is damaged ({})", error.what()));
    }
    return {};
}

/// Least and most of a metric in all runs; nothing if a run lacks it.
std::optional<std::pair<double, double>> rangeOf(const Row& row, std::size_t metric) {
    Values values;
    for (const Values& run : row.runs) {
        values.push_back(run[metric]);
    }
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
        return std::nullopt;
    }
    const auto [least, most] = std::ranges::minmax(values);
    return std::pair{least, most};
}

std::string judgement(std::size_t metric, const Row& older, const Row& newer) {
    if (older.runs.size() < 2 || newer.runs.size() < 2) {
        return "unknown: one run; use --repeat";
    }
    const auto before = rangeOf(older, metric), after = rangeOf(newer, metric);
    if (!before || !after) {
        return "unknown: not measured in all runs";
    }
    if (before->first <= after->second && after->first <= before->second) {
        return "within the spread";
    }
    return (after->first > before->second) == kRows.metrics[metric].moreIsBetter ? "differs: better"
                                                                                 : "differs: worse";
}

std::string ratioText(double older, double newer) {
    return older != 0 ? figureText(newer / older) : "-";
}

void printRow(const Row& older, const Row& newer) {
    printToStdout("\n{}\n", newer.text());
    if (older.setting != newer.setting) {
        printToStdout("  other conditions: {} against {}\n", older.setting, newer.setting);
    }
    printToStdout("  {:<26}{:>10}{:>10}{:>8}\n", "", "old", "new", "ratio");
    for (std::size_t i = 0; i < kRows.metrics.size(); ++i) {
        printToStdout("  {:<26}{:>10}{:>10}{:>8}  {}\n", kRows.metrics[i].name, figureText(older.values[i]),
                      figureText(newer.values[i]), ratioText(older.values[i], newer.values[i]),
                      judgement(i, older, newer));
    }
}

/// Prints a row that `other` lacks, and whether it is there with another verify level.
void printOnly(const Row& row, const Measured& here, const Measured& other) {
    std::string more;
    for (const Row& candidate : other.rows) {
        if (candidate.name == row.name && candidate.conditions == row.conditions &&
            candidate.verify != row.verify) {
            more = fmt::format("; {} has it verified {}: another thing, not compared", other.path,
                               candidate.verify);
        }
    }
    printToStdout("only in {}: {}{}\n", here.path, row.text(), more);
}

void printHow(std::size_t olderRuns, std::size_t newerRuns) {
    // The probability that the ranges of two sets of runs of the same thing do not overlap.
    const double m = static_cast<double>(olderRuns), n = static_cast<double>(newerRuns);
    const double chance = 2 * std::exp(std::lgamma(m + 1) + std::lgamma(n + 1) - std::lgamma(m + n + 1));
    printToStdout(
        "\nWithin the spread: the ranges (least to most) of the old and the new runs overlap; differs: they "
        "do not.\nBy chance alone the ranges of {} and {} equal runs are apart in 1 of {:.0f} comparisons.\n",
        olderRuns, newerRuns, 1 / chance);
}

/// Returns how many rows are in both.
std::size_t compareRows(const Measured& older, const Measured& newer) {
    std::vector<const Row*> onlyOld, onlyNew;
    std::ranges::transform(newer.rows, std::back_inserter(onlyNew), [](const Row& row) { return &row; });
    const std::pair<const Row*, const Row*> none;
    auto repeated = none;
    for (const Row& row : older.rows) {
        const auto same =
            std::ranges::find_if(onlyNew, [&](const Row* other) { return row.isComparedWith(*other); });
        if (same == onlyNew.end()) {
            onlyOld.push_back(&row);
            continue;
        }
        printRow(row, **same);
        if (repeated == none && row.runs.size() > 1 && (*same)->runs.size() > 1) {
            repeated = {&row, *same};
        }
        onlyNew.erase(same);
    }
    if (repeated != none) {
        printHow(repeated.first->runs.size(), repeated.second->runs.size());
    }
    writeToStdout(onlyOld.empty() && onlyNew.empty() ? "" : "\n");
    for (const Row* row : onlyOld) {
        printOnly(*row, older, newer);
    }
    for (const Row* row : onlyNew) {
        printOnly(*row, newer, older);
    }
    return older.rows.size() - onlyOld.size();
}

/// Returns how many points are in both. Points have no repeated runs, so nothing is judged.
std::size_t comparePart(const Part& part, const std::vector<Point>& older, const std::vector<Point>& newer) {
    std::map<std::string, const Values*> known;
    for (const Point& point : older) {
        known.emplace(point.name, &point.values);
    }
    std::string text;
    std::size_t count = 0;
    for (const Point& point : newer) {
        const auto old = known.extract(point.name);  // only once: a report may contain a name twice
        if (old.empty()) {
            continue;
        }
        ++count;
        text += fmt::format("  {:<44}", point.name);
        for (std::size_t i = 0; i < point.values.size(); ++i) {
            const double before = (*old.mapped())[i], after = point.values[i];
            text += fmt::format("{:>10}{:>10}{:>8}", countText(before), countText(after),
                                ratioText(before, after));
        }
        text += "\n";
    }
    if (count != 0) {
        printToStdout("\n{} (one measurement each: the spread is unknown)\n  {:<44}", part.title, "");
        for (const Metric& metric : part.metrics) {
            printToStdout("{:>10}{:>10}{:>8}", "old", metric.name, "ratio");
        }
        printToStdout("\n{}", text);
    }
    if (const std::size_t alone = older.size() + newer.size() - 2 * count; alone != 0) {
        printToStdout("{}: {} in one of the files only\n", part.title,
                      counted(alone, "measurement is", "measurements are"));
    }
    return count;
}

}  // namespace

int runCompare(const CompareOptions& options) {
    const Measured older = readReport(options.oldJson), newer = readReport(options.newJson);
    for (const auto& [which, report] : {std::pair{"old", &older}, {"new", &newer}}) {
        printToStdout("{}  {}: {}\n", which, report->path, report->origin);
    }
    if (older.machine != newer.machine) {
        printToStdout("another machine: ratios say nothing about the program\n  old: {}\n  new: {}\n",
                      older.machine, newer.machine);
    }
    std::size_t common = compareRows(older, newer);
    for (std::size_t i = 0; i < kParts.size(); ++i) {
        common += comparePart(kParts[i], older.parts[i], newer.parts[i]);
    }
    if (common == 0) {
        writeToStdout("nothing to compare: the two files have no measurement in common\n");
    }
    return 0;
}

}  // namespace verbcast
