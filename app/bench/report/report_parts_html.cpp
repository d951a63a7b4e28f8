// Sections of the HTML report about everything except whole frames.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/bench/report/html_parts.h"
#include "app/bench/report/report_sections.h"
#include "app/bench/report/report_text.h"
#include "app/bench/report/svg_chart.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

using svg::escaped;
using svg::Scale;
using svg::Unit;

}  // namespace

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
    svg::LineChart chart{.description = "Throughput by block size, " + transport,
                         .x = {"block", Scale::Log2, Unit::Bytes},
                         .y = {"GB/s", Scale::Linear, Unit::Number},
                         .series = {}};
    std::size_t index = 0;
    for (auto& [depth, series] : byDepth) {
        series.name = fmt::format("{} in flight", depth);
        series.colour = orderedColour(index++, byDepth.size());
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
    HtmlRows rows;
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
    HtmlRows rows;
    for (const SweepFit& fit : report.fits) {
        rows.push_back({fit.transport, std::to_string(fit.inFlight), figureText(fit.t0Us),
                        figureText(fit.gigabytesPerSecond), bytesText(fit.halfBytes), fixedText(fit.r2, 4)});
    }
    return rows.empty() ? ""
                        : "<h3>Fit of t = t0 + bytes / bandwidth</h3>\n" +
                              htmlTable({"transport", "in flight", "t0 \u00b5s", "bandwidth GB/s",
                                         "half size", "r\u00b2"},
                                        rows, 1);
}

}  // namespace

std::string sweepHtml(const BenchReport& report) {
    if (report.sweep.empty()) {
        return "";
    }
    std::string text =
        htmlSection("Block size and depth",
                    "Throughput of blocks, by their size and by how many are in flight at once. A diamond "
                    "is the fitted size that reaches half of that depth's bandwidth.");
    for (const auto& transport : distinct(report.sweep, [](const SweepPoint& p) { return p.transport; })) {
        text += "<h3>" + escaped(transport) + "</h3>\n" + htmlFigure(sweepChart(report, transport), "") +
                "<p class=\"small\">GB/s / latency p50 in \u00b5s, from handing over to the "
                "acknowledgement</p>\n" +
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
        pair.first.colour = plainColour(0);
        pair.second.colour = plainColour(1);
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
    std::string text =
        htmlSection("Registering memory",
                    "Registering and deregistering memory for each transfer, against copying the same "
                    "bytes into a ring that was registered once. Medians.");
    for (const auto& [device, pages] : distinct(
             report.registrations, [](const RegisterPoint& p) { return std::pair(p.device, p.pages); })) {
        text += fmt::format("<h3>{}, {} pages</h3>\n", escaped(device), escaped(pages)) +
                htmlFigure(registerChart(report, device, pages), "");
    }
    HtmlRows crossovers, rows;
    for (const RegisterCrossover& crossover : report.crossovers) {
        crossovers.push_back({crossover.device, crossover.pages, loadText(crossover.load),
                              crossover.bytes == 0 ? "never seen" : bytesText(crossover.bytes),
                              figureText(crossover.registerSecondsPerGib)});
    }
    for (const RegisterPoint& point : report.registrations) {
        rows.push_back({point.device, point.pages, loadText(point.load), bytesText(point.bytes),
                        figureText(point.registerUs), figureText(point.deregisterUs),
                        figureText(point.copyUs)});
    }
    text += htmlTable({"device", "pages", "load", "registering pays from", "registering, s per GiB"},
                      crossovers, 3);
    return text +
           htmlTable(
               {"device", "pages", "load", "size", "register \u00b5s", "deregister \u00b5s", "copy \u00b5s"},
               rows, 3) +
           "</section>\n";
}

std::string rpcHtml(const BenchReport& report) {
    if (report.rpc.empty()) {
        return "";
    }
    svg::LineChart rate{.description = "Calls per second by calls in flight",
                        .x = {"calls in flight", Scale::Log2, Unit::Number},
                        .y = {"calls per second", Scale::Log10, Unit::Number},
                        .series = {}};
    svg::LineChart tail = rate;
    tail.description = "Round trip by calls in flight";
    tail.y = {"round trip p99", Scale::Log10, Unit::Microseconds};
    const auto groups =
        distinct(report.rpc, [](const RpcPoint& p) { return std::pair(p.transport, p.payloadBytes); });
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto& [transport, payload] = groups[i];
        svg::Series calls{
            .name = transport + ", " + bytesText(payload), .colour = plainColour(i), .points = {}};
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
    HtmlRows rows;
    for (const RpcPoint& point : report.rpc) {
        const Percentiles& p = point.latency;
        rows.push_back({point.transport, bytesText(point.payloadBytes), std::to_string(point.callers),
                        countText(point.callsPerSecond), figureText(p.p50), figureText(p.p99), p999Text(p),
                        figureText(p.max)});
    }
    return htmlSection("Calls", "Small messages there and back, with a varying number in flight.") +
           htmlFigure(draw(rate), "Calls answered per second.") +
           htmlFigure(draw(tail), "The time within which 99 of 100 calls are answered.") +
           htmlTable({"transport", "payload", "in flight", "calls/s", "p50 \u00b5s", "p99 \u00b5s",
                      "p99.9 \u00b5s", "max \u00b5s"},
                     rows, 1) +
           "</section>\n";
}

std::string decodingHtml(const BenchReport& report) {
    if (report.decoding.empty()) {
        return "";
    }
    HtmlRows rows;
    for (const DecodeRow& row : report.decoding) {
        const auto [fps, cpu, ffmpegFps, ffmpegCpu, ratio] = decodeFigures(row);
        rows.push_back({row.decoder, decodedInto(row),
                        fmt::format("{}x{} {}", row.width, row.height, row.pixelFormat), fps, cpu, ffmpegFps,
                        ffmpegCpu, ratio});
    }
    return htmlSection("Decoding",
                       "A file's pictures by each decoder alone, and the same pictures by ffmpeg.") +
           htmlTable({"decoder", "into", "pictures", "pictures/s", "CPU \u00b5s", "ffmpeg pictures/s",
                      "ffmpeg CPU \u00b5s", "ratio"},
                     rows, 3) +
           "</section>\n";
}

std::string viewersHtml(const BenchReport& report) {
    if (report.viewers.empty()) {
        return "";
    }
    HtmlRows rows;
    for (const ViewersRow& row : report.viewers) {
        const auto ratio = [&row](double value) { return row.slowViewers == 0 ? "-" : fixedText(value, 2); };
        rows.push_back({row.transport, fmt::format("{}x{} {}", row.width, row.height, row.pixelFormat),
                        row.slowViewers == 0 ? "-" : slowText(row), std::to_string(row.viewers),
                        figureText(row.fps), figureText(row.latency.p50), figureText(row.latency.p99),
                        std::to_string(row.framesMissed), figureText(cpuMicrosecondsPerFrame(row)),
                        bytesText(row.senderMemoryBytes), ratio(row.fpsRatio), ratio(row.p99Ratio)});
    }
    return htmlSection("Viewers",
                       "One stream to many viewers: those that keep up, beside slow ones. The rate is that "
                       "of the viewer that received the fewest frames; ratios are relative to the row "
                       "without slow viewers.") +
           htmlTable({"transport", "picture", "slow", "keep up", "fps", "p50 \u00b5s", "p99 \u00b5s",
                      "missed", "CPU/frame \u00b5s", "memory", "fps ratio", "p99 ratio"},
                     rows, 3) +
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
        chart.bands.push_back(
            {.name = stage.name,
             .colour = plainColour(i),
             .value = std::max(0.0, stage.time.p50),
             .whisker = std::max(0.0, stage.time.p99),
             .text = fmt::format("{} / {} \u00b5s", figureText(stage.time.p50), figureText(stage.time.p99))});
    }
    return draw(chart);
}

std::string transferHtml(const TransferCost& cost) {
    HtmlRows rows;
    const auto add = [&rows](const TransferCost::Part& part) {
        rows.push_back({part.name, figureText(part.alone.cpuUs), figureText(part.pipeline.cpuUs),
                        fixedText(part.pipeline.cpuUs / part.alone.cpuUs, 2), figureText(part.alone.wallUs),
                        figureText(part.pipeline.wallUs),
                        fixedText(part.pipeline.wallUs / part.alone.wallUs, 2)});
    };
    for (const TransferCost::Part& part : cost.parts) {
        add(part);
    }
    add(cost.together());
    return htmlTable({"transfer of a frame", "CPU alone \u00b5s", "CPU pipeline \u00b5s", "ratio",
                      "clock alone \u00b5s", "clock pipeline \u00b5s", "ratio"},
                     rows, 1) +
           fmt::format("<p>{}</p>\n", escaped("Transfer " + transferVerdict(cost) + "."));
}

}  // namespace

std::string stagesHtml(const BenchReport& report) {
    if (report.stages.empty()) {
        return "";
    }
    std::string text =
        htmlSection("Where a frame's time goes",
                    "The pipeline stage by stage. Each stage's bar begins where the median of those before "
                    "it ends; medians of parts need not add up to the median of the whole.");
    for (const StageRun& run : report.stages) {
        text += fmt::format(
            "<h3>{}</h3>\n<p class=\"small\">{}</p>\n",
            escaped(fmt::format("{} over {}, {}x{} {}", run.source, run.transport, run.width, run.height,
                                run.pixelFormat)),
            escaped(fmt::format("drawn by {}, {}: {} fps, {}, {} dropped",
                                run.renderer.empty() ? "nobody" : run.renderer, loadText(run.load),
                                figureText(run.fps), counted(run.frames, "frame"), run.framesDropped)));
        text += htmlFigure(stagesChart(run), "");
        HtmlRows rows;
        const auto add = [&rows](const std::string& name, const Percentiles& p) {
            rows.push_back({name, figureText(p.p50), figureText(p.p99), p999Text(p), figureText(p.max),
                            std::to_string(p.count)});
        };
        for (const auto& stage : run.stages) {
            add(stage.name, stage.time);
        }
        add("whole frame", run.total);
        text += htmlTable({"stage", "p50 \u00b5s", "p99 \u00b5s", "p99.9 \u00b5s", "max \u00b5s", "frames"},
                          rows, 1);
        if (run.inputToPicture) {
            text += fmt::format("<p>{}</p>\n", escaped("Input to picture: " + inputVerdict(run) + "."));
        }
        text += run.transfer ? transferHtml(*run.transfer) : "";
    }
    return text + "</section>\n";
}

}  // namespace verbcast
