// Which frames of two streams are shown together, so that what is compared is the same frame.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "core/stream/frame/received_frame.h"

namespace verbcast {

/// What tells a frame from the others of its stream.
struct FrameMoment {
    std::uint64_t sequence = 0;
    std::int64_t pts = 0;
    Rational timeBase{1, 1000};
};
FrameMoment momentOf(const ReceivedFrame& frame);
/// By presentation time, which a relay keeps; by sequence where a stream has no times.
bool sameMoment(const FrameMoment& a, const FrameMoment& b);
/// From a to b by presentation time.
double secondsBetween(const FrameMoment& a, const FrameMoment& b);

/// Two sides, 0 and 1. A frame waits while the other side may still bring its like: while the last few frames
/// of both have one in common, and not for longer than its patience. Streams that have none are not held up.
/// One thread.
class FramePairing {
  public:
    static constexpr std::chrono::milliseconds kPatience{500};

    /// Frames of a side that wait at most; each holds a slot of its stream. 0: nothing is paired.
    void setDepth(std::size_t frames) { depth_ = frames; }
    std::size_t depth() const { return depth_; }

    void add(std::size_t side, ReceivedFrame frame, TimestampNs now);
    /// Decides what take() gives. `shown`: what the sides show now.
    void choose(const std::optional<FrameMoment>& shown0, const std::optional<FrameMoment>& shown1,
                TimestampNs now);
    /// After take(): some frame waits, and is to be chosen from again once its patience is over.
    bool waits() const { return !sides_[0].held.empty() || !sides_[1].held.empty(); }

    /// A frame to show, with what changed in those that it passes over, and how many they are. Without a
    /// frame the side stays as it is.
    struct Chosen {
        std::optional<ReceivedFrame> frame;
        std::uint64_t passedOver = 0;
    };
    Chosen take(std::size_t side);
    /// The last one, whatever it was waiting for.
    Chosen takeNewest(std::size_t side);
    /// The side is another stream's from now on.
    void forget(std::size_t side);

  private:
    struct Side {
        std::deque<ReceivedFrame> held;  // the oldest first
        std::deque<FrameMoment> recent;  // of the last frames that came, shown or not
        TimestampNs heldSince = 0;       // the first of them
        std::size_t chosen = 0;          // so many of those held go: the last of them is shown
    };
    bool mayMeet() const;
    bool mayWait(const Side& side, TimestampNs now) const;

    std::size_t depth_ = 0;
    std::array<Side, 2> sides_;
};

}  // namespace verbcast
