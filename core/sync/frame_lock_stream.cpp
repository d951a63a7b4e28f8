#include "core/sync/frame_lock_stream.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

namespace verbcast {

void sleepExactly(TimestampNs until) {
    constexpr TimestampNs kNsPerSecond = 1'000'000'000;
    const TimestampNs at = std::max(until, TimestampNs{0});
    const timespec time{.tv_sec = at / kNsPerSecond, .tv_nsec = at % kNsPerSecond};
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
    }
}

/// Call with mutex_ held.
void FrameLockStream::setTimer() {
    TimestampNs wake = 0;  // never
    if (display_.wantsDrawing()) {
        wake = 1;  // at once
    } else if (const auto due = display_.due()) {
        wake = std::max(elapsedNs(kEarly, *due), TimestampNs{1});
    }
    timer_.set(wake);
}

void FrameLockStream::put(ReceivedFrame frame) {
    const std::lock_guard lock(mutex_);
    display_.put(std::move(frame), nowNs());
    setTimer();
}

void FrameLockStream::release() {
    const std::lock_guard lock(mutex_);
    beAlone();
}

void FrameLockStream::onSessionEnd(const std::shared_ptr<Outbox>& outbox) {
    const std::lock_guard lock(mutex_);
    if (outbox == outbox_) {
        beAlone();
    }
}

/// Call with mutex_ held.
void FrameLockStream::beAlone() {
    on_ = false;
    outbox_.reset();
    display_.release(nowNs());
    setTimer();
}

bool FrameLockStream::takes() const {
    const std::lock_guard lock(mutex_);
    return on_ || display_.anyWaiting() || display_.owesChanges();
}

bool FrameLockStream::anyWaiting() const {
    const std::lock_guard lock(mutex_);
    return display_.anyWaiting();
}

std::optional<ReceivedFrame> FrameLockStream::next() {
    const std::lock_guard lock(mutex_);
    auto frame = display_.next(nowNs());
    setTimer();
    return frame;
}

void FrameLockStream::drawn() {
    const std::lock_guard lock(mutex_);
    if (const auto sequence = display_.drawn(nowNs()); sequence && outbox_) {
        static_cast<void>(outbox_->put(FrameReady{*sequence}));
    }
    setTimer();
}

std::optional<TimestampNs> FrameLockStream::due() const {
    const std::lock_guard lock(mutex_);
    return display_.due();
}

std::optional<TimestampNs> FrameLockStream::dueSoon() const {
    const std::optional<TimestampNs> at = due();
    return at && elapsedNs(nowNs(), *at) <= kEarly ? at : std::nullopt;
}

bool FrameLockStream::idle() const {
    const std::lock_guard lock(mutex_);
    return display_.idle();
}

bool FrameLockStream::showUnseen(const std::function<void(ReceivedFrame)>& take) {
    if (auto frame = next()) {
        take(std::move(*frame));
        drawn();
    }
    const auto at = dueSoon();
    if (at) {
        sleepExactly(*at);
        shown(nowNs(), ShownBy::Timer);
    }
    return at.has_value();
}

FrameLockStream::Swapped FrameLockStream::swapped() {
    const std::lock_guard lock(mutex_);
    Swapped frame{.message = display_.shown(0, ShownBy::Swap), .outbox = outbox_};
    setTimer();
    return frame;
}

void FrameLockStream::told(const Swapped& frame, TimestampNs at, ShownBy by) {
    const std::lock_guard lock(mutex_);
    if (!frame.message || !outbox_ || frame.outbox != outbox_) {
        return;  // nobody listens any more
    }
    FramePresented message = *frame.message;
    message.shownAt = at;
    message.by = by;
    message.wallOffset = clock_.wallOffset;
    const bool late = message.couldAt > message.due;
    own_.shownBy = nameOf(by);
    own_.framesShown += late ? 0 : 1;
    own_.framesLate += late ? 1 : 0;
    behindDue_.record(elapsedNs(message.due, at));
    static_cast<void>(outbox_->put(message));
}

std::uint64_t FrameLockStream::onSession(SyncMode mode, std::shared_ptr<Outbox> outbox) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t session = display_.begin(mode, nowNs());
    outbox_ = std::move(outbox);
    on_ = mode != SyncMode::Off;
    lastMode_ = mode != SyncMode::Off ? mode : lastMode_;
    own_.connected = true;
    setTimer();
    return session;
}

void FrameLockStream::onOrder(const PresentFrame& order) {
    const std::lock_guard lock(mutex_);
    display_.order(order, nowNs());
    setTimer();
}

void FrameLockStream::onNews(const FrameLockNews& news, const ClockState& clock) {
    const std::lock_guard lock(mutex_);
    news_ = news;
    clock_ = clock;
}

std::optional<TimestampNs> FrameLockStream::passesAt() const {
    const std::lock_guard lock(mutex_);
    return display_.passesAt();
}

bool FrameLockStream::passOver(TimestampNs now) {
    const std::lock_guard lock(mutex_);
    const bool passed = display_.passOver(now);
    setTimer();
    return passed;
}

std::optional<FrameLockStats> FrameLockStream::stats() const {
    const std::lock_guard lock(mutex_);
    if (lastMode_ == SyncMode::Off) {
        return std::nullopt;
    }
    FrameLockStats stats = news_.all;
    stats.mode = nameOf(lastMode_);
    stats.own = own_;
    stats.own.connected = on_;
    stats.own.clock = nameOf(clock_.by);
    stats.own.clockErrorUs = static_cast<double>(clock_.errorNs) * 1e-3;
    stats.own.behindDue = behindDue_.percentiles();
    return stats;
}

std::uint64_t FrameLockStream::skipped() const {
    const std::lock_guard lock(mutex_);
    return display_.skipped();
}

}  // namespace verbcast
