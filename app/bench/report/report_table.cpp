// The report as text for a terminal, at most 110 columns wide.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "app/bench/report/report_lines.h"
#include "app/bench/report/report_output.h"
#include "app/bench/report/report_text.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

/// Latency that is merely the wait in full queues is in the JSON, but not in this table.
std::string latencyText(const FrameRow& row) {
    if (!row.tellsLatency()) {
        return fmt::format("{:>7} {:>7} {:>7} {:>7}", "-", "-", "-", "-");
    }
    const Percentiles& p = row.latency;
    return fmt::format("{:>7} {:>7} {:>7} {:>7}", figureText(p.p50), figureText(p.p99), p999Text(p),
                       figureText(p.max));
}

std::string limitText(const FrameRow& row) {
    if (row.handsOver()) {
        return fmt::format("{} hand-offs a second, no pixel is moved", countText(row.fps * row.streams));
    }
    if (!row.limit) {
        return "no limit measured";
    }
    if (!row.limit->unavailable.empty()) {
        return fmt::format("limit {} not measured: {}", row.limit->name, row.limit->unavailable);
    }
    return fmt::format("limit {} {} GB/s, ratio {}", row.limit->name,
                       figureText(row.limit->gigabytesPerSecond), figureText(row.ratioToLimit()));
}

std::string rowText(const FrameRow& row) {
    std::string text = fmt::format(
        "  {:<5} {:<10} {:<11} {:>7} {:>6} {} {:>6} {:>6} {:>6} {:>6}\n", row.transport,
        fmt::format("{}x{}", row.width, row.height), row.pixelFormat, figureText(row.fps), rateText(row),
        latencyText(row), figureText(row.jitterUs), figureText(cpuMicrosecondsPerFrame(row.sender, row)),
        figureText(cpuMicrosecondsPerFrame(row.receiver, row)), fixedText(row.pixelCopiesPerFrame, 2));
    std::string more = fmt::format("verified {}; {}; {}; dropped {}, corrupt {}", verifiedText(row.verify),
                                   rowConditions(row), limitText(row), row.framesDropped, row.framesCorrupt);
    if (row.repeats.size() > 1) {
        const auto [least, most] = std::minmax_element(row.repeats.begin(), row.repeats.end(),
                                                       [](const RunSample& a, const RunSample& b) {
                                                           return a.gigabytesPerSecond < b.gigabytesPerSecond;
                                                       });
        more +=
            row.handsOver()
                ? fmt::format("; {} runs: {} to {} a second", row.repeats.size(),
                              countText(least->fps * row.streams), countText(most->fps * row.streams))
                : fmt::format("; {} runs: {} to {} GB/s", row.repeats.size(),
                              figureText(least->gigabytesPerSecond), figureText(most->gigabytesPerSecond));
    }
    if (row.intoOne) {
        more += "; " + intoOneText(row);
    }
    if (row.offeredFps > 0 && !row.tellsLatency()) {
        more += "; the rate was not kept, so latency would be the wait in queues";
    }
    if (row.wakeUp) {
        more += "; " + wakeUpText(row);
    }
    if (row.partial) {
        more += "; " + partialText(row);
    }
    if (row.device) {
        more += "; " + deviceText(*row.device);
    }
    if (row.cipher) {
        more += "; " + cipherText(*row.cipher);
    }
    return text + paragraph(more, 8);
}

std::string rowsSection(const BenchReport& report) {
    std::string text = heading(
        "Frames", "latency: submit to receive, at a fixed rate; CPU: user and system of each process");
    text += fmt::format("  {:<28}{:>15}{:>32}{:>7}{:>14}{:>7}\n", "", "rate", "latency us", "jitter",
                        "CPU us/frame", "pixel");
    text += fmt::format("  {:<5} {:<10} {:<11} {:>7} {:>6} {:>7} {:>7} {:>7} {:>7} {:>6} {:>6} {:>6} {:>6}\n",
                        "", "size", "format", "fps", "GB/s", "p50", "p99", "p99.9", "max", "us", "send",
                        "recv", "copies");
    for (const FrameRow& row : report.rows) {
        text += rowText(row);
    }
    for (const std::string& note : rowLimitNotes(report)) {
        text += paragraph("limit " + note, 2);
    }
    return text;
}

std::string limitsSection(const BenchReport& report) {
    std::string text = heading("Limits", "what simpler programs reach here, GB/s");
    std::size_t width = 12;
    for (const Limit& limit : report.limits) {
        width = std::max(width, std::min<std::size_t>(limit.name.size(), 40));
    }
    for (const Limit& limit : report.limits) {
        const std::string speed =
            limit.unavailable.empty() ? figureText(limit.gigabytesPerSecond) : std::string("-");
        const std::string note =
            limit.unavailable.empty() ? limit.note : "not measured: " + limit.unavailable;
        const auto lines = wrapped(note, kTableWidth - width - 13);
        text += fmt::format("  {:<{}}{:>9}", limit.name, width, speed);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            text += lines[i].empty() ? "" : (i == 0 ? "  " : "\n" + std::string(width + 13, ' ')) + lines[i];
        }
        text += "\n";
    }
    return text;
}

/// Blocks down, depths across; splits into several grids if too wide.
std::string sweepGrid(const BenchReport& report, const std::string& transport) {
    std::map<std::pair<std::uint64_t, std::uint32_t>, const SweepPoint*> cells;
    std::map<std::uint64_t, bool> blocks;
    std::map<std::uint32_t, bool> depths;
    for (const SweepPoint& point : report.sweep) {
        if (point.transport == transport) {
            cells[{point.blockBytes, point.inFlight}] = &point;
            blocks[point.blockBytes] = depths[point.inFlight] = true;
        }
    }
    constexpr std::size_t kCell = 16, kColumns = (kTableWidth - 12) / kCell;
    std::string text;
    for (auto first = depths.begin(); first != depths.end();) {
        auto last = first;
        for (std::size_t i = 0; i < kColumns && last != depths.end(); ++i) {
            ++last;
        }
        text += fmt::format("  {:<10}", transport);
        for (auto depth = first; depth != last; ++depth) {
            text += fmt::format("{:>{}}", fmt::format("{} in flight", depth->first), kCell);
        }
        for (const auto& [block, unused] : blocks) {
            text += fmt::format("\n  {:>10}", bytesText(block));
            for (auto depth = first; depth != last; ++depth) {
                const auto cell = cells.find({block, depth->first});
                text +=
                    fmt::format("{:>{}}",
                                cell == cells.end()
                                    ? "-"
                                    : fmt::format("{} /{:>6}", figureText(cell->second->gigabytesPerSecond),
                                                  countText(cell->second->latency.p50)),
                                kCell);
            }
        }
        text += "\n";
        first = last;
    }
    return text;
}

std::string fitsText(const BenchReport& report) {
    std::string text =
        heading("Fit of t = t0 + bytes / bandwidth", "half size: the block that reaches half of it");
    text += fmt::format("  {:<10}{:>10}{:>12}{:>16}{:>14}{:>8}\n", "transport", "in flight", "t0 us",
                        "bandwidth GB/s", "half size", "r2");
    for (const SweepFit& fit : report.fits) {
        text += fmt::format("  {:<10}{:>10}{:>12}{:>16}{:>14}{:>8}\n", fit.transport, fit.inFlight,
                            figureText(fit.t0Us), figureText(fit.gigabytesPerSecond),
                            bytesText(fit.halfBytes), fixedText(fit.r2, 4));
    }
    return text;
}

std::string sweepSection(const BenchReport& report) {
    std::string text =
        heading("Sweep", "each cell: GB/s / latency p50 us, of a block handed over to acknowledged");
    for (const auto& transport : distinct(report.sweep, [](const SweepPoint& p) { return p.transport; })) {
        text += sweepGrid(report, transport);
    }
    return report.fits.empty() ? text : text + fitsText(report);
}

std::string registerSection(const BenchReport& report) {
    std::string text =
        heading("Registering memory", "medians, us; each time: register and deregister; ring: copy into it");
    text += fmt::format("  {:<16}{:<8}{:<12}{:>10}{:>12}{:>12}{:>12}{:>12}  {}\n", "device", "pages", "load",
                        "size", "register", "deregister", "each time", "ring", "cheaper");
    for (const RegisterPoint& point : report.registrations) {
        const double eachTime = point.registerUs + point.deregisterUs;
        text +=
            fmt::format("  {:<16}{:<8}{:<12}{:>10}{:>12}{:>12}{:>12}{:>12}  {}\n", point.device, point.pages,
                        loadText(point.load), bytesText(point.bytes), figureText(point.registerUs),
                        figureText(point.deregisterUs), figureText(eachTime), figureText(point.copyUs),
                        eachTime < point.copyUs ? "register" : "copy");
    }
    for (const RegisterCrossover& crossover : report.crossovers) {
        text += paragraph(fmt::format("{}, {} {}, {}: {}; registering costs {} s per GiB", crossover.device,
                                      crossover.pages, crossover.pages == kGpuPages ? "memory" : "pages",
                                      loadText(crossover.load),
                                      crossover.bytes == 0 ? "copying was cheaper at every size measured"
                                                           : "registering each time is cheaper from " +
                                                                 bytesText(crossover.bytes) + " on",
                                      figureText(crossover.registerSecondsPerGib)),
                          2);
    }
    return text;
}

std::string rpcSection(const BenchReport& report) {
    std::string text = heading("Calls", "latency: round trip, us");
    text += fmt::format("  {:<10}{:>10}{:>9}{:>12}{:>10}{:>10}{:>10}{:>10}\n", "transport", "payload",
                        "callers", "calls/s", "p50", "p99", "p99.9", "max");
    for (const RpcPoint& point : report.rpc) {
        const Percentiles& p = point.latency;
        text += fmt::format("  {:<10}{:>10}{:>9}{:>12}{:>10}{:>10}{:>10}{:>10}\n", point.transport,
                            bytesText(point.payloadBytes), point.callers, countText(point.callsPerSecond),
                            figureText(p.p50), figureText(p.p99), p999Text(p), figureText(p.max));
    }
    return text;
}

std::string decodeSection(const BenchReport& report) {
    const DecodeRow& first = report.decoding.front();
    std::string text =
        heading("Decoding", fmt::format("{}x{}; CPU: us of all processors a picture; ratio: to ffmpeg",
                                        first.width, first.height));
    text += fmt::format("  {:<10}{:<13}{:<13}{:>10}{:>10}{:>12}{:>12}{:>8}\n", "decoder", "into", "format",
                        "pictures/s", "CPU", "ffmpeg", "ffmpeg CPU", "ratio");
    for (const DecodeRow& row : report.decoding) {
        const auto [fps, cpu, ffmpegFps, ffmpegCpu, ratio] = decodeFigures(row);
        text += fmt::format("  {:<10}{:<13}{:<13}{:>10}{:>10}{:>12}{:>12}{:>8}\n", row.decoder,
                            decodedInto(row), row.pixelFormat, fps, cpu, ffmpegFps, ffmpegCpu, ratio);
        for (const std::string& note : {row.ffmpegUnavailable, row.note}) {
            text += note.empty() ? "" : paragraph(note, 4);
        }
    }
    return text;
}

std::string stageLine(const std::string& name, const Percentiles& p, double share) {
    constexpr double kBar = 40;
    return fmt::format("    {:<12}{:>10}{:>10}{:>10}{:>10}{:>6.0f}%  {}\n", name, figureText(p.p50),
                       figureText(p.p99), p999Text(p), figureText(p.max), share * 100,
                       std::string(static_cast<std::size_t>(std::lround(share * kBar)), '#'));
}

std::string transferLine(const TransferCost::Part& part) {
    const auto ratio = [](double pipeline, double alone) { return fixedText(pipeline / alone, 2); };
    return fmt::format("    {:<12}{:>10}{:>10}{:>8}{:>14}{:>10}{:>8}\n", part.name,
                       figureText(part.alone.cpuUs), figureText(part.pipeline.cpuUs),
                       ratio(part.pipeline.cpuUs, part.alone.cpuUs), figureText(part.alone.wallUs),
                       figureText(part.pipeline.wallUs), ratio(part.pipeline.wallUs, part.alone.wallUs));
}

std::string transferText(const TransferCost& cost) {
    std::string text = fmt::format("\n    {:<12}{:>28}{:>32}\n    {:<12}{:>10}{:>10}{:>8}{:>14}{:>10}{:>8}\n",
                                   "a frame's", "processor time, mean, us", "by the clock, median, us",
                                   "transfer", "alone", "pipeline", "ratio", "alone", "pipeline", "ratio");
    for (const TransferCost::Part& part : cost.parts) {
        text += transferLine(part);
    }
    return text + transferLine(cost.together()) + paragraph(transferVerdict(cost), 4);
}

std::string stagesSection(const BenchReport& report) {
    std::string text = heading("Stages", "us; share and bar: of the sum of the stages' p50");
    for (const StageRun& run : report.stages) {
        text += paragraph(fmt::format("{} over {}, {}x{} {}, drawn by {}, {}: {} fps, {}, {} dropped",
                                      run.source, run.transport, run.width, run.height, run.pixelFormat,
                                      run.renderer.empty() ? "nobody" : run.renderer, loadText(run.load),
                                      figureText(run.fps), counted(run.frames, "frame"), run.framesDropped),
                          2);
        text += fmt::format("    {:<12}{:>10}{:>10}{:>10}{:>10}{:>7}\n", "", "p50", "p99", "p99.9", "max",
                            "share");
        double sum = 0;
        for (const auto& stage : run.stages) {
            sum += std::max(0.0, stage.time.p50);
        }
        for (const auto& stage : run.stages) {
            text += stageLine(stage.name, stage.time, sum > 0 ? std::max(0.0, stage.time.p50) / sum : 0);
        }
        text += fmt::format("    {:<12}{:>10}{:>10}{:>10}{:>10}\n", "whole frame", figureText(run.total.p50),
                            figureText(run.total.p99), p999Text(run.total), figureText(run.total.max));
        text += run.copies ? paragraph(copiesText(*run.copies), 4) : "";
        text += run.inputToPicture ? paragraph(inputVerdict(run), 4) : "";
        text += run.transfer ? transferText(*run.transfer) : "";
    }
    return text;
}

std::string machineText(const MachineInfo& machine) {
    return fmt::format("{}, {}, {} memory, {}; verbcast {} ({})", machine.processor,
                       counted(machine.processors, "processor"), bytesText(machine.memoryBytes),
                       machine.kernel, machine.verbcast, machine.compiler);
}

}  // namespace

std::string reportTable(const BenchReport& report) {
    std::string text = paragraph(machineText(report.machine), 0);
    if (!report.rows.empty()) {
        text += rowsSection(report);
    }
    if (!report.limits.empty()) {
        text += limitsSection(report);
    }
    if (!report.sweep.empty() || !report.fits.empty()) {
        text += sweepSection(report);
    }
    if (!report.registrations.empty() || !report.crossovers.empty()) {
        text += registerSection(report);
    }
    if (!report.rpc.empty()) {
        text += rpcSection(report);
    }
    if (!report.viewers.empty()) {
        text += viewersSection(report);
    }
    if (!report.stages.empty()) {
        text += stagesSection(report);
    }
    if (!report.decoding.empty()) {
        text += decodeSection(report);
    }
    if (!report.notes.empty() || report.interrupted) {
        text += "\n";
    }
    for (const std::string& note : report.notes) {
        text += paragraph("note: " + note, 0);
    }
    if (report.interrupted) {
        text += "interrupted: these are the figures until then\n";
    }
    return text;
}

}  // namespace verbcast
