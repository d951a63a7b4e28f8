// The statistics of a FrameAlignment.
#include <fmt/format.h>

#include "core/stream/frame_alignment.h"

namespace verbcast {

std::uint64_t FrameAlignment::skipped(StreamId id) const {
    const auto found = streams_.find(id);
    return found == streams_.end() ? 0 : found->second.skipped;
}

StreamAlignment FrameAlignment::statsOf(StreamId id) const {
    const auto found = streams_.find(id);
    if (found == streams_.end()) {
        return {};
    }
    const Stream& stream = found->second;
    StreamAlignment stats{.aligned = stream.begun && stream.standing == Standing::Aligned,
                          .reason = {},
                          .framesLate = stream.late,
                          .framesThinned = stream.thinned,
                          .slotsNeeded = stream.slotsNeeded};
    if (stream.standing == Standing::NoClock) {
        stats.clockKnown = false;
        stats.reason = "its clock is not known";
    } else if (stream.standing == Standing::Apart) {
        stats.reason =
            fmt::format("its times are more than {} s from the others'", kFarthest / 1'000'000'000);
    }
    return stats;
}

AlignmentStats FrameAlignment::stats() const {
    return {.by = options_.by == AlignBy::Pts ? "pts" : "capture",
            .delayMs = static_cast<double>(options_.delay ? options_.delay->count() : told_.delay) * 1e-6,
            .smallestDelayMs = static_cast<double>(told_.smallest) * 1e-6,
            .delayGiven = options_.delay.has_value(),
            .sets = sets_,
            .skew = skew_.percentiles()};
}

}  // namespace verbcast
