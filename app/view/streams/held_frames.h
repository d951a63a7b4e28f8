// Pictures that wait for their sound.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <optional>

#include "core/flow/received_frame.h"

namespace verbcast {

/// They leave in the order in which they came, and leave four slots of the stream's ring free: if more would
/// wait, the oldest is due at once. So a sender that waits for free slots goes on. Pure: time is passed in.
/// Used by one thread, except for cutShort().
class HeldFrames {
  public:
    /// `slots`: those of the stream's ring.
    explicit HeldFrames(std::uint32_t slots) : slots_(slots) {}

    /// The frame is due `wait` from now on.
    void put(ReceivedFrame frame, TimestampNs now, TimestampNs wait);
    /// The oldest, whose heldFor says for how long it has waited; nullopt if none waits.
    std::optional<ReceivedFrame> takeFirst(TimestampNs now);
    /// The same, if it is due.
    std::optional<ReceivedFrame> takeDue(TimestampNs now);
    /// When the oldest is due; nullopt if none waits.
    std::optional<TimestampNs> due() const;
    bool empty() const { return waiting_.empty(); }

    /// How many had to leave before they were due, so far. From any thread.
    std::uint64_t cutShort() const { return cutShort_; }

  private:
    struct Waiting {
        ReceivedFrame frame;
        TimestampNs since = 0, due = 0;
    };
    bool full() const;

    const std::uint32_t slots_;
    std::deque<Waiting> waiting_;
    std::atomic<std::uint64_t> cutShort_{0};
};

}  // namespace verbcast
