// verbcast bench --compare OLD NEW: what changed between two reports, and what only seems to.
//
// A difference is within the spread when the ranges, least to most, of the two reports' repeated runs
// overlap.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "app/bench/report_output.h"
#include "app/bench/report_text.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kSchema = "verbcast-bench/1";
constexpr const char* kRemedy = "give two files that verbcast bench --json has written";

struct Metric {
    const char* name;
    bool moreIsBetter;
};
constexpr std::array<Metric, 5> kMetrics{{{"fps", true},
                                          {"GB/s", true},
                                          {"latency p50 us", false},
                                          {"latency p99 us", false},
                                          {"CPU us/frame, both sides", false}}};
using Values = std::array<double, kMetrics.size()>;

struct Row {
    std::string name, verify, conditions;
    std::uint32_t slots = 0, load = 0;
    Values values{};
    std::vector<Values> runs;
    /// What tells the row from the others of its report.
    std::string key(bool withVerify = true) const {
        return withVerify ? name + ", " + verify + ", " + conditions : name + ", " + conditions;
    }
};

/// A figure or two of another section: "tcp, 64 KiB, 4 in flight" -> GB/s and latency.
struct Section {
    std::string title;
    std::vector<std::string> metrics;
    std::vector<std::pair<std::string, std::vector<double>>> points;
};

struct MeasuredReport {
    std::string path, startedAt, verbcast, machine;
    bool interrupted = false;
    std::vector<Row> rows;
    std::vector<Section> sections;
};

/// null: no number could be made of it.
double number(const Json& json) {
    return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Row readRow(const Json& json) {
    Row row;
    FrameRow conditions;
    conditions.offeredFps = json.at("offered_fps").is_null() ? 0 : json.at("offered_fps").get<double>();
    conditions.streams = json.at("streams").get<std::uint32_t>();
    conditions.poll = json.at("poll").get<bool>();
    row.name = fmt::format("{} {}x{} {}", json.at("transport").get<std::string>(),
                           json.at("width").get<std::uint32_t>(), json.at("height").get<std::uint32_t>(),
                           json.at("pixel_format").get<std::string>());
    row.verify = json.at("verify").get<std::string>();
    row.conditions = rowConditions(conditions);
    row.slots = json.at("slots").get<std::uint32_t>();
    row.load = json.at("load").get<std::uint32_t>();
    const Json& latency = json.at("latency_us");
    const Json& cpu = json.at("cpu_us_per_frame");
    row.values = {number(json.at("fps")), number(json.at("gigabytes_per_second")), number(latency.at("p50")),
                  number(latency.at("p99")), number(cpu.at("sender")) + number(cpu.at("receiver"))};
    for (const Json& run : json.at("repeats")) {
        row.runs.push_back({number(run.at("fps")), number(run.at("gigabytes_per_second")),
                            number(run.at("latency_us").at("p50")), number(run.at("latency_us").at("p99")),
                            number(run.at("cpu_us_per_frame_both_sides"))});
    }
    return row;
}

template <typename Convert>
Section readSection(const Json& list, const std::string& title, std::vector<std::string> metrics,
                    Convert convert) {
    Section section{title, std::move(metrics), {}};
    for (const Json& item : list) {
        section.points.push_back(convert(item));
    }
    return section;
}

std::string words(const Json& item, const char* key) {
    return item.at(key).get<std::string>();
}

std::vector<Section> readSections(const Json& json) {
    using Point = std::pair<std::string, std::vector<double>>;
    const auto count = [](const Json& item, const char* key) { return item.at(key).get<std::uint64_t>(); };
    return {
        readSection(json.at("limits"), "Limits", {"GB/s"},
                    [](const Json& item) -> Point {
                        return {words(item, "name"), {number(item.at("gigabytes_per_second"))}};
                    }),
        readSection(json.at("sweep"), "Sweep", {"GB/s", "p50 us"},
                    [&](const Json& item) -> Point {
                        return {fmt::format("{}, {}, {} in flight", words(item, "transport"),
                                            bytesText(count(item, "block_bytes")), count(item, "in_flight")),
                                {number(item.at("gigabytes_per_second")),
                                 number(item.at("latency_us").at("p50"))}};
                    }),
        readSection(json.at("registrations"), "Registering memory", {"register us", "copy us"},
                    [&](const Json& item) -> Point {
                        return {
                            fmt::format("{}, {} pages, {}, {}", words(item, "device"), words(item, "pages"),
                                        loadText(item.at("load").get<std::uint32_t>()),
                                        bytesText(count(item, "bytes"))),
                            {number(item.at("register_us")), number(item.at("copy_us"))}};
                    }),
        readSection(json.at("rpc"), "Calls", {"calls/s", "p99 us"},
                    [&](const Json& item) -> Point {
                        return {
                            fmt::format("{}, {}, {} in flight", words(item, "transport"),
                                        bytesText(count(item, "payload_bytes")), count(item, "callers")),
                            {number(item.at("calls_per_second")), number(item.at("latency_us").at("p99"))}};
                    }),
        readSection(
            json.at("stages"), "Stages, whole frame", {"p50 us", "p99 us"}, [&](const Json& item) -> Point {
                return {
                    fmt::format("{} over {}, {}x{} {}, {}", words(item, "source"), words(item, "transport"),
                                count(item, "width"), count(item, "height"), words(item, "pixel_format"),
                                loadText(item.at("load").get<std::uint32_t>())),
                    {number(item.at("total_us").at("p50")), number(item.at("total_us").at("p99"))}};
            })};
}

std::string contentsOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    // Reading no character at all fails, as it should: an empty file is no report, and neither is a folder.
    if (!file || !(text << file.rdbuf())) {
        throw Error(ErrorKind::Input,
                    fmt::format("{}: cannot be read; a report with schema {} expected", path, kSchema),
                    kRemedy);
    }
    return text.str();
}

MeasuredReport readReport(const std::string& path) {
    const std::string text = contentsOf(path);
    const auto refuse = [&](const std::string& what) {
        throw Error(ErrorKind::Input,
                    fmt::format("{}: {}; a report with schema {} expected", path, what, kSchema), kRemedy);
    };
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) {
        refuse(json.is_discarded() ? "no JSON" : "no report of verbcast bench");
    }
    const Json schema = json.value("schema", Json(nullptr));
    if (schema != kSchema) {
        refuse(schema.is_string() ? "has schema " + schema.get<std::string>()
                                  : "no report of verbcast bench");
    }
    MeasuredReport report;
    try {
        const Json& machine = json.at("machine");
        report.path = path;
        report.startedAt = words(json, "started_at");
        report.interrupted = json.at("interrupted").get<bool>();
        report.verbcast = words(machine, "verbcast") + " (" + words(machine, "compiler") + ")";
        report.machine =
            fmt::format("{}, {} processors, {}, {}", words(machine, "processor"),
                        machine.at("processors").get<unsigned>(),
                        bytesText(machine.at("memory_bytes").get<std::uint64_t>()), words(machine, "kernel"));
        for (const Json& row : json.at("rows")) {
            report.rows.push_back(readRow(row));
        }
        report.sections = readSections(json);
    } catch (const Json::exception& error) {
        refuse(fmt::format("is damaged ({})", error.what()));
    }
    return report;
}

std::string judgement(const Metric& metric, std::size_t index, const Row& older, const Row& newer) {
    if (older.runs.size() < 2 || newer.runs.size() < 2) {
        return "unknown: one run; use --repeat";
    }
    const auto range = [index](const Row& row) {
        const auto [least, most] =
            std::minmax_element(row.runs.begin(), row.runs.end(),
                                [index](const Values& a, const Values& b) { return a[index] < b[index]; });
        return std::pair((*least)[index], (*most)[index]);
    };
    const auto undefined = [index](const Values& run) { return !std::isfinite(run[index]); };
    if (std::any_of(older.runs.begin(), older.runs.end(), undefined) ||
        std::any_of(newer.runs.begin(), newer.runs.end(), undefined)) {
        return "unknown: not measured in all runs";
    }
    const auto [oldLeast, oldMost] = range(older);
    const auto [newLeast, newMost] = range(newer);
    if (oldLeast <= newMost && newLeast <= oldMost) {
        return "within the spread";
    }
    return (newLeast > oldMost) == metric.moreIsBetter ? "differs: better" : "differs: worse";
}

std::string ratioText(double older, double newer) {
    return older != 0 ? figureText(newer / older) : "-";
}

void printRow(const Row& older, const Row& newer) {
    fmt::print("\n{}\n", newer.key());
    if (older.slots != newer.slots || older.load != newer.load) {
        fmt::print("  other conditions: {} slots, {} against {} slots, {}\n", older.slots,
                   loadText(older.load), newer.slots, loadText(newer.load));
    }
    fmt::print("  {:<26}{:>10}{:>10}{:>8}\n", "", "old", "new", "ratio");
    for (std::size_t i = 0; i < kMetrics.size(); ++i) {
        fmt::print("  {:<26}{:>10}{:>10}{:>8}  {}\n", kMetrics[i].name, figureText(older.values[i]),
                   figureText(newer.values[i]), ratioText(older.values[i], newer.values[i]),
                   judgement(kMetrics[i], i, older, newer));
    }
}

/// A row that `other` lacks; says so if it is there with another verify level.
void printOnly(const Row& row, const MeasuredReport& here, const MeasuredReport& other) {
    std::string more;
    for (const Row& candidate : other.rows) {
        if (candidate.key(false) == row.key(false) && candidate.verify != row.verify) {
            more = fmt::format("; {} has it verified {}: another thing, not compared", other.path,
                               candidate.verify);
        }
    }
    fmt::print("only in {}: {}{}\n", here.path, row.key(), more);
}

/// How often the ranges of so many runs of one and the same thing have no point in common.
double chanceOfApart(std::size_t olderRuns, std::size_t newerRuns) {
    const double m = static_cast<double>(olderRuns), n = static_cast<double>(newerRuns);
    return 2 * std::exp(std::lgamma(m + 1) + std::lgamma(n + 1) - std::lgamma(m + n + 1));
}

void printHow(const std::vector<std::pair<const Row*, const Row*>>& pairs) {
    for (const auto& [older, newer] : pairs) {
        if (older->runs.size() > 1 && newer->runs.size() > 1) {
            fmt::print(
                "\nWithin the spread: the ranges (least to most) of the old and the new runs overlap; "
                "differs: they "
                "do not.\nBy chance alone the ranges of {} and {} equal runs are apart in 1 of {:.0f} "
                "comparisons.\n",
                older->runs.size(), newer->runs.size(),
                1 / chanceOfApart(older->runs.size(), newer->runs.size()));
            return;
        }
    }
}

/// Returns how many rows both have.
std::size_t compareRows(const MeasuredReport& older, const MeasuredReport& newer) {
    std::vector<std::pair<const Row*, const Row*>> pairs;
    std::vector<const Row*> onlyOld;
    std::vector<bool> taken(newer.rows.size(), false);
    for (const Row& row : older.rows) {
        std::size_t i = 0;
        while (i < newer.rows.size() && (taken[i] || newer.rows[i].key() != row.key())) {
            ++i;
        }
        if (i == newer.rows.size()) {
            onlyOld.push_back(&row);
            continue;
        }
        taken[i] = true;
        pairs.emplace_back(&row, &newer.rows[i]);
        printRow(row, newer.rows[i]);
    }
    printHow(pairs);
    fmt::print("{}", onlyOld.empty() && pairs.size() == newer.rows.size() ? "" : "\n");
    for (const Row* row : onlyOld) {
        printOnly(*row, older, newer);
    }
    for (std::size_t i = 0; i < newer.rows.size(); ++i) {
        if (!taken[i]) {
            printOnly(newer.rows[i], newer, older);
        }
    }
    return pairs.size();
}

/// Returns how many points both have. These have no repeated runs, so nothing is judged.
std::size_t compareSection(const Section& older, const Section& newer) {
    std::map<std::string, const std::vector<double>*> known;
    for (const auto& [key, values] : older.points) {
        known.emplace(key, &values);
    }
    std::string text;
    std::size_t count = 0;
    for (const auto& [key, values] : newer.points) {
        const auto old = known.find(key);
        if (old == known.end()) {
            continue;
        }
        ++count;
        text += fmt::format("  {:<44}", key);
        for (std::size_t i = 0; i < values.size(); ++i) {
            text += fmt::format("{:>10}{:>10}{:>8}", countText((*old->second)[i]), countText(values[i]),
                                ratioText((*old->second)[i], values[i]));
        }
        text += "\n";
    }
    if (count != 0) {
        fmt::print("\n{} (one measurement each: the spread is unknown)\n  {:<44}", newer.title, "");
        for (const std::string& metric : newer.metrics) {
            fmt::print("{:>10}{:>10}{:>8}", "old", metric, "ratio");
        }
        fmt::print("\n{}", text);
    }
    const std::size_t alone = older.points.size() + newer.points.size() - 2 * count;
    if (alone != 0) {
        fmt::print("{}: {} measurements are in one of the files only\n", newer.title, alone);
    }
    return count;
}

void printReport(const char* which, const MeasuredReport& report) {
    fmt::print("{}  {}: {}, verbcast {}{}\n", which, report.path, report.startedAt, report.verbcast,
               report.interrupted ? ", interrupted" : "");
}

}  // namespace

int runCompare(const CompareOptions& options) {
    const MeasuredReport older = readReport(options.oldJson), newer = readReport(options.newJson);
    printReport("old", older);
    printReport("new", newer);
    if (older.machine != newer.machine) {
        fmt::print("another machine: ratios say nothing about the program\n  old: {}\n  new: {}\n",
                   older.machine, newer.machine);
    }
    std::size_t common = compareRows(older, newer);
    for (std::size_t i = 0; i < newer.sections.size(); ++i) {
        common += compareSection(older.sections[i], newer.sections[i]);
    }
    if (common == 0) {
        fmt::print("nothing to compare: the two files have no measurement in common\n");
    }
    return 0;
}

}  // namespace verbcast
