#include "app/cli/frame_lock_words.h"

#include <fmt/format.h>

#include "core/base/text/counted.h"

namespace verbcast {
namespace {

std::string displayLine(const DisplayStats& display) {
    std::string line =
        fmt::format("  {}: {} shown in time, {} late", display.name, display.framesShown, display.framesLate);
    if (display.timesLeftOut > 0) {
        line += fmt::format(", not waited for {}", counted(display.timesLeftOut, "time"));
    }
    line += percentilesText("behind its time", display.behindDue);
    if (!display.shownBy.empty()) {
        line += fmt::format("; times from {}; clock: {}", display.shownBy, display.clock);
    }
    if (display.clockErrorUs > 0) {
        line += fmt::format(" to {:.0f} us", display.clockErrorUs);
    }
    return line;
}

}  // namespace

std::vector<std::string> frameLockLines(const FrameLockStats& stats) {
    std::string summary = fmt::format("shown together ({}): {} by several displays at {:.1f} ms", stats.mode,
                                      counted(stats.frames, "frame"), stats.delayMs);
    summary += percentilesText("skew", stats.skew);
    if (stats.clockErrorUs > 0) {
        summary += fmt::format(" (clocks agree to {:.0f} us)", stats.clockErrorUs);
    }
    summary += stats.mode == nameOf(SyncMode::Hold) ? fmt::format(", {} held", stats.framesHeld) : "";
    summary += fmt::format(", {} without a display", stats.framesWithout);
    if (!stats.late.empty()) {
        summary += fmt::format(", late last: {}", stats.late);
    }
    std::vector<std::string> lines{summary};
    for (const DisplayStats& display : stats.each) {
        lines.push_back(displayLine(display));
    }
    if (stats.each.empty()) {
        DisplayStats own = stats.own;
        own.name = "this display";
        lines.push_back(displayLine(own));
    }
    return lines;
}

}  // namespace verbcast
