// What the statistics of a TileStream say of all its sources together.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/stats/histogram.h"
#include "core/stats/stream_stats.h"
#include "core/stream/matched_parts.h"

namespace verbcast {

/// Thread-safe.
class TileCounts {
  public:
    /// A frame was delivered. `shown`: the display's sources, with their frames; keeps what frameShown()
    /// needs of these, but no leases. `assembled`: bytes copied for it.
    void delivered(const ReceivedFrame& frame, std::span<MatchedParts::Part> shown, std::uint64_t assembled);
    /// One of them was passed over for a newer one.
    void passedOver();
    /// One of them is on the screen: returns the frames that it is made of, if they are still known.
    std::vector<ReceivedFrame> shown(const ReceivedFrame& frame);
    /// See ViewedSource. Returns how many were skipped in all.
    std::uint64_t setSkipped(std::uint64_t frames);

    /// `each`: of the display's sources. Stage times are those of the slowest.
    StreamStats of(std::span<const StreamStats> each) const;

  private:
    /// A delivered frame and its parts, without leases.
    struct Given {
        TimestampNs arrivedAt;  // identifies the frame
        std::vector<ReceivedFrame> parts;
    };
    mutable std::mutex mutex_;  // guards the members below
    std::deque<Given> given_;   // not shown yet, oldest first
    std::uint64_t frames_ = 0, shown_ = 0, skipped_ = 0, skippedLater_ = 0, bytes_ = 0, assembled_ = 0;
    TimestampNs firstAt_ = 0, lastAt_ = 0;
    LatencyHistogram latency_;
    std::optional<VideoFormat> format_;
    std::vector<std::uint64_t> left_;  // of each part
};

}  // namespace verbcast
