// Pairs frames of two streams, so that the same frame is compared.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "core/flow/received_frame.h"

namespace verbcast {

/// Identifies a frame within its stream.
struct FrameMoment {
    std::uint64_t sequence = 0;
    std::int64_t pts = 0;
    Rational timeBase{1, 1000};
};
FrameMoment momentOf(const ReceivedFrame& frame);
/// Compares presentation times, which a relay keeps; without times, sequence numbers.
bool sameMoment(const FrameMoment& a, const FrameMoment& b);
/// From a to b, by presentation time.
double secondsBetween(const FrameMoment& a, const FrameMoment& b);

/// Two sides, 0 and 1. While the recent frames of both sides have one in common, a frame waits for its match
/// on the other side, at most kPatience. Streams with no common frames are not delayed. Not thread-safe.
class FramePairing {
  public:
    static constexpr std::chrono::milliseconds kPatience{500};

    /// Most waiting frames per side; each holds a slot of its stream. 0: no pairing.
    void setDepth(std::size_t frames) { depth_ = frames; }
    std::size_t depth() const { return depth_; }

    void add(std::size_t side, ReceivedFrame frame, TimestampNs now);
    /// Decides what take() returns. `shown`: what each side shows now.
    void choose(const std::optional<FrameMoment>& shown0, const std::optional<FrameMoment>& shown1,
                TimestampNs now);
    /// Call after take(): true if a frame still waits; choose() again when its patience is over.
    bool waits() const { return !sides_[0].held.empty() || !sides_[1].held.empty(); }

    /// The frame to show, including the changes of those it skips, and how many it skips. Without a frame the
    /// side stays as it is.
    struct Chosen {
        std::optional<ReceivedFrame> frame;
        std::uint64_t passedOver = 0;
    };
    Chosen take(std::size_t side);
    /// Takes the newest frame, even if it is waiting.
    Chosen takeNewest(std::size_t side);
    /// Call when the side gets another stream.
    void forget(std::size_t side);

  private:
    struct Side {
        std::deque<ReceivedFrame> held;  // oldest first
        std::deque<FrameMoment> recent;  // the last frames that came, shown or not
        TimestampNs heldSince = 0;       // of the oldest
        std::size_t chosen = 0;          // number of held frames to remove; the last of them is shown
    };
    bool mayMeet() const;
    bool mayWait(const Side& side, TimestampNs now) const;

    std::size_t depth_ = 0;
    std::array<Side, 2> sides_;
};

}  // namespace verbcast
