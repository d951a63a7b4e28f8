#include "app/view/streams/held_frames.h"

#include <algorithm>
#include <utility>

namespace verbcast {
namespace {

constexpr std::uint32_t kKeptFree = 4;  // slots of a ring, as in FrameAlignment

}  // namespace

bool HeldFrames::full() const {
    std::uint32_t slots = slots_;
    if (const auto& pool = waiting_.front().frame.lease.pool()) {
        slots = std::min(slots, pool->slotCount());  // with shared memory, the ring is the sender's
    }
    return waiting_.size() + kKeptFree > std::max(slots, kKeptFree + 1);
}

void HeldFrames::put(ReceivedFrame frame, TimestampNs now, TimestampNs wait) {
    waiting_.push_back({std::move(frame), now, now + wait});
}

std::optional<TimestampNs> HeldFrames::due() const {
    return waiting_.empty() ? std::nullopt : std::optional(full() ? 0 : waiting_.front().due);
}

std::optional<ReceivedFrame> HeldFrames::takeDue(TimestampNs now) {
    const auto when = due();
    return when && *when <= now ? takeFirst(now) : std::nullopt;
}

std::optional<ReceivedFrame> HeldFrames::takeFirst(TimestampNs now) {
    if (waiting_.empty()) {
        return std::nullopt;
    }
    Waiting first = std::move(waiting_.front());
    waiting_.pop_front();
    if (first.due > now) {
        cutShort_.fetch_add(1, std::memory_order_relaxed);
    }
    first.frame.heldFor = now - first.since;
    return std::move(first.frame);
}

}  // namespace verbcast
