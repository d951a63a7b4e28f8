#include "core/sync/timed_display.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kKeptFree = 4;  // slots of a ring, as in FrameAlignment

}  // namespace

std::uint64_t TimedDisplay::begin(SyncMode mode, TimestampNs now) {
    release(now);
    while (!waiting_.empty()) {
        leaveOutFirst();
    }
    mode_ = mode;
    order_ = {};
    return ++session_;
}

void TimedDisplay::release(TimestampNs now) {
    mode_ = SyncMode::Off;
    if (current_ && current_->due.value_or(std::numeric_limits<TimestampNs>::max()) > now) {
        current_->due = now;
        current_->knownAt = now;
    }
}

void TimedDisplay::leaveOutFirst() {
    left_.add(PictureChanges::of(waiting_.front().info));
    waiting_.pop_front();
    ++skipped_;
}

/// Hold: drops later frames, since the other displays wait for the earlier ones.
void TimedDisplay::makeRoom(ReceivedFrame& frame) {
    if (frame.lossless) {
        return;
    }
    std::uint32_t slots = slots_;
    if (const auto& pool = frame.lease.pool()) {
        slots = std::min(slots, pool->slotCount());  // with shared memory, the ring is the sender's
    }
    const std::uint32_t most = std::max(slots, kKeptFree + 1) - kKeptFree;
    while (waiting_.size() >= most) {
        if (mode_ != SyncMode::Hold) {
            leaveOutFirst();
            continue;
        }
        PictureChanges changes = PictureChanges::of(waiting_.back().info);
        changes.add(PictureChanges::of(frame.info));
        changes.tellIn(frame.info);
        waiting_.pop_back();
        ++skipped_;
    }
}

/// Go: skips frames whose successor is due as well, even if the sender drops none: it would wait for their
/// slots.
void TimedDisplay::leaveOutPassed(TimestampNs now) {
    const auto passed = [&] {
        return mode_ == SyncMode::Hold ? waiting_.front().info.sequence < order_.sequence
               : mode_ == SyncMode::Go ? waiting_.size() > 1 && waiting_[1].presentAt <= now
                                       : waiting_.size() > 1 && !waiting_.front().lossless;
    };
    while (!waiting_.empty() && passed()) {
        leaveOutFirst();
    }
}

void TimedDisplay::put(ReceivedFrame frame, TimestampNs now) {
    if (frame.session != session_) {
        left_.add(PictureChanges::of(frame.info));
        ++skipped_;
        return;
    }
    makeRoom(frame);
    waiting_.push_back(std::move(frame));
    leaveOutPassed(now);
}

void TimedDisplay::order(const PresentFrame& order, TimestampNs now) {
    if (mode_ != SyncMode::Hold) {
        return;  // of a connection that is over
    }
    if (order.sequence < order_.sequence) {
        throw peerError("the peer asked to show frame {} after frame {}", order.sequence, order_.sequence);
    }
    order_ = order;
    leaveOutPassed(now);
    if (current_ && current_->session == session_ && !current_->due) {
        if (current_->sequence < order.sequence) {
            current_.reset();  // what was drawn is drawn over
            ++skipped_;
        } else if (current_->sequence == order.sequence && order.due != 0) {
            current_->due = order.due;
            current_->knownAt = now;
        }
    }
}

std::optional<TimestampNs> TimedDisplay::passesAt() const {
    const bool timed = mode_ == SyncMode::Go && waiting_.size() > 1 && waiting_.front().lossless;
    return timed ? std::optional(waiting_[1].presentAt) : std::nullopt;
}

bool TimedDisplay::passOver(TimestampNs now) {
    const std::size_t before = waiting_.size();
    leaveOutPassed(now);
    return waiting_.size() != before;
}

std::optional<ReceivedFrame> TimedDisplay::next(TimestampNs now) {
    if (current_) {
        return std::nullopt;
    }
    leaveOutPassed(now);
    if (waiting_.empty()) {
        return std::nullopt;
    }
    ReceivedFrame frame = std::move(waiting_.front());
    waiting_.pop_front();
    if (!left_.isNone()) {
        left_.add(PictureChanges::of(frame.info));
        left_.tellIn(frame.info);
        left_ = PictureChanges::none();
    }
    current_ = {.sequence = frame.info.sequence, .session = session_};
    if (mode_ == SyncMode::Off) {
        current_->due = now;
    } else if (mode_ == SyncMode::Go) {
        current_->due = frame.presentAt;
    } else if (order_.due != 0 && order_.sequence == frame.info.sequence) {
        current_->due = order_.due;
        current_->knownAt = now;
    }
    return frame;
}

std::optional<std::uint64_t> TimedDisplay::drawn(TimestampNs now) {
    if (!current_) {
        return std::nullopt;  // an order has passed it over meanwhile
    }
    current_->drawnAt = now;
    const bool heard = mode_ != SyncMode::Off && current_->session == session_;
    return heard ? std::optional(current_->sequence) : std::nullopt;
}

std::optional<TimestampNs> TimedDisplay::due() const {
    return current_ && current_->drawnAt ? current_->due : std::nullopt;
}

std::optional<FramePresented> TimedDisplay::shown(TimestampNs at, ShownBy by) {
    const std::optional<Current> was = std::exchange(current_, std::nullopt);
    if (!was || !was->drawnAt || !was->due || mode_ == SyncMode::Off || was->session != session_) {
        return std::nullopt;
    }
    return FramePresented{.sequence = was->sequence,
                          .shownAt = at,
                          .due = *was->due,
                          .couldAt = std::max(*was->drawnAt, was->knownAt),
                          .by = by};
}

}  // namespace verbcast
