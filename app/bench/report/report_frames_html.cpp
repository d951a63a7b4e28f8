// Sections of the HTML report about whole frames.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/bench/report/html_parts.h"
#include "app/bench/report/report_sections.h"
#include "app/bench/report/report_text.h"
#include "app/bench/report/svg_chart.h"

namespace verbcast {
namespace {

using svg::Scale;
using svg::Unit;

enum class Shown { Touched, HandedOver, HandedOverPaced };

Shown kindOf(const FrameRow& row) {
    return row.verify == Verify::Full ? Shown::Touched
                                      : (row.offeredFps > 0 ? Shown::HandedOverPaced : Shown::HandedOver);
}

std::string intoOneRemark(const FrameRow& row) {
    return row.intoOne ? (kindOf(row) == Shown::Touched ? "" : "; ") + intoOneText(row) : "";
}

std::string throughputChart(const BenchReport& report, Shown kind) {
    svg::BarChart chart{.description = "Throughput of each run beside its limit", .unit = "GB/s", .bars = {}};
    const bool touched = kind == Shown::Touched;
    for (const FrameRow& row : report.rows) {
        if (kindOf(row) != kind) {
            continue;
        }
        svg::Bar bar{.label = rowName(row),
                     .detail = rowConditions(row),
                     .remark = (touched ? "" : "pixels not touched") + intoOneRemark(row),
                     .colour = transportColour(row.transport),
                     .value = row.gigabytesPerSecond,
                     .valueText = row.handsOver()
                                      ? countText(row.fps * row.streams) + " hand-offs a second"
                                      : fmt::format("{} GB/s, {} fps", figureText(row.gigabytesPerSecond),
                                                    figureText(row.fps)),
                     .hatched = !touched};
        if (const auto ratio = row.handsOver() ? std::nullopt : ratioToLimit(row)) {
            bar.reference = row.limit->gigabytesPerSecond;
            bar.referenceText = fmt::format("{} {} (ratio {})", row.limit->name,
                                            figureText(row.limit->gigabytesPerSecond), figureText(*ratio));
        } else if (row.limit && !row.handsOver() && !row.limit->unavailable.empty()) {
            bar.referenceText = row.limit->name + ": not measured";
        }
        chart.bars.push_back(bar);
    }
    return draw(chart);
}

std::string rateTable(const BenchReport& report) {
    HtmlRows rows;
    for (const FrameRow& row : report.rows) {
        const auto ratio = row.handsOver() ? std::nullopt : ratioToLimit(row);
        rows.push_back({row.transport, fmt::format("{}x{}", row.width, row.height), row.pixelFormat,
                        verifiedText(row.verify), rowConditions(row), row.limit ? row.limit->name : "-",
                        figureText(row.fps), rateText(row), ratio ? figureText(*ratio) : "-",
                        std::to_string(row.frames), std::to_string(row.framesDropped),
                        std::to_string(row.framesCorrupt)});
    }
    return htmlTable({"transport", "size", "format", "verified", "run", "limit", "fps", "GB/s", "ratio",
                      "frames", "dropped", "corrupt"},
                     rows, 6);
}

std::string limitNotesHtml(const BenchReport& report) {
    std::string text;
    for (const std::string& note : rowLimitNotes(report)) {
        text += "<p class=\"small\">Limit " + svg::escaped(note) + "</p>\n";
    }
    for (const FrameRow& row : report.rows) {
        if (row.partial) {
            text += "<p class=\"small\">" + svg::escaped(rowName(row) + ": " + partialText(row)) + "</p>\n";
        }
        if (row.device) {
            text += "<p class=\"small\">" + svg::escaped(rowName(row) + ": " + deviceText(*row.device)) +
                    "</p>\n";
        }
        if (row.cipher) {
            text += "<p class=\"small\">" + svg::escaped(rowName(row) + ": " + cipherText(*row.cipher)) +
                    "</p>\n";
        }
        if (row.wakeUp) {
            text += "<p class=\"small\">" + svg::escaped(rowName(row) + ": " + wakeUpText(row)) + "</p>\n";
        }
    }
    return text;
}

/// A table of the lowest and highest repetition's GB/s.
std::string repeatsTable(const BenchReport& report) {
    HtmlRows rows;
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
        rows.push_back({rowName(row), rowConditions(row), std::to_string(row.repeats.size()),
                        range(&RunSample::gigabytesPerSecond), range(&RunSample::latencyP50),
                        range(&RunSample::latencyP99), range(&RunSample::cpuMicrosecondsPerFrame)});
    }
    return rows.empty() ? ""
                        : "<h3>Spread of the repeated runs</h3>\n" +
                              htmlTable({"row", "run", "runs", "GB/s", "latency p50 \u00b5s",
                                         "latency p99 \u00b5s", "CPU \u00b5s/frame, both sides"},
                                        rows, 2);
}

}  // namespace

std::string framesHtml(const BenchReport& report) {
    if (report.rows.empty()) {
        return "";
    }
    return htmlSection("Throughput",
                       "Whole frames from a sender's process to a receiver's. The thin bar below each is a "
                       "simpler baseline measured in the same run.") +
           htmlFigure(throughputChart(report, Shown::Touched),
                      "Every byte written by the sender and checked by the receiver.") +
           htmlFigure(throughputChart(report, Shown::HandedOver),
                      "Hand-off only: nothing wrote or read the pixels, so these are not memory or network "
                      "speeds. They have their own axis.") +
           htmlFigure(throughputChart(report, Shown::HandedOverPaced),
                      "Hand-off only, at an offered rate: shows that the rate was held, not what could be "
                      "reached.") +
           rateTable(report) + limitNotesHtml(report) + repeatsTable(report) + "</section>\n";
}

std::string latencyHtml(const BenchReport& report) {
    if (report.rows.empty()) {
        return "";
    }
    svg::LineChart chart{.description = "Share of frames that arrived within a time",
                         .x = {"latency, submit to receive", Scale::Log10, Unit::Microseconds},
                         .y = {"share of frames", Scale::Nines, Unit::Number},
                         .series = {},
                         .legendBelow = true};
    HtmlRows rows;
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        const FrameRow& row = report.rows[i];
        const Percentiles& p = row.latency;
        svg::Series series{.name = rowName(row) + ", " + rowConditions(row),
                           .colour = plainColour(i),
                           .dots = false,
                           .points = {}};
        series.dashed = row.verify != Verify::Full;
        for (const DistributionPoint& point : row.distribution) {
            series.points.push_back({point.microseconds, point.fraction});
        }
        chart.series.push_back(series);
        rows.push_back({rowName(row), verifiedText(row.verify), rowConditions(row), figureText(p.p50),
                        figureText(p.p99), p999Text(p), figureText(p.max), std::to_string(p.count),
                        figureText(row.jitterUs)});
    }
    return htmlSection("Latency",
                       "From the sender's submit to the receiver's receive. At full speed the queues stay "
                       "full, and latency includes the time spent in them. At an offered rate, frames are "
                       "submitted on schedule whatever happens, so no wait is hidden.") +
           htmlFigure(draw(chart),
                      "Cumulative. The vertical axis is scaled in nines to show the tail. Dashed: pixels "
                      "not touched.") +
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
    const auto calls = [](const CpuUse& use) {
        return use.systemCalls ? std::to_string(*use.systemCalls) : "-";
    };
    return {rowName(row),
            verifiedText(row.verify),
            rowConditions(row),
            perFrame(row.sender.userSeconds),
            perFrame(row.sender.systemSeconds),
            perFrame(row.receiver.userSeconds),
            perFrame(row.receiver.systemSeconds),
            figureText(cpuSecondsPerGigabyte(row.sender, row) + cpuSecondsPerGigabyte(row.receiver, row)),
            std::to_string(row.sender.voluntarySwitches + row.receiver.voluntarySwitches),
            std::to_string(row.sender.involuntarySwitches + row.receiver.involuntarySwitches),
            calls(row.sender) + " + " + calls(row.receiver),
            fixedText(row.pixelCopiesPerFrame, 2)};
}

}  // namespace

std::string costHtml(const BenchReport& report) {
    if (report.rows.empty()) {
        return "";
    }
    HtmlRows rows;
    svg::BarChart chart{
        .description = "Processor time of a frame", .unit = "\u00b5s of processor per frame", .bars = {}};
    for (const FrameRow& row : report.rows) {
        rows.push_back(costRow(row));
        const double sender = cpuMicrosecondsPerFrame(row.sender, row);
        const double receiver = cpuMicrosecondsPerFrame(row.receiver, row);
        chart.bars.push_back(
            {.label = rowName(row),
             .detail = rowConditions(row),
             .remark = row.verify == Verify::Full ? "" : "pixels not touched",
             .colour = transportColour(row.transport),
             .value = sender + receiver,
             .valueText = fmt::format("{} = {} send + {} recv", figureText(sender + receiver),
                                      figureText(sender), figureText(receiver)),
             .hatched = row.verify != Verify::Full});
    }
    return htmlSection(
               "What a frame costs",
               "Processor time of both processes, writing and checking pixels included where they were "
               "verified.") +
           htmlFigure(draw(chart), "Hatched: pixels not touched.") +
           htmlTable({"row", "verified", "run", "send user \u00b5s", "send system \u00b5s",
                      "recv user \u00b5s", "recv system \u00b5s", "CPU s/GB", "switches voluntary",
                      "involuntary", "read/write calls", "copies of pixels"},
                     rows, 3) +
           "</section>\n";
}

std::string limitsHtml(const BenchReport& report) {
    if (report.limits.empty()) {
        return "";
    }
    svg::BarChart chart{.description = "What simpler programs reach", .unit = "GB/s", .bars = {}};
    HtmlRows rows;
    for (const Limit& limit : report.limits) {
        const bool measured = limit.unavailable.empty();
        const std::string speed = measured ? figureText(limit.gigabytesPerSecond) : "-";
        rows.push_back({limit.name, measured ? limit.note : "not measured: " + limit.unavailable, speed});
        if (measured) {
            chart.bars.push_back({.label = limit.name,
                                  .detail = "",
                                  .remark = "",
                                  .colour = neutralColour(),
                                  .value = limit.gigabytesPerSecond,
                                  .valueText = speed + " GB/s"});
        }
    }
    return htmlSection("Limits",
                       "What something simpler than Verbcast reached on this machine in the same run.") +
           htmlFigure(draw(chart), "") + htmlTable({"limit", "", "GB/s"}, rows, 2) + "</section>\n";
}

}  // namespace verbcast
