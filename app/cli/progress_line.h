// One line on a terminal that tells how the stream is doing.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "app/cli/stream_options.h"
#include "core/base/repeat_limiter.h"
#include "core/stats/stream_stats.h"

namespace verbcast {

/// Rewrites its line a few times a second on a terminal. On anything else lines are whole: changes of state
/// always, figures only when verbose and every few seconds. Silent when quiet. Used by one thread.
class ProgressLine {
  public:
    explicit ProgressLine(Verbosity verbosity);
    ~ProgressLine();
    /// A change of state: "waiting for a viewer on ..."; the same text twice in a row is written once.
    void state(const std::string& text);
    /// Figures, if it is time for them again.
    void figures(const StreamStats& stats, const std::string& who);
    /// The same in the caller's words; the caller has asked due() before.
    void figures(const std::string& text);
    /// True when figures() would write: spares collecting them.
    bool due() const;
    /// A whole line that stays.
    void note(const std::string& text);
    /// A note of what peers, perhaps strangers, do: RepeatLimiter bounds it, as it does changes of state.
    void news(std::string_view kind, const std::string& text);
    void clear();

  private:
    void rewrite(const std::string& text);
    void summarize();

    Verbosity verbosity_;
    bool terminal_;
    bool dirty_ = false;
    std::string lastState_;
    RepeatLimiter limiter_{30};  // a display whose peers come and go tells of each
    std::chrono::steady_clock::time_point last_{};
    std::uint64_t lastFrames_ = 0;
    std::uint64_t lastBytes_ = 0;
};

/// "3600 frames, 60.00 fps, 1.99 GB/s, latency p50 31 us p99 120 us, 0 dropped"
std::string summaryText(const StreamStats& stats);

/// A line for each rail of a stream; none without rails. `received`: at the end that receives.
std::vector<std::string> railLines(const std::vector<RailStats>& rails, bool received);

/// A sender that has had several viewers: a line for each, the last ones of many, and for their rails.
std::vector<std::string> viewerLines(const StreamStats& stats);

/// The viewers that a sender has now: "to wall over tcp", "3 viewers".
std::string viewersText(const StreamStats& stats);

}  // namespace verbcast
