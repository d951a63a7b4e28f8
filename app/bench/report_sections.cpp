#include "app/bench/report_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "app/bench/report_text.h"
#include "app/bench/svg_chart.h"

namespace verbcast {
namespace {

using svg::escaped;
using svg::Scale;
using svg::Unit;
using Rows = std::vector<std::vector<std::string>>;

/// M. Okabe, K. Ito, "Color Universal Design": told apart by colour-blind people; the yellow left out, since
/// it does not show on white.
constexpr std::array kPalette{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07d00", "#56b4e9", "#555555"};
/// viridis without its light end, for what has an order.
constexpr std::array kOrdered{"#440154", "#453781", "#33638d", "#238a8d", "#1f9d84", "#3fbc73", "#8bc53f"};

std::string colour(std::size_t index) {
    return kPalette[index % kPalette.size()];
}

std::string ordered(std::size_t index, std::size_t count) {
    const std::size_t last = kOrdered.size() - 1;
    return kOrdered[count < 2 ? 1 : std::min(last, index * last / (count - 1))];
}

std::string transportColour(const std::string& transport) {
    return transport == "shm" ? colour(0) : transport == "tcp" ? colour(1) : colour(2);
}

std::string figure(const std::string& chart, const std::string& caption) {
    return chart.empty() ? ""
                         : fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", chart, escaped(caption));
}

std::string opening(const std::string& title, const std::string& text) {
    return fmt::format("<section>\n<h2>{}</h2>\n<p>{}</p>\n", escaped(title), escaped(text));
}

std::string integer(std::uint64_t value) {
    return std::to_string(value);
}

std::string throughputChart(const BenchReport& report, bool touched) {
    svg::BarChart chart{.description = "Throughput of each run beside its limit", .unit = "GB/s", .bars = {}};
    for (const FrameRow& row : report.rows) {
        if ((row.verify == Verify::Full) != touched) {
            continue;
        }
        svg::Bar bar{.label = rowName(row),
                     .detail = rowConditions(row),
                     .colour = transportColour(row.transport),
                     .value = row.gigabytesPerSecond,
                     .valueText = fmt::format("{} GB/s, {} fps", figureText(row.gigabytesPerSecond),
                                              figureText(row.fps)),
                     .hatched = !touched};
        if (!touched) {
            bar.valueText += ", pixels not touched";
        }
        if (const auto ratio = ratioToLimit(row)) {
            bar.reference = row.limit->gigabytesPerSecond;
            bar.referenceText = fmt::format("{} {} (ratio {})", row.limit->name,
                                            figureText(row.limit->gigabytesPerSecond), figureText(*ratio));
        } else if (row.limit && !row.limit->unavailable.empty()) {
            bar.referenceText = row.limit->name + ": not measured";
        }
        chart.bars.push_back(bar);
    }
    return draw(chart);
}

std::string rateTable(const BenchReport& report) {
    Rows rows;
    for (const FrameRow& row : report.rows) {
        const auto ratio = ratioToLimit(row);
        rows.push_back({row.transport, fmt::format("{}x{}", row.width, row.height), row.pixelFormat,
                        verifiedText(row.verify), rowConditions(row), figureText(row.fps),
                        figureText(row.gigabytesPerSecond), figureText(row.gigabytesPerSecond * 8),
                        row.limit ? row.limit->name : "-", ratio ? figureText(*ratio) : "-", integer(row.frames),
                        integer(row.framesDropped), integer(row.framesCorrupt)});
    }
    return htmlTable({"transport", "size", "format", "verified", "run", "fps", "GB/s", "Gb/s", "limit", "ratio",
                      "frames", "dropped", "corrupt"},
                     rows, 5);
}

/// GB/s of the lowest and the highest repetition.
std::string repeatsTable(const BenchReport& report) {
    Rows rows;
    for (const FrameRow& row : report.rows) {
        if (row.repeats.size() < 2) {
            continue;
        }
        const auto range = [&](double RunSample::*field) {
            const auto [least, most] = std::minmax_element(
                row.repeats.begin(), row.repeats.end(),
                [&](const RunSample& a, const RunSample& b) { return a.*field < b.*field; });
            return figureText((*least).*field) + " to " + figureText((*most).*field);
        };
        rows.push_back({rowName(row), rowConditions(row), integer(row.repeats.size()),
                        range(&RunSample::gigabytesPerSecond), range(&RunSample::latencyP50),
                        range(&RunSample::latencyP99), range(&RunSample::cpuMicrosecondsPerFrame)});
    }
    return rows.empty() ? ""
                        : "<h3>Spread of the repeated runs</h3>\n" +
                              htmlTable({"row", "run", "runs", "GB/s", "latency p50 \u00b5s", "latency p99 \u00b5s",
                                         "CPU \u00b5s/frame, both sides"},
                                        rows, 2);
}

}  // namespace

std::string htmlTable(const std::vector<std::string>& heads, const Rows& rows, std::size_t words) {
    const auto cells = [&](const std::vector<std::string>& texts, const char* tag) {
        std::string text = "<tr>";
        for (std::size_t i = 0; i < texts.size(); ++i) {
            text += fmt::format("<{0}{1}>{2}</{0}>", tag, i < words ? " class=\"word\"" : "", escaped(texts[i]));
        }
        return text + "</tr>\n";
    };
    std::string text = "<div class=\"table\"><table>\n<thead>" + cells(heads, "th") + "</thead>\n<tbody>\n";
    for (const auto& row : rows) {
        text += cells(row, "td");
    }
    return text + "</tbody></table></div>\n";
}

std::string framesHtml(const BenchReport& report) {
    if (report.rows.empty()) {
        return "";
    }
    return opening("Throughput",
                   "Whole frames from a sender's process to a receiver's. The thin bar below each is what something "
                   "simpler reached in the same run.") +
           figure(throughputChart(report, true), "Every byte written anew by the sender and checked by the receiver.") +
           figure(throughputChart(report, false),
                  "Hand-off only: nobody wrote or read the pixels, so these are no memory or network speeds. They "
                  "have an axis of their own.") +
           rateTable(report) + repeatsTable(report) + "</section>\n";
}

std::string latencyHtml(const BenchReport& report) {
    if (report.rows.empty()) {
        return "";
    }
    svg::LineChart chart{.description = "Share of the frames that had arrived after a time",
                         .x = {"latency, submit to receive", Scale::Log10, Unit::Microseconds},
                         .y = {"share of frames", Scale::Nines, Unit::Number},
                         .series = {}};
    Rows rows;
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        const FrameRow& row = report.rows[i];
        const Percentiles& p = row.latency;
        svg::Series series{.name = rowName(row), .colour = colour(i), .dots = false, .points = {}};
        series.dashed = row.verify != Verify::Full;
        for (const DistributionPoint& point : row.distribution) {
            series.points.push_back({point.microseconds, point.fraction});
        }
        chart.series.push_back(series);
        rows.push_back({rowName(row), verifiedText(row.verify), rowConditions(row), figureText(p.p50),
                        figureText(p.p99), figureText(p.p999), figureText(p.max), integer(p.count),
                        figureText(row.jitterUs)});
    }
    return opening("Latency",
                   "From the sender's submit to the receiver's receive. In a run as fast as possible it holds the "
                   "wait in queues; at an offered rate it does not hide it.") +
           figure(draw(chart),
                  "Cumulative; the vertical axis is spread by nines so that the tail shows. Dashed: pixels not touched.") +
           htmlTable({"row", "verified", "run", "p50 \u00b5s", "p99 \u00b5s", "p99.9 \u00b5s", "max \u00b5s",
                      "frames", "jitter \u00b5s"},
                     rows, 3) +
           "</section>\n";
}

namespace {

std::vector<std::string> costRow(const FrameRow& row) {
    const auto perFrame = [&](double seconds) {
        return figureText(row.frames == 0 ? NAN : seconds * 1e6 / static_cast<double>(row.frames));
    };
    const auto calls = [](const CpuUse& use) { return use.systemCalls ? integer(*use.systemCalls) : "-"; };
    return {rowName(row),
            verifiedText(row.verify),
            rowConditions(row),
            perFrame(row.sender.userSeconds),
            perFrame(row.sender.systemSeconds),
            perFrame(row.receiver.userSeconds),
            perFrame(row.receiver.systemSeconds),
            figureText(cpuSecondsPerGigabyte(row.sender, row) + cpuSecondsPerGigabyte(row.receiver, row)),
            integer(row.sender.voluntarySwitches + row.receiver.voluntarySwitches),
            integer(row.sender.involuntarySwitches + row.receiver.involuntarySwitches),
            calls(row.sender) + " + " + calls(row.receiver),
            fmt::format("{:.2f}", row.pixelCopiesPerFrame)};
}

}  // namespace

std::string costHtml(const BenchReport& report) {
    if (report.rows.empty()) {
        return "";
    }
    Rows rows;
    svg::BarChart chart{.description = "Processor time of a frame", .unit = "\u00b5s of processor per frame", .bars = {}};
    for (const FrameRow& row : report.rows) {
        rows.push_back(costRow(row));
        const double sender = cpuMicrosecondsPerFrame(row.sender, row);
        const double receiver = cpuMicrosecondsPerFrame(row.receiver, row);
        chart.bars.push_back(
            {.label = rowName(row),
             .detail = rowConditions(row),
             .colour = transportColour(row.transport),
             .value = sender + receiver,
             .valueText = fmt::format("{} = {} send + {} recv", figureText(sender + receiver), figureText(sender),
                                      figureText(receiver)),
             .hatched = row.verify != Verify::Full});
    }
    return opening("What a frame costs",
                   "Processor time of both processes, writing and checking pixels included where they were verified.") +
           figure(draw(chart), "Hatched: pixels not touched.") +
           htmlTable({"row", "verified", "run", "send user \u00b5s", "send system \u00b5s", "recv user \u00b5s",
                      "recv system \u00b5s", "CPU s/GB", "switches voluntary", "involuntary",
                      "read/write calls", "copies of pixels"},
                     rows, 3) +
           "</section>\n";
}

std::string limitsHtml(const BenchReport& report) {
    if (report.limits.empty()) {
        return "";
    }
    svg::BarChart chart{.description = "What simpler programs reach", .unit = "GB/s", .bars = {}};
    Rows rows;
    for (const Limit& limit : report.limits) {
        const bool measured = limit.unavailable.empty();
        const std::string speed = measured ? figureText(limit.gigabytesPerSecond) : "-";
        rows.push_back({limit.name, measured ? limit.note : "not measured: " + limit.unavailable, speed});
        if (measured) {
            chart.bars.push_back({.label = limit.name,
                                  .detail = "",
                                  .colour = kPalette.back(),
                                  .value = limit.gigabytesPerSecond,
                                  .valueText = speed + " GB/s"});
        }
    }
    return opening("Limits", "What something simpler than Verbcast reached on this machine in the same run.") +
           figure(draw(chart), "") + htmlTable({"limit", "", "GB/s"}, rows, 2) + "</section>\n";
}

namespace {

std::string sweepChart(const BenchReport& report, const std::string& transport) {
    std::map<std::uint32_t, svg::Series> byDepth;
    for (const SweepPoint& point : report.sweep) {
        if (point.transport == transport) {
            byDepth[point.inFlight].points.push_back(
                {static_cast<double>(point.blockBytes), point.gigabytesPerSecond});
        }
    }
    for (const SweepFit& fit : report.fits) {
        const auto depth = byDepth.find(fit.inFlight);
        if (fit.transport == transport && depth != byDepth.end()) {
            depth->second.mark = svg::Point{static_cast<double>(fit.halfBytes), fit.gigabytesPerSecond / 2};
        }
    }
    svg::LineChart chart{.description = "Throughput over the block's size, " + transport,
                         .x = {"block", Scale::Log2, Unit::Bytes},
                         .y = {"GB/s", Scale::Linear, Unit::Number},
                         .series = {}};
    std::size_t index = 0;
    for (auto& [depth, series] : byDepth) {
        series.name = fmt::format("{} in flight", depth);
        series.colour = ordered(index++, byDepth.size());
        std::sort(series.points.begin(), series.points.end(),
                  [](const svg::Point& a, const svg::Point& b) { return a.x < b.x; });
        chart.series.push_back(series);
    }
    return draw(chart);
}

std::string sweepTable(const BenchReport& report, const std::string& transport) {
    std::map<std::uint64_t, std::map<std::uint32_t, const SweepPoint*>> grid;
    std::map<std::uint32_t, bool> depths;
    for (const SweepPoint& point : report.sweep) {
        if (point.transport == transport) {
            grid[point.blockBytes][point.inFlight] = &point;
            depths[point.inFlight] = true;
        }
    }
    std::vector<std::string> heads{"block"};
    for (const auto& [depth, unused] : depths) {
        heads.push_back(fmt::format("{} in flight", depth));
    }
    Rows rows;
    for (const auto& [block, cells] : grid) {
        rows.push_back({bytesText(block)});
        for (const auto& [depth, unused] : depths) {
            const auto cell = cells.find(depth);
            rows.back().push_back(cell == cells.end()
                                      ? "-"
                                      : fmt::format("{} / {}", figureText(cell->second->gigabytesPerSecond),
                                                    countText(cell->second->latency.p50)));
        }
    }
    return htmlTable(heads, rows, 1);
}

std::string fitsTable(const BenchReport& report) {
    Rows rows;
    for (const SweepFit& fit : report.fits) {
        rows.push_back({fit.transport, integer(fit.inFlight), figureText(fit.t0Us),
                        figureText(fit.gigabytesPerSecond), bytesText(fit.halfBytes), fmt::format("{:.4f}", fit.r2)});
    }
    return rows.empty() ? ""
                        : "<h3>Fit of t = t0 + bytes / bandwidth</h3>\n" +
                              htmlTable({"transport", "in flight", "t0 \u00b5s", "bandwidth GB/s", "half size", "r\u00b2"},
                                        rows, 1);
}

}  // namespace

std::string sweepHtml(const BenchReport& report) {
    if (report.sweep.empty()) {
        return "";
    }
    std::string text = opening("Block size and depth",
                               "Throughput of blocks, by their size and by how many are in flight at once. A diamond "
                               "is the fitted size that reaches half of that depth's bandwidth.");
    for (const auto& transport : distinct(report.sweep, [](const SweepPoint& p) { return p.transport; })) {
        text += "<h3>" + escaped(transport) + "</h3>\n" + figure(sweepChart(report, transport), "") +
                "<p class=\"small\">GB/s / latency p50 in \u00b5s, from handing over to the acknowledgement</p>\n" +
                sweepTable(report, transport);
    }
    return text + fitsTable(report) + "</section>\n";
}

namespace {

std::string registerChart(const BenchReport& report, const std::string& device, const std::string& pages) {
    svg::LineChart chart{.description = "Registering against copying, " + device + ", " + pages + " pages",
                         .x = {"size", Scale::Log2, Unit::Bytes},
                         .y = {"time", Scale::Log10, Unit::Microseconds},
                         .series = {}};
    std::map<std::uint32_t, std::pair<svg::Series, svg::Series>> byLoad;
    for (const RegisterPoint& point : report.registrations) {
        if (point.device == device && point.pages == pages) {
            const double bytes = static_cast<double>(point.bytes);
            byLoad[point.load].first.points.push_back({bytes, point.registerUs + point.deregisterUs});
            byLoad[point.load].second.points.push_back({bytes, point.copyUs});
        }
    }
    for (auto& [load, pair] : byLoad) {
        pair.first.name = "register each time, " + loadText(load);
        pair.second.name = "copy into the ring, " + loadText(load);
        pair.first.colour = colour(0);
        pair.second.colour = colour(1);
        pair.first.dashed = pair.second.dashed = load != 0;
        chart.series.push_back(pair.first);
        chart.series.push_back(pair.second);
    }
    for (const RegisterCrossover& crossover : report.crossovers) {
        if (crossover.device == device && crossover.pages == pages && crossover.bytes != 0) {
            chart.verticals.push_back({static_cast<double>(crossover.bytes),
                                       fmt::format("registering pays from {}, {}", bytesText(crossover.bytes),
                                                   loadText(crossover.load)),
                                       "#555"});
        }
    }
    return draw(chart);
}

}  // namespace

std::string registerHtml(const BenchReport& report) {
    if (report.registrations.empty()) {
        return "";
    }
    std::string text = opening("Registering memory",
                               "Registering and deregistering memory for each transfer, against copying the same "
                               "bytes into a ring that was registered once. Medians.");
    for (const auto& [device, pages] :
         distinct(report.registrations, [](const RegisterPoint& p) { return std::pair(p.device, p.pages); })) {
        text += fmt::format("<h3>{}, {} pages</h3>\n", escaped(device), escaped(pages)) +
                figure(registerChart(report, device, pages), "");
    }
    Rows crossovers, rows;
    for (const RegisterCrossover& crossover : report.crossovers) {
        crossovers.push_back({crossover.device, crossover.pages, loadText(crossover.load),
                              crossover.bytes == 0 ? "never seen" : bytesText(crossover.bytes),
                              figureText(crossover.registerSecondsPerGib)});
    }
    for (const RegisterPoint& point : report.registrations) {
        rows.push_back({point.device, point.pages, loadText(point.load), bytesText(point.bytes),
                        figureText(point.registerUs), figureText(point.deregisterUs), figureText(point.copyUs)});
    }
    text += htmlTable({"device", "pages", "load", "registering pays from", "registering, s per GiB"}, crossovers, 3);
    return text +
           htmlTable({"device", "pages", "load", "size", "register \u00b5s", "deregister \u00b5s", "copy \u00b5s"}, rows,
                     3) +
           "</section>\n";
}

std::string rpcHtml(const BenchReport& report) {
    if (report.rpc.empty()) {
        return "";
    }
    svg::LineChart rate{.description = "Calls per second over the calls in flight",
                        .x = {"calls in flight", Scale::Log2, Unit::Number},
                        .y = {"calls per second", Scale::Log10, Unit::Number},
                        .series = {}};
    svg::LineChart tail = rate;
    tail.description = "Round trip over the calls in flight";
    tail.y = {"round trip p99", Scale::Log10, Unit::Microseconds};
    const auto groups =
        distinct(report.rpc, [](const RpcPoint& p) { return std::pair(p.transport, p.payloadBytes); });
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto& [transport, payload] = groups[i];
        svg::Series calls{.name = transport + ", " + bytesText(payload), .colour = colour(i), .points = {}};
        svg::Series p99 = calls;
        for (const RpcPoint& point : report.rpc) {
            if (point.transport == transport && point.payloadBytes == payload) {
                calls.points.push_back({static_cast<double>(point.callers), point.callsPerSecond});
                p99.points.push_back({static_cast<double>(point.callers), point.latency.p99});
            }
        }
        rate.series.push_back(calls);
        tail.series.push_back(p99);
    }
    Rows rows;
    for (const RpcPoint& point : report.rpc) {
        const Percentiles& p = point.latency;
        rows.push_back({point.transport, bytesText(point.payloadBytes), integer(point.callers),
                        countText(point.callsPerSecond), figureText(p.p50), figureText(p.p99), figureText(p.p999),
                        figureText(p.max)});
    }
    return opening("Calls", "Small messages there and back, with some number of them in flight.") +
           figure(draw(rate), "How many calls are answered in a second.") +
           figure(draw(tail), "How long 99 of 100 calls take at most.") +
           htmlTable({"transport", "payload", "in flight", "calls/s", "p50 \u00b5s", "p99 \u00b5s", "p99.9 \u00b5s",
                      "max \u00b5s"},
                     rows, 1) +
           "</section>\n";
}

namespace {

std::string stagesChart(const StageRun& run) {
    svg::BandChart chart{.description = "Where a frame's time goes",
                         .axisLabel = "time since the frame began; bars: p50, whiskers: p99",
                         .bands = {},
                         .total = run.total.p50,
                         .totalWhisker = run.total.p99,
                         .totalText = fmt::format("p50 {} \u00b5s, p99 {} \u00b5s", figureText(run.total.p50),
                                                  figureText(run.total.p99))};
    for (std::size_t i = 0; i < run.stages.size(); ++i) {
        const auto& stage = run.stages[i];
        chart.bands.push_back({.name = stage.name,
                               .colour = colour(i),
                               .value = std::max(0.0, stage.time.p50),
                               .whisker = std::max(0.0, stage.time.p99),
                               .text = fmt::format("{} / {} \u00b5s", figureText(stage.time.p50),
                                                   figureText(stage.time.p99))});
    }
    return draw(chart);
}

}  // namespace

std::string stagesHtml(const BenchReport& report) {
    if (report.stages.empty()) {
        return "";
    }
    std::string text = opening("Where a frame's time goes",
                               "The pipeline stage by stage. Each stage's bar begins where the median of those before "
                               "it ends; medians of parts need not add up to the median of the whole.");
    for (const StageRun& run : report.stages) {
        text += fmt::format("<h3>{}</h3>\n<p class=\"small\">{}</p>\n",
                            escaped(fmt::format("{} over {}, {}x{} {}", run.source, run.transport, run.width,
                                                run.height, run.pixelFormat)),
                            escaped(fmt::format("drawn by {}, {}: {} fps, {} frames, {} dropped",
                                                run.renderer.empty() ? "nobody" : run.renderer, loadText(run.load),
                                                figureText(run.fps), run.frames, run.framesDropped)));
        text += figure(stagesChart(run), "");
        Rows rows;
        const auto add = [&rows](const std::string& name, const Percentiles& p) {
            rows.push_back({name, figureText(p.p50), figureText(p.p99), figureText(p.p999), figureText(p.max),
                            integer(p.count)});
        };
        for (const auto& stage : run.stages) {
            add(stage.name, stage.time);
        }
        add("whole frame", run.total);
        text += htmlTable({"stage", "p50 \u00b5s", "p99 \u00b5s", "p99.9 \u00b5s", "max \u00b5s", "frames"}, rows, 1);
    }
    return text + "</section>\n";
}

}  // namespace verbcast
