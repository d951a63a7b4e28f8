// Sections of the terminal report about one stream to many viewers: measured and calculated.
#include "app/bench/report/report_lines.h"

#include <fmt/format.h>

#include "app/bench/report/report_text.h"
#include "core/base/text/counted.h"

namespace verbcast {
std::string paragraph(const std::string& text, std::size_t indent) {
    std::string lines;
    for (const std::string& line : wrapped(text, kTableWidth - indent)) {
        lines += std::string(indent, ' ') + line + "\n";
    }
    return lines;
}

std::string heading(const std::string& title, const std::string& units) {
    return fmt::format("\n{}{}\n", title, units.empty() ? "" : "  (" + units + ")");
}

std::string viewersSection(const BenchReport& report) {
    std::string text =
        heading("Viewers", "of those that keep up; latency: us; times: of the row without slow ones");
    text += fmt::format("  {:<6}{:<18}{:>8}  {:<21}{:>7}{:>8}{:>8}{:>8}{:>10}{:>9}\n", "over", "picture",
                        "keep up", "slow", "fps", "p50", "p99", "missed", "CPU/frame", "memory");
    for (const ViewersRow& row : report.viewers) {
        text += fmt::format("  {:<6}{:<18}{:>8}  {:<21}{:>7}{:>8}{:>8}{:>8}{:>7} us{:>9}\n", row.transport,
                            fmt::format("{}x{} {}", row.width, row.height, row.pixelFormat), row.viewers,
                            row.slowViewers == 0 ? "-" : slowText(row), figureText(row.fps),
                            figureText(row.latency.p50), figureText(row.latency.p99), row.framesMissed,
                            figureText(cpuMicrosecondsPerFrame(row)), bytesText(row.senderMemoryBytes));
        if (row.slowViewers > 0) {
            text += paragraph(
                fmt::format(
                    "fps {}, p99 {}, sender's CPU {}, its memory {} times that without; the slow ones "
                    "took {} frames, {}",
                    fixedText(row.fpsRatio, 2), fixedText(row.p99Ratio, 2), fixedText(row.cpuRatio, 2),
                    fixedText(row.memoryRatio, 2), row.slowFrames,
                    counted(row.departures, "viewer was sent away or left",
                            "viewers were sent away or left")),
                12);
        }
    }
    return text;
}

}  // namespace verbcast
