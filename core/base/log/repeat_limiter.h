// Limits how much many events of one kind may write.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/os/clock.h"

namespace verbcast {

/// For each kind of event, the first few are reported at once, and the first from each of a few addresses;
/// the rest are counted, and reported in one summary for each interval that had any. A kind that was quiet
/// for an interval starts afresh. Not thread-safe.
class RepeatLimiter {
  public:
    static constexpr TimestampNs kIntervalNs = 10'000'000'000;
    static constexpr std::size_t kMaxAddresses = 16;  ///< remembered per kind: peers may have many

    /// After all others: at this time every summary is due.
    static constexpr TimestampNs kEnd = std::numeric_limits<TimestampNs>::max();

    /// `atOnce`: events of each kind before any are omitted.
    explicit RepeatLimiter(std::uint32_t atOnce = 5) : atOnce_(atOnce) {}

    /// Whether to report the event now, as `text`. Ask for summaries() first. Kinds are the program's own
    /// words, so their number is bounded.
    bool admits(std::string_view kind, std::string_view who, std::string_view text, TimestampNs now);

    struct Summary {
        std::string kind;
        std::string text;  ///< "LAST OMITTED TEXT (and 1234 more like it)"
    };
    /// The summaries that are due; forgets kinds that have been quiet.
    std::vector<Summary> summaries(TimestampNs now);
    /// When the next summary is due; call summaries() then, or omitted events go unreported.
    std::optional<TimestampNs> nextSummaryAt() const;

  private:
    struct Kind {
        TimestampNs since;
        std::uint32_t told = 0;
        std::uint64_t leftOut = 0;
        std::string last;                    // text of the last one omitted
        std::vector<std::string> addresses;  // already reported
    };
    const std::uint32_t atOnce_;
    std::map<std::string, Kind, std::less<>> kinds_;
};

}  // namespace verbcast
