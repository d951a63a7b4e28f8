#include "app/bench/report/report_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "app/bench/report/report_text.h"

namespace verbcast {
namespace {

bool isEmptyText(const Json& json) {
    return json.is_string() && json.get_ref<const std::string&>().empty();
}

using svg::Mark;
using svg::Scale;
using svg::Unit;

/// From "head: cell | head: cell", with cells as filled() takes them. A head that begins with # has bars on
/// the page; one with < is on the terminal only, one with > on the page only. "@latency_us": four columns.
std::vector<Table::Column> columnsOf(const char* text) {
    const std::string all = std::regex_replace(
        text, std::regex("@(\\w+)"), "p50: {$1.p50} | p99: {$1.p99} | p99.9: {$1.p999} | max: {$1.max}");
    std::istringstream parts(std::regex_replace(all, std::regex("\\s+"), " "));
    std::vector<Table::Column> columns;
    for (std::string part; std::getline(parts >> std::ws, part, '|');) {
        const auto mark = std::string_view("#<>").find(part.front());
        const std::size_t head = mark == std::string_view::npos ? 0 : 1, colon = part.find(": ");
        columns.push_back({.head = part.substr(head, colon - head),
                           .cell = part.substr(colon + 2, part.find_last_not_of(' ') - colon - 1),
                           .where = mark == 1   ? Where::Terminal
                                    : mark == 2 ? Where::Page
                                                : Where::Everywhere,
                           .bar = mark == 0});
    }
    return columns;
}

/// A line for each of the rows, with a note below it, as sentences() takes it. The first columns are `words`.
Table tableOf(const Json& rows, std::size_t words, const char* columns, const char* note = "") {
    Table table{.title = "", .columns = columnsOf(columns), .words = words};
    std::vector<double> longest(table.columns.size(), 0);
    for (const Json& row : rows) {
        Table::Line& line = table.lines.emplace_back();
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const auto& [head, cell, where, bar] = table.columns[i];
            line.cells.push_back(filled(cell, row));
            const std::string expression =
                cell.substr(cell.find('{') + 1, cell.find_first_of(":}") - cell.find('{') - 1);
            const double value = bar ? numberOf(row, expression) : 0;
            line.bars.push_back(std::isfinite(value) ? value : 0);
            longest[i] = std::max(longest[i], line.bars[i]);
        }
        line.note = sentences(note, row);
        line.hatched = row.value("verify", "full") != "full";
    }
    for (Table::Line& line : table.lines) {
        std::ranges::transform(line.bars, longest, line.bars.begin(),
                               [](double bar, double most) { return most > 0 ? bar / most : 0; });
    }
    return table;
}

Table titled(const char* title, Table table, Where where = Where::Everywhere) {
    table.title = title;
    table.where = where;
    return table;
}

/// The rows grouped by what `name` makes of them, in order of first occurrence.
std::vector<std::pair<std::string, Json>> groupsOf(const Json& rows, const char* name) {
    std::vector<std::pair<std::string, Json>> groups;
    for (const Json& row : rows) {
        const std::string key = filled(name, row);
        auto group = std::ranges::find(groups, key, &std::pair<std::string, Json>::first);
        if (group == groups.end()) {
            group = groups.insert(group, {key, Json::array()});
        }
        group->second.push_back(row);
    }
    return groups;
}

std::vector<svg::Point> pointsOf(const Json& rows, const char* x, const char* y) {
    std::vector<svg::Point> points;
    for (const Json& row : rows) {
        points.push_back({numberOf(row, x), numberOf(row, y)});
    }
    std::ranges::sort(points, {}, &svg::Point::x);
    return points;
}

/// Adds a line for each group of rows.
void addLines(svg::Chart& chart, const Json& rows, const char* name, const char* x, const char* y) {
    const auto groups = groupsOf(rows, name);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto& [text, group] = groups[i];
        chart.series.push_back(
            {.name = text, .colour = svg::orderedColour(i, groups.size()), .points = pointsOf(group, x, y)});
    }
}

/// Least and most of the rows' values: {"least": 4.4, "most": 4.6}
Json rangeOf(const Json& rows, const char* expression) {
    std::vector<double> values;
    for (const Json& row : rows) {
        values.push_back(numberOf(row, expression));
    }
    const auto [least, most] = std::ranges::minmax(values);
    return {{"least", least}, {"most", most}};
}

constexpr const char* kFrameNote = R"(
    verified {verified}; {conditions}; {hand_offs_per_second:c} hand-offs a second, no pixel is moved;
    {no_limit}; limit {limit.name} {limit.gigabytes_per_second} GB/s, ratio {ratio_to_limit};
    limit {limit.name} not measured: {limit.unavailable};
    dropped {frames_dropped}, corrupt {frames_corrupt};
    {runs.count} runs: [{runs.moved.least} to {runs.moved.most} GB/s|{runs.fps.least * streams:c} to
    {runs.fps.most * streams:c} a second][, p50 {runs.p50.least} to {runs.p50.most} us, p99
    {runs.p99.least} to {runs.p99.most} us], CPU {runs.cpu.least} to {runs.cpu.most} us a frame;
    {each.least} to {each.most} fps each;
    the receiver's CPU is {receiver_cpu_times_one_stream:2} times one stream's; {behind};
    a bare futex wake-up takes p50 {wake_up.latency_us.p50} us, p99 {wake_up.latency_us.p99} us and
    {wake_up.cpu_us_both_sides} us of CPU[: the row's latency {latency_us.p50 / wake_up.latency_us.p50:2} and
    {latency_us.p99 / wake_up.latency_us.p99:2} times that[, its CPU
    {handing_over_cpu_us / wake_up.cpu_us_both_sides:2} times]];
    {damage.percent:g} % of each frame changes: {damage.bytes_moved_per_frame / 1e6} MB of it travel,
    {damage.ratios.bytes_moved:4} times a whole one's;
    CPU {damage.cpu_us_per_frame_both_sides} us a frame at both ends, {damage.ratios.cpu:2} times;
    {fps} fps, {damage.ratios.fps:2} times;
    {device_memory.pcie_copies_per_frame:2} copies of a frame over PCIe;
    cuMemcpy to host [{device_memory.to_host.gigabytes_per_second} GB/s|not measured
    ({device_memory.to_host.unavailable})], to device [{device_memory.to_device.gigabytes_per_second} GB/s|not
    measured ({device_memory.to_device.unavailable})];
    the sender encrypts {cipher.encrypt_gigabytes_per_second} GB/s while it does,
    [{cipher.encrypt_ratio_to_openssl_speed:2} of openssl speed
    ({cipher.encrypt_gigabytes_per_second / cipher.encrypt_ratio_to_openssl_speed} GB/s)|openssl speed not
    measured: {cipher.openssl_speed_unavailable}];
    the receiver decrypts {cipher.decrypt_gigabytes_per_second} GB/s while it does,
    [{cipher.decrypt_ratio_to_openssl_speed:2} of openssl speed
    ({cipher.decrypt_gigabytes_per_second / cipher.decrypt_ratio_to_openssl_speed} GB/s)|openssl speed not
    measured: {cipher.openssl_speed_unavailable}])";

/// A row as it is shown, by what means something: latency that is the wait in full queues, and the throughput
/// of frames that nobody moves, are in the JSON only.
Json shownRow(Json row) {
    const bool handsOver = !row.at("hand_offs_per_second").is_null(), full = row.at("verify") == "full";
    const bool kept = numberOf(row, "fps") >= 0.95 * numberOf(row, "offered_fps");
    const Json unknown = nullptr, runs = row.at("repeats");
    Json each = Json::array();
    for (const Json& fps : row.at("fps_of_each")) {
        each.push_back({{"fps", fps}});
    }
    row["verified"] = filled(full ? "{verify}" : "{verify}: pixels not touched", row);
    row["conditions"] = conditionsText(row) + (row.at("load") == 0 ? "" : filled(", {load:l}", row));
    row["behind"] = row.at("offered_fps").is_null() || kept
                        ? unknown
                        : "the rate was not kept, so latency would be the wait in queues";
    // Those that move pixels also write and check them.
    row["handing_over_cpu_us"] =
        handsOver ? Json(numberOf(row, "cpu_us_per_frame.sender + cpu_us_per_frame.receiver")) : unknown;
    row["each"] = each.empty() ? unknown : rangeOf(each, "fps");
    row["runs"] = runs.size() < 2
                      ? unknown
                      : Json{{"count", runs.size()},
                             {"moved", handsOver ? unknown : rangeOf(runs, "gigabytes_per_second")},
                             {"fps", rangeOf(runs, "fps")},
                             {"p50", kept ? rangeOf(runs, "latency_us.p50") : unknown},
                             {"p99", kept ? rangeOf(runs, "latency_us.p99") : unknown},
                             {"cpu", rangeOf(runs, "cpu_us_per_frame_both_sides")}};
    row["no_limit"] = handsOver || !row.at("limit").is_null() ? unknown : "no limit measured";
    if (handsOver) {
        row["gigabytes_per_second"] = row["limit"] = row["ratio_to_limit"] = unknown;
    }
    if (!kept) {
        row["latency_us"] = row["latency_distribution"] = unknown;
    }
    return row;
}

Section framesSection(const Json& report) {
    Json rows = Json::array(), notes = Json::object();
    svg::Chart latency{.title = "Latency",
                       .caption =
                           "Frames that arrived within a time, at a fixed rate. The vertical axis is scaled "
                           "in nines to show the tail. Dashed: pixels not touched.",
                       .x = {"latency, submit to receive", Scale::Log10, Unit::Microseconds},
                       .y = {"share of frames", Scale::Nines}};
    for (const Json& measured : report.at("rows")) {
        const Json& row = rows.emplace_back(shownRow(measured));
        latency.series.push_back(
            {.name = filled("{transport} {width}x{height} {pixel_format}, {conditions}", row),
             .colour = svg::plainColour(latency.series.size()),
             .dashes = row.at("verify") == "full" ? "" : "6 4",
             .mark = Mark::None,
             .points = pointsOf(row.at("latency_distribution"), "microseconds", "fraction")});
        if (const Json& limit = row.at("limit"); !limit.is_null() && !isEmptyText(limit.at("note"))) {
            notes[filled("limit {name}: {note}", limit)] = true;
        }
    }
    Section section{"Frames",
                    "p50 to max: latency from submit to receive, at a fixed rate, us; jitter: of arrivals, "
                    "us; send, recv: user and system CPU of each process, us a frame; copies: of pixels"};
    section.blocks = {latency, tableOf(rows, 3, R"(
        over: {transport} | size: {width}x{height} | format: {pixel_format} | >frames: {frames} | fps: {fps} |
        #GB/s: {gigabytes_per_second} | @latency_us | jitter: {jitter_us} | #send: {cpu_us_per_frame.sender} |
        #recv: {cpu_us_per_frame.receiver} | copies: {pixel_copies_per_frame:2})",
                                       kFrameNote)};
    for (const auto& [note, unused] : notes.items()) {
        section.blocks.emplace_back(note);
    }
    section.blocks.emplace_back(titled("What a frame costs: user and system time of each process, us",
                                       tableOf(rows, 2, R"(
        row: {transport} {width}x{height} {pixel_format} | run: {conditions} |
        send user: {cpu.sender.user_seconds * 1e6 / frames} |
        system: {cpu.sender.system_seconds * 1e6 / frames} |
        recv user: {cpu.receiver.user_seconds * 1e6 / frames} |
        system: {cpu.receiver.system_seconds * 1e6 / frames} |
        CPU s/GB: {cpu_seconds_per_gigabyte.sender + cpu_seconds_per_gigabyte.receiver} |
        switches voluntary: {context_switches.sender.voluntary + context_switches.receiver.voluntary:0} |
        involuntary: {context_switches.sender.involuntary + context_switches.receiver.involuntary:0} |
        read/write calls: {read_write_system_calls.sender} + {read_write_system_calls.receiver})"),
                                       Where::Page));
    return section;
}

Section limitsSection(const Json& report) {
    return {"Limits",
            "what simpler programs reach here, GB/s",
            {tableOf(report.at("limits"), 1, "limit: {name} | #GB/s: {gigabytes_per_second}",
                     "[not measured: {unavailable}|{note}]")}};
}

/// Blocks down, depths across.
Table sweepGrid(const std::string& transport, const Json& points) {
    std::map<std::uint64_t, std::map<std::uint64_t, std::string>> grid;
    std::map<std::uint64_t, std::string> none;
    for (const Json& point : points) {
        grid[point.at("block_bytes")][point.at("in_flight")] =
            filled("{gigabytes_per_second} / {latency_us.p50:c}", point);
        none[point.at("in_flight")] = "-";
    }
    Table table{.title = "", .columns = {{transport}}};
    for (const auto& [depth, unused] : none) {
        table.columns.push_back({fmt::format("{} in flight", depth)});
    }
    for (auto& [block, cells] : grid) {
        cells.insert(none.begin(), none.end());
        Table::Line& line = table.lines.emplace_back(Table::Line{{bytesText(block)}});
        std::ranges::transform(cells, std::back_inserter(line.cells),
                               [](const auto& cell) { return cell.second; });
        line.bars.resize(line.cells.size());
    }
    return table;
}

Section sweepSection(const Json& report) {
    constexpr const char* kDepth = "{in_flight} in flight";
    Section section{"Sweep", "each cell: GB/s / latency p50 us, of a block handed over to acknowledged"};
    for (const auto& [transport, points] : groupsOf(report.at("sweep"), "{transport}")) {
        svg::Chart chart{
            .title = "Throughput by block size, " + transport,
            .caption = "A diamond is the fitted size that reaches half of that depth's bandwidth.",
            .x = {"block", Scale::Log2, Unit::Bytes},
            .y = {"GB/s"}};
        addLines(chart, points, kDepth, "block_bytes", "gigabytes_per_second");
        for (const Json& fit : report.at("sweep_fits")) {
            const auto line = std::ranges::find(chart.series, filled(kDepth, fit), &svg::Series::name);
            if (fit.at("transport") == transport && line != chart.series.end()) {
                chart.series.push_back(
                    {.name = "",
                     .colour = line->colour,
                     .mark = Mark::Diamond,
                     .points = pointsOf(Json::array({fit}), "half_bytes", "gigabytes_per_second / 2")});
            }
        }
        section.blocks.emplace_back(chart);
        section.blocks.emplace_back(sweepGrid(transport, points));
    }
    section.blocks.emplace_back(
        titled("Fit of t = t0 + bytes / bandwidth; half size: the block that reaches half of it",
               tableOf(report.at("sweep_fits"), 1, R"(
        transport: {transport} | in flight: {in_flight} | t0 us: {t0_us} |
        bandwidth GB/s: {gigabytes_per_second} | half size: {half_bytes:b} | r2: {r2:4})")));
    return section;
}

Section registerSection(const Json& report) {
    Section section{"Registering memory",
                    "medians, us; each time: register and deregister; ring: copy into it"};
    for (const auto& [memory, points] :
         groupsOf(report.at("registrations"), "{device}, {pages} pages, {load:l}")) {
        svg::Chart chart{.title = "Registering against copying, " + memory,
                         .caption =
                             "Registering and deregistering memory for each transfer, against copying the "
                             "same bytes into a ring that was registered once.",
                         .x = {"size", Scale::Log2, Unit::Bytes},
                         .y = {"time", Scale::Log10, Unit::Microseconds}};
        addLines(chart, points, "register each time", "bytes", "register_us + deregister_us");
        addLines(chart, points, "copy into the ring", "bytes", "copy_us");
        chart.series.back().colour = svg::plainColour(1);
        for (const Json& crossover : report.at("register_crossovers")) {
            if (filled("{device}, {pages} pages, {load:l}", crossover) == memory) {
                const double bytes = numberOf(crossover, "bytes");
                const std::vector<svg::Point>& ends = chart.series.front().points;
                chart.series.push_back({.name = filled("registering pays from {bytes:b}", crossover),
                                        .colour = svg::plainColour(2),
                                        .dashes = "2 3",
                                        .mark = Mark::None,
                                        .points = {{bytes, ends.front().y}, {bytes, ends.back().y}}});
            }
        }
        section.blocks.emplace_back(chart);
    }
    Json rows = report.at("registrations");
    for (Json& row : rows) {
        row["cheaper"] =
            numberOf(row, "register_us + deregister_us") < numberOf(row, "copy_us") ? "register" : "copy";
    }
    section.blocks.emplace_back(tableOf(rows, 3, R"(
        device: {device} | pages: {pages} | load: {load:l} | size: {bytes:b} | register: {register_us} |
        deregister: {deregister_us} | each time: {register_us + deregister_us} | ring: {copy_us} |
        cheaper: {cheaper})"));
    for (Json crossover : report.at("register_crossovers")) {
        crossover["memory"] = crossover.at("pages") == kGpuPages ? "memory" : "pages";
        section.blocks.emplace_back(
            filled("{device}, {pages} {memory}, {load:l}: [registering each time is cheaper from {bytes:b} "
                   "on|copying was cheaper at every size measured]; registering costs "
                   "{register_seconds_per_gib} s per GiB",
                   crossover));
    }
    return section;
}

Section callsSection(const Json& report) {
    svg::Chart rate{.title = "Calls answered",
                    .caption = "",
                    .x = {"calls in flight", Scale::Log2},
                    .y = {"calls per second", Scale::Log10}};
    svg::Chart tail{.title = "Round trips",
                    .caption = "The time within which 99 of 100 calls are answered.",
                    .x = rate.x,
                    .y = {"round trip p99", Scale::Log10, Unit::Microseconds}};
    addLines(rate, report.at("rpc"), "{transport}, {payload_bytes:b}", "callers", "calls_per_second");
    addLines(tail, report.at("rpc"), "{transport}, {payload_bytes:b}", "callers", "latency_us.p99");
    return {"Calls",
            "small messages there and back; p50 to max: round trip, us",
            {rate, tail, tableOf(report.at("rpc"), 1, R"(
        transport: {transport} | payload: {payload_bytes:b} | callers: {callers} |
        calls/s: {calls_per_second:c} | @latency_us)")}};
}

Section viewersSection(const Json& report) {
    return {"Viewers",
            "of those that keep up; fps: of the slowest; p50 to max: latency, us; CPU: of the sender, us a "
            "frame; times: of the row without slow ones",
            {tableOf(report.at("viewers"), 2, R"(
        over: {transport} | picture: {width}x{height} {pixel_format} | keep up: {viewers} |
        slow: {slow_viewers} | fps: {least_fps} | @latency_us | missed: {frames_missed} |
        #CPU: {sender_cpu_us_per_frame} | memory: {sender_memory_bytes:b})",
                     R"({slow_viewers} that {slow_take} took {slow_frames} frames;
        fps {ratios.fps:2}[, p99 {ratios.p99:2}], sender's CPU {ratios.sender_cpu:2}, its memory
        {ratios.sender_memory:2} times that without; viewers that left or were sent away: {departures})")}};
}

/// With the stages' shares of the sum of their p50.
Table stagesTable(const Json& run) {
    constexpr double kBar = 40;
    Json stages = run.at("stages");
    double sum = 0;
    for (Json& stage : stages) {
        stage["share"] = std::fmax(0, numberOf(stage, "time_us.p50"));
        sum += numberOf(stage, "share");
    }
    for (Json& stage : stages) {
        const double share = sum > 0 ? numberOf(stage, "share") / sum : 0;
        stage["share"] = share * 100;
        stage["bar"] = std::string(static_cast<std::size_t>(std::lround(share * kBar)), '#');
    }
    stages.push_back(
        {{"name", "whole frame"}, {"time_us", run.at("total_us")}, {"share", nullptr}, {"bar", ""}});
    return tableOf(stages, 1, R"(
        stage: {name} | @time_us | >frames: {time_us.count} | #share: [{share:0}%] | <: {bar})");
}

Section stagesSection(const Json& report) {
    Section section{"Stages", "us; share and bar: of the sum of the stages' p50"};
    for (Json run : report.at("stages")) {
        run["renderer"] = isEmptyText(run.at("renderer")) ? Json("nobody") : run.at("renderer");
        section.blocks.emplace_back(
            filled("{source} over {transport}, {width}x{height} {pixel_format}, drawn by {renderer}, "
                   "{load:l}: {fps} fps, {frames} frames, {frames_dropped} dropped",
                   run));
        section.blocks.emplace_back(stagesTable(run));
        Json cost = run.at("transfer_cost");
        if (!cost.is_null()) {
            cost["by"] = cost.at("judged_by") == "cpu_us" ? "of processor time" : "by the clock";
            for (const char* const where : {"alone", "pipeline"}) {
                cost[where] = cost.at("together").at(where).at(cost.at("judged_by").get<std::string>());
            }
            Json parts = cost.at("parts");
            parts.push_back(cost.at("together"));
            section.blocks.emplace_back(
                titled("CPU: processor time, mean, us; clock: median, us", tableOf(parts, 1, R"(
        transfer of a frame: {name} | CPU alone: {alone.cpu_us} | in pipeline: {pipeline.cpu_us} |
        ratio: {pipeline.cpu_us / alone.cpu_us:2} | clock alone: {alone.wall_us} |
        in pipeline: {pipeline.wall_us} | ratio: {pipeline.wall_us / alone.wall_us:2})")));
            section.blocks.emplace_back(filled(
                cost.at("holds").is_null() ? "is not judged: the pipeline is kept full, and by the clock its "
                                             "parts hold the wait in its queues (--fps 60 gives a verdict)"
                                           : "{holds}: read-back, hand-off and upload together cost "
                                             "{pipeline / 1e3} ms {by} a frame in the pipeline, {alone / "
                                             "1e3} ms measured alone; ratio {ratio:2}, at most {limit:2}",
                cost));
        }
        section.blocks.emplace_back(sentences(R"(
            in GPU memory: {device_memory.processor_copies_per_frame:2} copies of a frame by the processors,
            {device_memory.gpu_copies_per_frame:2} within the GPU, {device_memory.pcie_copies_per_frame:2}
            over PCIe; cuMemcpy to host [{device_memory.to_host.gigabytes_per_second} GB/s|not measured
            ({device_memory.to_host.unavailable})], to device
            [{device_memory.to_device.gigabytes_per_second} GB/s|not measured
            ({device_memory.to_device.unavailable})])",
                                              run));
        section.blocks.emplace_back(sentences(R"(
            [{input_to_picture.holds}: input is in the picture after {input_to_picture.time_us.p50 / 1e3} ms,
            {input_to_picture.frame_times.p50:2} frame times (p50, at most
            {input_to_picture.limit_frame_times.p50:g}), and {input_to_picture.time_us.p99 / 1e3} ms,
            {input_to_picture.frame_times.p99:2} frame times (p99, at most
            {input_to_picture.limit_frame_times.p99:g}), over {input_to_picture.time_us.count} events|input is
            in the picture after {input_to_picture.time_us.p50 / 1e3} ms (p50),
            {input_to_picture.time_us.p99 / 1e3} ms (p99)])",
                                              run));
    }
    return section;
}

Section decodingSection(const Json& report) {
    return {"Decoding",
            "of a file's pictures into the memory of the host or the device; CPU: us of all processors a "
            "picture; ratio: to ffmpeg",
            {tableOf(report.at("decoding"), 3, R"(
        decoder: {decoder} | into: {memory} | pictures: {width}x{height} {pixel_format} | #pictures/s: {fps} |
        CPU: {cpu_us_per_picture} | ffmpeg: {ffmpeg_fps} | ffmpeg CPU: {ffmpeg_cpu_us_per_picture} |
        ratio: {ratio_to_ffmpeg:2})",
                     "{ffmpeg_unavailable}; {note}")}};
}

Section avSection(const Json& report) {
    Json rows = report.at("av");
    for (Json& row : rows) {
        // Viewers that play nothing have no account.
        const Json sound = row.at("viewer_sound").is_null() ? Json::object() : row.at("viewer_sound");
        const Json playback = sound.value("playback", Json::object());
        const Json offset = playback.value("offset_us", Json::object());
        const Json after = row.at("sound_after_picture_ms");
        row["own"] = {{"p50", offset.value("p50", Json(nullptr))},
                      {"max", offset.value("max", Json(nullptr))},
                      {"held", playback.value("held_ms", Json(nullptr))},
                      {"underruns", playback.value("underruns", Json(nullptr))}};
        row["pictures"] = filled("[{width}x{height} {pixel_format}|as sent]", row);
        row["first_sound"] = after.empty() ? Json(nullptr) : Json(std::ranges::max(after));
        row["asked"] = row.at("asked_offset_ms") == 0 ? Json(nullptr) : row.at("asked_offset_ms");
        row["starts"] = row.at("starts_ms").size();
    }
    return {
        "Picture and sound",
        "when a pip was played minus when its flash was shown, in ms: positive where sound is late; p99 and "
        "max: distance from 0",
        {tableOf(rows, 2, R"(
        over: {transport} | pictures: {pictures} | fps: {offered_fps:g} |
        pairs: {offset_ms.count} | p50: {offset_ms.p50:2} | p99: {offset_ms.p99:2} | max: {offset_ms.max:2} |
        least: {offset_ms.least:2} | most: {offset_ms.most:2} | missed flashes: {missed_flashes} |
        missed pips: {missed_pips})",
                 R"(
        --av-offset {asked:g}; {starts} starts, whose medians are {starts_spread_ms:2} ms apart;
        within 5 ms after {settled_after} pairs; first sound {first_sound:0} ms after the first flash;
        the viewer's own account: p50 {own.p50 / 1000:2} ms, max {own.max / 1000:2} ms from 0[, pictures wait
        {own.held:1} ms][, {own.underruns} underruns];
        of PipeWire's account of {device} {monitor_delay_ms:2} ms are subtracted, the cycle by which a monitor is
        late; flashes are known to {flash_resolution_ms:2} ms[, on a display of {display_hz:g} Hz])")}};
}

}  // namespace

std::vector<Section> sectionsOf(const Json& report) {
    std::vector<Section> sections;
    const auto add = [&](std::initializer_list<const char*> keys, Section (*section)(const Json&)) {
        if (std::ranges::any_of(keys, [&](const char* key) { return !report.at(key).empty(); })) {
            sections.push_back(section(report));
        }
    };
    add({"rows"}, framesSection);
    add({"limits"}, limitsSection);
    add({"sweep", "sweep_fits"}, sweepSection);
    add({"registrations", "register_crossovers"}, registerSection);
    add({"rpc"}, callsSection);
    add({"viewers"}, viewersSection);
    add({"stages"}, stagesSection);
    add({"decoding"}, decodingSection);
    add({"av"}, avSection);
    return sections;
}

}  // namespace verbcast
