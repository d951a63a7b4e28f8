// A progress line for streams on a terminal.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "app/cli/stream_options.h"
#include "core/base/log/repeat_limiter.h"
#include "core/stats/stream_stats.h"

namespace verbcast {

/// On a terminal rewrites its line a few times a second. Otherwise prints whole lines: state changes always,
/// statistics every few seconds and only if verbose. Silent with --quiet. Not thread-safe.
class ProgressLine {
  public:
    explicit ProgressLine(Verbosity verbosity);
    ~ProgressLine();
    /// Reports a state: "waiting for a viewer on ..."; repeats of the same text are dropped.
    void state(const std::string& text);
    /// Shows statistics, if they are due.
    void statistics(const StreamStats& stats, const std::string& who);
    /// The same with the caller's text; call if due() is true.
    void statistics(const std::string& text);
    /// True if statistics() would print: saves collecting statistics otherwise.
    bool due() const;
    /// Prints a line that stays: one that no peer, or its data, can repeat.
    void note(const std::string& text);
    /// Prints a note that peers or their data can repeat. RepeatLimiter limits such notes, as it does state
    /// changes.
    void news(std::string_view kind, const std::string& text);
    void clear();

  private:
    void rewrite(const std::string& text);
    void summarize(TimestampNs now);

    Verbosity verbosity_;
    bool terminal_;
    bool dirty_ = false;
    std::string lastState_;
    RepeatLimiter limiter_{30};  // enough for a display whose peers come and go
    std::chrono::steady_clock::time_point last_{};
    std::uint64_t lastFrames_ = 0;
    std::uint64_t lastBytes_ = 0;
};

/// "3600 frames, 60.00 fps, 1.99 GB/s, latency p50 31 us p99 120 us, 0 dropped"
std::string summaryText(const StreamStats& stats);

/// A line for each rail of a stream; none without rails. `received`: true at the receiving end.
std::vector<std::string> railLines(const std::vector<RailStats>& rails, bool received);

/// For a sender that has had several viewers: a line for each (the last ones if there were many), and lines
/// for their rails.
std::vector<std::string> viewerLines(const StreamStats& stats);

/// A sender's current viewers: "to wall over tcp", "3 viewers".
std::string viewersText(const StreamStats& stats);

}  // namespace verbcast
