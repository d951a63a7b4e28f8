// Bounds what many events of one kind write.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"

namespace verbcast {

/// Of each kind of event the first few are told at once, and the first by each of a few addresses; what
/// follows is counted, and reported in one summary for each interval in which there was any. A kind that has
/// kept quiet for an interval starts again. Not thread-safe.
class RepeatLimiter {
  public:
    static constexpr TimestampNs kIntervalNs = 10'000'000'000;
    static constexpr std::size_t kMaxAddresses = 16;  ///< known of each kind: strangers may have many

    /// `atOnce`: of each kind, before anything is left out.
    explicit RepeatLimiter(std::uint32_t atOnce = 5) : atOnce_(atOnce) {}

    /// Whether to tell of the event now, in `text`. First ask for summaries(). Kinds are the program's own
    /// words: there is a bounded number.
    bool admits(std::string_view kind, std::string_view who, std::string_view text, TimestampNs now);

    struct Summary {
        std::string kind;
        std::string text;  ///< "LAST TEXT LEFT OUT (and 1234 more like it)"
    };
    /// What is due; forgets kinds that have kept quiet.
    std::vector<Summary> summaries(TimestampNs now);
    /// When something will be due: nothing is left out and untold without this.
    std::optional<TimestampNs> nextSummaryAt() const;

  private:
    struct Kind {
        TimestampNs since;
        std::uint32_t told = 0;
        std::uint64_t leftOut = 0;
        std::string last;                    // text of those left out
        std::vector<std::string> addresses;  // that were reported
    };
    const std::uint32_t atOnce_;
    std::map<std::string, Kind, std::less<>> kinds_;
};

}  // namespace verbcast
