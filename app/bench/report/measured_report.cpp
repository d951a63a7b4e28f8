#include "app/bench/report/measured_report.h"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/bench/report/bench_report.h"
#include "app/bench/report/report_text.h"
#include "core/base/error.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kSchema = "verbcast-bench/1";
constexpr const char* kRemedy = "give two files that verbcast bench --json has written";

/// null stands for a value that was not a number.
double numberOf(const Json& json) {
    return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

MeasuredRow readRow(const Json& json) {
    MeasuredRow row;
    FrameRow conditions;
    conditions.offeredFps = json.at("offered_fps").is_null() ? 0 : json.at("offered_fps").get<double>();
    conditions.streams = json.at("streams").get<std::uint32_t>();
    conditions.intoOne = json.value("into_one", false);
    conditions.poll = json.at("poll").get<bool>();
    if (json.value("memory", "host") == "device") {
        conditions.device.emplace();
    }
    row.name = fmt::format("{} {}x{} {}", json.at("transport").get<std::string>(),
                           json.at("width").get<std::uint32_t>(), json.at("height").get<std::uint32_t>(),
                           json.at("pixel_format").get<std::string>());
    row.verify = json.at("verify").get<std::string>();
    row.conditions = rowConditions(conditions);
    row.slots = json.at("slots").get<std::uint32_t>();
    row.load = json.at("load").get<std::uint32_t>();
    const Json& latency = json.at("latency_us");
    const Json& cpu = json.at("cpu_us_per_frame");
    row.values = {numberOf(json.at("fps")), numberOf(json.at("gigabytes_per_second")),
                  numberOf(latency.at("p50")), numberOf(latency.at("p99")),
                  numberOf(cpu.at("sender")) + numberOf(cpu.at("receiver"))};
    for (const Json& run : json.at("repeats")) {
        row.runs.push_back({numberOf(run.at("fps")), numberOf(run.at("gigabytes_per_second")),
                            numberOf(run.at("latency_us").at("p50")),
                            numberOf(run.at("latency_us").at("p99")),
                            numberOf(run.at("cpu_us_per_frame_both_sides"))});
    }
    return row;
}

template <typename Convert>
MeasuredSection readSection(const Json& list, const std::string& title, std::vector<std::string> metrics,
                            Convert convert) {
    MeasuredSection section{title, std::move(metrics), {}};
    for (const Json& item : list) {
        section.points.push_back(convert(item));
    }
    return section;
}

std::string words(const Json& item, const char* key) {
    return item.at(key).get<std::string>();
}

std::vector<MeasuredSection> readSections(const Json& json) {
    using Point = std::pair<std::string, std::vector<double>>;
    const auto count = [](const Json& item, const char* key) { return item.at(key).get<std::uint64_t>(); };
    return {
        readSection(json.at("limits"), "Limits", {"GB/s"},
                    [](const Json& item) -> Point {
                        return {words(item, "name"), {numberOf(item.at("gigabytes_per_second"))}};
                    }),
        readSection(json.at("sweep"), "Sweep", {"GB/s", "p50 us"},
                    [&](const Json& item) -> Point {
                        return {fmt::format("{}, {}, {} in flight", words(item, "transport"),
                                            bytesText(count(item, "block_bytes")), count(item, "in_flight")),
                                {numberOf(item.at("gigabytes_per_second")),
                                 numberOf(item.at("latency_us").at("p50"))}};
                    }),
        readSection(json.at("registrations"), "Registering memory", {"register us", "copy us"},
                    [&](const Json& item) -> Point {
                        return {
                            fmt::format("{}, {} pages, {}, {}", words(item, "device"), words(item, "pages"),
                                        loadText(item.at("load").get<std::uint32_t>()),
                                        bytesText(count(item, "bytes"))),
                            {numberOf(item.at("register_us")), numberOf(item.at("copy_us"))}};
                    }),
        readSection(json.at("rpc"), "Calls", {"calls/s", "p99 us"},
                    [&](const Json& item) -> Point {
                        return {fmt::format("{}, {}, {} in flight", words(item, "transport"),
                                            bytesText(count(item, "payload_bytes")), count(item, "callers")),
                                {numberOf(item.at("calls_per_second")),
                                 numberOf(item.at("latency_us").at("p99"))}};
                    }),
        readSection(json.value("viewers", Json::array()), "Viewers", {"fps", "p99 us"},
                    [&](const Json& item) -> Point {
                        return {fmt::format(
                                    "{}, {} viewers, {} slow{}", words(item, "transport"),
                                    count(item, "viewers"), count(item, "slow_viewers"),
                                    item.at("slow_take").is_null() ? "" : ", " + words(item, "slow_take")),
                                {numberOf(item.at("least_fps")), numberOf(item.at("latency_us").at("p99"))}};
                    }),
        readSection(json.value("decoding", Json::array()), "Decoding", {"pictures/s", "CPU us"},
                    [&](const Json& item) -> Point {
                        return {fmt::format("{}, {} memory, {}x{} {}", words(item, "decoder"),
                                            words(item, "memory"), count(item, "width"),
                                            count(item, "height"), words(item, "pixel_format")),
                                {numberOf(item.at("fps")), numberOf(item.at("cpu_us_per_picture"))}};
                    }),
        readSection(
            json.at("stages"), "Stages, whole frame", {"p50 us", "p99 us"}, [&](const Json& item) -> Point {
                return {
                    fmt::format("{} over {}, {}x{} {}, {}", words(item, "source"), words(item, "transport"),
                                count(item, "width"), count(item, "height"), words(item, "pixel_format"),
                                loadText(item.at("load").get<std::uint32_t>())),
                    {numberOf(item.at("total_us").at("p50")), numberOf(item.at("total_us").at("p99"))}};
            })};
}

std::string contentsOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    // Reading nothing counts as an error: neither an empty file nor a folder is a report.
    if (!file || !(text << file.rdbuf())) {
        throw Error(ErrorKind::Input,
                    fmt::format("{}: cannot be read; a report with schema {} expected", path, kSchema),
                    kRemedy);
    }
    return text.str();
}

}  // namespace

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
            fmt::format("{}, {}, {}, {}", words(machine, "processor"),
                        counted(machine.at("processors").get<unsigned>(), "processor"),
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

}  // namespace verbcast
