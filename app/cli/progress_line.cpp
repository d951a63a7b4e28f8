#include "app/cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "core/base/os/standard_streams.h"
#include "core/base/text/clean_text.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

/// Cleans the line: it may contain names chosen by peers, files and devices.
void print(const std::string& line) {
    printToStderr("{}\n", cleanLine(line));
}

/// Starts with a comma; "" if no frame was measured.
std::string latencyText(const Percentiles& latency, double clockErrorUs) {
    if (latency.count == 0) {
        return "";
    }
    std::string text = percentilesText("latency", latency) + fmt::format(" max {:.0f} us", latency.max);
    if (clockErrorUs > 0) {
        text += fmt::format(" (clocks of two hosts: +-{:.0f} us)", clockErrorUs);
    }
    return text;
}

/// "rail 1: tcp, 10.0.1.2:7423, 3600 frames, 3590 first, 10 missed, down 1 times"
std::string railText(const RailStats& rail, bool received) {
    return fmt::format("rail {}: {}, {}{}, {} frames, {} first{}, down {} times", rail.number,
                       rail.transport.empty() ? "never there" : rail.transport, rail.peer,
                       rail.lost ? " (down)" : "", rail.frames, rail.first,
                       received ? fmt::format(", {} missed", rail.missed) : "", rail.timesDown);
}

}  // namespace

ProgressLine::ProgressLine(Verbosity verbosity)
    : verbosity_(verbosity), terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
    summarize(RepeatLimiter::kEnd);
    clear();
}

void ProgressLine::clear() {
    if (dirty_) {
        writeToStderr("\r\033[K");
        dirty_ = false;
    }
}

void ProgressLine::rewrite(const std::string& text) {
    printToStderr("\r\033[K{}", cleanLine(text));
    dirty_ = true;
}

void ProgressLine::state(const std::string& text) {
    summarize(nowNs());
    if (verbosity_ == Verbosity::Quiet || text == lastState_) {
        return;
    }
    lastState_ = text;
    if (terminal_) {
        rewrite(text);
    } else if (limiter_.admits("state", "", text, nowNs())) {
        print(text);
    }
}

void ProgressLine::summarize(TimestampNs now) {
    for (const RepeatLimiter::Summary& summary : limiter_.summaries(now)) {
        clear();
        print(summary.text);
    }
}

void ProgressLine::news(std::string_view kind, const std::string& text) {
    summarize(nowNs());
    if (verbosity_ != Verbosity::Quiet && limiter_.admits(kind, "", text, nowNs())) {
        note(text);
    }
}

void ProgressLine::note(const std::string& text) {
    if (verbosity_ == Verbosity::Quiet) {
        return;
    }
    clear();
    lastState_.clear();
    print(text);
}

bool ProgressLine::due() const {
    if (verbosity_ == Verbosity::Quiet || (!terminal_ && verbosity_ != Verbosity::Verbose)) {
        return false;
    }
    return std::chrono::steady_clock::now() - last_ >= (terminal_ ? 250ms : 5000ms);
}

void ProgressLine::statistics(const StreamStats& stats, const std::string& who) {
    summarize(nowNs());
    if (!due()) {
        return;
    }
    if (stats.isSoundAlone()) {
        return statistics(describe(*stats.sound) + "  " + who);
    }
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    const bool known =
        last_ != std::chrono::steady_clock::time_point{} && stats.framesTransferred >= lastFrames_;
    const double fps = known ? static_cast<double>(stats.framesTransferred - lastFrames_) / seconds : 0;
    const double rate = known ? static_cast<double>(stats.bytes - lastBytes_) / seconds / 1e9 : 0;
    lastFrames_ = stats.framesTransferred;
    lastBytes_ = stats.bytes;
    statistics(fmt::format("{}  {:.1f} fps  {:.2f} GB/s  {} dropped  {}",
                           counted(stats.framesTransferred, "frame"), fps, rate, stats.framesDropped, who));
}

void ProgressLine::statistics(const std::string& text) {
    last_ = std::chrono::steady_clock::now();
    lastState_.clear();
    if (terminal_) {
        rewrite(text);
    } else {
        print(text);
    }
}

std::string summaryText(const StreamStats& stats) {
    const std::size_t viewers = stats.viewers.size() + stats.viewersLeftOut;
    if (stats.isSoundAlone()) {
        return describe(*stats.sound) + (viewers > 1 ? fmt::format(" to {} viewers", viewers) : "");
    }
    std::string text = viewers > 1
                           ? fmt::format("{} to {} viewers", counted(stats.framesSent, "frame"), viewers)
                           : counted(stats.framesTransferred, "frame");
    text += fmt::format(", {:.2f} fps, {:.2f} GB/s, {} dropped", stats.framesPerSecond(),
                        stats.gigabytesPerSecond(), stats.framesDropped);
    if (stats.framesLost > 0) {
        text += fmt::format(", {} lost", stats.framesLost);
    }
    if (stats.framesCorrupt > 0) {
        text += fmt::format(", {} damaged", stats.framesCorrupt);
    }
    return text + latencyText(stats.latency, stats.clockErrorUs);
}

std::vector<std::string> railLines(const std::vector<RailStats>& rails, bool received) {
    std::vector<std::string> lines;
    lines.reserve(rails.size());
    for (const RailStats& rail : rails) {
        lines.push_back("  " + railText(rail, received));
    }
    return lines;
}

std::vector<std::string> viewerLines(const StreamStats& stats) {
    constexpr std::size_t kMaxLines = 16;
    const std::size_t viewers = stats.viewers.size() + stats.viewersLeftOut;
    std::vector<std::string> lines;
    if (viewers < 2) {
        return stats.viewers.empty() ? lines : railLines(stats.viewers.front().rails, false);
    }
    const std::size_t shown = std::min(kMaxLines, stats.viewers.size());
    if (shown < viewers) {
        lines.push_back(fmt::format("  the last {} of {} viewers:", shown, viewers));
    }
    for (const ViewerStats& viewer : std::span(stats.viewers).last(shown)) {
        lines.push_back(fmt::format("  {} ({}) over {}: {}, {} dropped, {} shown{} ({})", viewer.name,
                                    viewer.peer, viewer.transport, counted(viewer.framesSent, "frame"),
                                    viewer.framesDropped, viewer.framesShown,
                                    latencyText(viewer.latency, viewer.clockErrorUs),
                                    viewer.connected ? "still there" : viewer.endReason));
        std::ranges::move(railLines(viewer.rails, false), std::back_inserter(lines));
    }
    return lines;
}

std::string viewersText(const StreamStats& stats) {
    const ViewerStats* last = nullptr;
    std::size_t present = 0;
    for (const ViewerStats& viewer : stats.viewers) {
        if (viewer.connected) {
            last = &viewer;
            ++present;
        }
    }
    return present == 1 ? fmt::format("to {} over {}", last->name, last->transport)
                        : counted(present, "viewer");
}

}  // namespace verbcast
