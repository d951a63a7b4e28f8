// The report as one HTML page: style and charts are inline, with no external references.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/bench/report/report_output.h"
#include "app/bench/report/report_sections.h"
#include "app/bench/report/report_text.h"
#include "app/bench/report/svg_chart.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

using svg::escaped;

constexpr const char* kStyle = R"(
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 48px 32px 64px; max-width: 1060px; background: #fff; color: #1b1f24;
  font: 15px/1.55 "Inter", "Segoe UI", "Helvetica Neue", "Liberation Sans", Arial, sans-serif; }
header { border-bottom: 2px solid #1b1f24; padding-bottom: 18px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 21px; margin: 48px 0 6px; letter-spacing: -0.005em; }
h3 { font-size: 15px; margin: 26px 0 4px; }
p { margin: 0 0 14px; max-width: 86ch; color: #3c4651; }
.small { font-size: 13px; margin-bottom: 6px; }
.when { color: #59636e; margin: 0; }
pre { background: #f3f5f7; border-left: 3px solid #0072b2; padding: 10px 14px; margin: 18px 0; font-size: 13px;
  font-family: "JetBrains Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre-wrap;
  overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 18px; margin: 0; font-size: 13.5px; }
dt { color: #59636e; } dd { margin: 0; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(180px, 1fr)); gap: 14px; margin: 28px 0 0; }
.card { border: 1px solid #d5dbe1; border-top: 3px solid #0072b2; padding: 12px 16px 14px; }
.card b { display: block; font-size: 27px; line-height: 1.25; font-weight: 650; letter-spacing: -0.015em; }
.card b small { font-size: 15px; font-weight: 500; color: #59636e; letter-spacing: 0; }
.card span { font-size: 13px; line-height: 1.4; color: #3c4651; display: block; }
.notice { background: #fff4e5; border-left: 3px solid #d55e00; padding: 10px 14px; margin: 20px 0 0; }
.notice p { margin: 0; color: #1b1f24; max-width: none; }
figure { margin: 12px 0 16px; } figcaption { font-size: 13px; color: #59636e; margin-top: 2px; }
figcaption:empty { display: none; }
figure svg { display: block; width: 100%; height: auto; }
.table { overflow-x: auto; margin: 12px 0 4px; }
table { border-collapse: collapse; font-size: 12.5px; line-height: 1.35; font-variant-numeric: tabular-nums;
  width: 100%; }
th { font-weight: 600; color: #59636e; border-bottom: 1.5px solid #1b1f24; vertical-align: bottom; }
th, td { padding: 5px 8px; text-align: right; } td { border-bottom: 1px solid #e5e9ed; }
th.word, td.word { text-align: left; }
th:first-child, td:first-child { padding-left: 0; white-space: nowrap; } th:last-child, td:last-child { padding-right: 0; }
footer { margin-top: 48px; border-top: 1px solid #d5dbe1; padding-top: 8px; }
footer ul { padding-left: 20px; color: #3c4651; } footer li { margin-bottom: 6px; max-width: 78ch; }
svg text { font-size: 12.5px; fill: #1b1f24; font-variant-numeric: tabular-nums; }
svg .tick { fill: #59636e; font-size: 12px; } svg .label { fill: #3c4651; }
svg .value { font-weight: 600; } svg .bar-label { font-weight: 600; }
svg .end { text-anchor: end; } svg .middle { text-anchor: middle; }
svg .halo { paint-order: stroke; stroke: #fff; stroke-width: 4px; stroke-linejoin: round; }
svg .grid { stroke: #e5e9ed; stroke-width: 1; } svg .axis { stroke: #1b1f24; stroke-width: 1.2; }
svg .line { fill: none; stroke-width: 2; stroke-linejoin: round; } svg .dot { stroke: #fff; stroke-width: 1; }
svg .mark { fill: #fff; stroke-width: 2; } svg .leader { stroke-width: 2; }
svg .vertical { stroke-width: 1.3; stroke-dasharray: 2 3; } svg .whisker { stroke-width: 1.4; }
svg .reference { fill: #aab4be; } svg .band { stroke: #fff; stroke-width: 1; }
@page { margin: 14mm; }
@media print { body { padding: 0; max-width: none; font-size: 10.5pt; } h2 { margin-top: 26px; }
  figure, tr, .card, h2, h3 { break-inside: avoid; } h2, h3 { break-after: avoid; } .table { overflow: visible; }
  table { font-size: 8pt; } th, td { padding: 3px 4px; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
)";

/// Drawn as white lines over a bar's colour, so that it also differs in greyscale print.
constexpr const char* kHatch =
    "<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs>"
    "<pattern id=\"hatch\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\">"
    "<rect width=\"4.5\" height=\"8\" fill=\"#fff\" fill-opacity=\"0.75\"/></pattern></defs></svg>\n";

std::string title(BenchMode mode) {
    switch (mode) {
        case BenchMode::Frames:
            return "Frames between two processes";
        case BenchMode::Limits:
            return "Limits of this machine";
        case BenchMode::Sweep:
            return "Block size, depth and throughput";
        case BenchMode::Register:
            return "The cost of registering memory";
        case BenchMode::Rpc:
            return "Small calls";
        case BenchMode::Stages:
            return "Where a frame's time goes";
        case BenchMode::Scale:
            return "More streams, larger pictures";
        case BenchMode::Viewers:
            return "One stream, many viewers";
        case BenchMode::Decode:
            return "Pictures a second, by decoder";
    }
    return "";
}

std::string card(const std::string& value, const std::string& unit, const std::string& text) {
    return fmt::format("<div class=\"card\"><b>{} <small>{}</small></b><span>{}</span></div>\n",
                       escaped(value), escaped(unit), escaped(text));
}

/// The item with the smallest key, or null.
template <typename Items, typename Key, typename Filter>
auto least(const Items& items, Key key, Filter filter) {
    const typename Items::value_type* best = nullptr;
    for (const auto& item : items) {
        if (filter(item) && (best == nullptr || key(item) < key(*best))) {
            best = &item;
        }
    }
    return best;
}

std::string rowCards(const BenchReport& report) {
    const auto full = [](const FrameRow& row) { return row.verify == Verify::Full; };
    const auto timed = [](const FrameRow& row) { return row.latency.count > 0 && row.tellsLatency(); };
    const auto measured = [](const FrameRow& row) { return row.frames > 0; };
    const auto cpu = [](const FrameRow& row) {
        return cpuMicrosecondsPerFrame(row.sender, row) + cpuMicrosecondsPerFrame(row.receiver, row);
    };
    std::string text;
    if (const FrameRow* row = least(
            report.rows, [](const FrameRow& r) { return -r.gigabytesPerSecond; }, full)) {
        const auto ratio = ratioToLimit(*row);
        text += card(figureText(row->gigabytesPerSecond), "GB/s",
                     rowName(*row) + ", every byte checked" +
                         (ratio ? fmt::format(", {} of {}", figureText(*ratio), row->limit->name) : ""));
    }
    if (const FrameRow* row = least(
            report.rows, [](const FrameRow& r) { return r.latency.p50; }, timed)) {
        text += card(figureText(row->latency.p50), "\u00b5s p50",
                     fmt::format("{}, p99 {} \u00b5s, {}", rowName(*row), figureText(row->latency.p99),
                                 row->verify == Verify::Full ? "every byte checked" : "pixels not touched"));
    }
    if (const FrameRow* row = least(report.rows, cpu, measured)) {
        text += card(figureText(cpu(*row)), "\u00b5s CPU",
                     fmt::format("a frame, both sides, {}, {}", rowName(*row),
                                 row->verify == Verify::Full ? "every byte checked" : "pixels not touched"));
    }
    if (!report.rows.empty()) {
        std::uint64_t frames = 0, dropped = 0, corrupt = 0;
        for (const FrameRow& row : report.rows) {
            frames += row.frames;
            dropped += row.framesDropped;
            corrupt += row.framesCorrupt;
        }
        text +=
            card(std::to_string(dropped + corrupt), "lost",
                 fmt::format("of {}: {} dropped, {} corrupt", counted(frames, "frame"), dropped, corrupt));
    }
    return text;
}

std::string otherCards(const BenchReport& report) {
    std::string text;
    for (const auto& transport : distinct(report.sweep, [](const SweepPoint& p) { return p.transport; })) {
        const auto fastest = [&](std::uint64_t smallest) {
            return least(
                report.sweep, [](const SweepPoint& p) { return -p.gigabytesPerSecond; },
                [&](const SweepPoint& p) { return p.transport == transport && p.blockBytes >= smallest; });
        };
        const auto* const beyond = fastest(kBeyondCaches);
        const auto* const best = beyond != nullptr ? beyond : fastest(0);
        text += card(figureText(best->gigabytesPerSecond), "GB/s",
                     fmt::format("{}, blocks of {}, {} in flight{}", transport, bytesText(best->blockBytes),
                                 best->inFlight, beyond != nullptr ? "" : ", perhaps in a cache"));
    }
    for (const RegisterCrossover& crossover : report.crossovers) {
        text += card(
            crossover.bytes == 0 ? "never" : bytesText(crossover.bytes), "",
            fmt::format("{}: {}, {} pages, {}",
                        crossover.bytes == 0 ? "registering each time cost more than copying at every size"
                                             : "from here registering each time is cheaper than copying",
                        crossover.device, crossover.pages, loadText(crossover.load)));
    }
    for (const auto& transport : distinct(report.rpc, [](const RpcPoint& p) { return p.transport; })) {
        const auto ours = [&](const RpcPoint& p) { return p.transport == transport; };
        const auto* most = least(
            report.rpc, [](const RpcPoint& p) { return -p.callsPerSecond; }, ours);
        const auto* fastest = least(
            report.rpc, [](const RpcPoint& p) { return p.latency.p50; }, ours);
        text += card(countText(most->callsPerSecond), "calls/s",
                     fmt::format("{}, {} in flight; shortest round trip p50 {} \u00b5s", transport,
                                 most->callers, figureText(fastest->latency.p50)));
    }
    for (const ViewersRow& row : report.viewers) {
        if (row.slowViewers > 0) {
            text += card(fixedText(row.p99Ratio, 2), "times the p99",
                         fmt::format("{}: {} viewers that keep up, beside {}; fps {} times that without",
                                     row.transport, row.viewers, slowText(row), fixedText(row.fpsRatio, 2)));
        }
    }
    for (const DecodeRow& row : report.decoding) {
        text += card(figureText(row.fps()), "pictures/s",
                     fmt::format("{} into {}; {} \u00b5s of processors each", row.decoder, decodedInto(row),
                                 figureText(row.processorUs())));
    }
    for (const StageRun& run : report.stages) {
        text += card(figureText(run.total.p50 / 1000), "ms p50",
                     fmt::format("a whole frame over {}, {}; p99 {} ms, {} fps", run.transport,
                                 loadText(run.load), figureText(run.total.p99 / 1000), figureText(run.fps)));
    }
    return text;
}

std::string machineHtml(const MachineInfo& machine) {
    const auto entry = [](const char* name, const std::string& value) {
        return value.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(value));
    };
    return "<dl>\n" +
           entry("Processor",
                 fmt::format("{}, {}", machine.processor, counted(machine.processors, "processor"))) +
           entry("Memory", bytesText(machine.memoryBytes)) + entry("Kernel", machine.kernel) +
           entry("Verbcast", fmt::format("{} ({})", machine.verbcast, machine.compiler)) +
           entry("FFmpeg", machine.ffmpeg) + entry("RDMA", machine.rdmaCore) + "</dl>\n";
}

std::string noticesHtml(const BenchReport& report) {
    std::string text;
    if (report.interrupted) {
        text += "<p>Interrupted: these are the figures until then.</p>\n";
    }
    for (const std::string& note : report.notes) {
        text += "<p>" + escaped(note) + "</p>\n";
    }
    return text.empty() ? "" : "<div class=\"notice\">\n" + text + "</div>\n";
}

/// Warns against misreading the results.
std::string caveatsHtml(const BenchReport& report) {
    std::vector<std::string> items{
        "Both ends ran on this one machine and shared its processors and memory. These figures do not "
        "predict those of a network, an adapter or a GPU between two machines."};
    const auto any = [&](auto condition) {
        return std::any_of(report.rows.begin(), report.rows.end(), condition);
    };
    if (any([](const FrameRow& row) { return row.verify != Verify::Full; })) {
        items.push_back(
            "Hatched bars and dashed lines: nothing wrote or read the pixels. They show the cost of handing "
            "over a frame; a GB/s figure derived from them is the amount handed over, not a speed of "
            "memory.");
    }
    if (any([](const FrameRow& row) { return row.offeredFps <= 0; })) {
        items.push_back(
            "At full speed the queues stay full, and latency is mostly time spent in them. For the latency "
            "of a paced stream, see a run at an offered rate.");
    }
    if (any([](const FrameRow& row) { return row.latency.count < 1000; })) {
        items.push_back("p99.9 needs at least 1000 frames.");
    }
    items.push_back(
        "Absolute speeds of a shared or virtual machine drift; ratios to limits measured in the same run "
        "hold better.");
    std::string text = "<footer>\n<h2>What these numbers do not mean</h2>\n<ul>\n";
    for (const std::string& item : items) {
        text += "<li>" + escaped(item) + "</li>\n";
    }
    return text + "</ul>\n</footer>\n";
}

}  // namespace

std::string reportHtml(const BenchReport& report) {
    const std::string heading = title(report.mode);
    std::string text = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<title>Verbcast: {}</title>\n<style>{}</style>\n</head>\n<body>\n",
        escaped(heading), kStyle);
    text += kHatch;
    text += fmt::format(
        "<header>\n<h1>{}</h1>\n<p class=\"when\">verbcast bench {}, {}</p>\n</header>\n<pre>{}</pre>\n",
        escaped(heading), benchModeName(report.mode), escaped(report.machine.startedAt),
        escaped(report.machine.commandLine));
    text += machineHtml(report.machine) + noticesHtml(report);
    const std::string cards = rowCards(report) + otherCards(report);
    if (!cards.empty()) {
        text += "<div class=\"cards\">\n" + cards + "</div>\n";
    }
    for (const auto section : {framesHtml, latencyHtml, costHtml, limitsHtml, sweepHtml, registerHtml,
                               rpcHtml, viewersHtml, stagesHtml, decodingHtml}) {
        text += section(report);
    }
    return text + caveatsHtml(report) + "</body>\n</html>\n";
}

}  // namespace verbcast
