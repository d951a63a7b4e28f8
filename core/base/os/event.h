// Waking a thread from another one, and waiting with a deadline and a way to cancel.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/base/os/clock.h"
#include "core/base/os/deadline.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {

/// An eventfd. notify() may be called from any thread and from a signal handler; one thread waits.
class Event {
  public:
    Event();

    /// Makes descriptor() readable until clear().
    void notify() const noexcept;
    /// Returns how often notify() has been called since the last clear().
    std::uint64_t clear() const noexcept;
    int descriptor() const { return fd_.get(); }
    bool isSet() const noexcept;

  private:
    UniqueFd fd_;
};

/// An Event that costs no system call while nobody sleeps on it.
///
/// The waiter calls arm(), checks its condition once more, and only then sleeps on descriptor(); the notifier
/// changes the condition first and then calls notify(). Both exchange the same flag, so one comes second:
/// either the notifier finds the flag set, or the waiter has acquired what the notifier changed.
///
/// A notifier that took the flag may be delayed before it sets the event. The waiter counts the notifiers
/// that took the flag and clears the event once for each, on the next arm() or disarm() if necessary: an
/// event that stayed set would keep the waiter from ever sleeping again.
class ArmedEvent {
  public:
    /// Called by the waiter. Idempotent.
    void arm() noexcept {
        disarm();
        clearNotified();
        isArmed_ = true;
        armed_.exchange(true, std::memory_order_acq_rel);
    }
    /// Called by the waiter. Does nothing if it is not armed.
    void disarm() noexcept {
        if (!std::exchange(isArmed_, false)) {
            return;
        }
        if (!armed_.exchange(false, std::memory_order_acq_rel)) {
            ++owed_;
        }
        clearNotified();
    }
    void notify() noexcept {
        if (armed_.exchange(false, std::memory_order_acq_rel)) {
            event_.notify();
        }
    }
    int descriptor() const { return event_.descriptor(); }

  private:
    void clearNotified() noexcept {
        if (owed_ != 0) {
            owed_ -= event_.clear();
        }
    }

    Event event_;
    std::atomic<bool> armed_{false};
    bool isArmed_ = false;    // as the waiter sees it; a notifier may have taken the flag since
    std::uint64_t owed_ = 0;  // notifiers that took the flag and whose notification is not cleared yet
};

/// Waits until one descriptor is readable. Negative descriptors are ignored. Returns false on timeout.
/// Interruption by a signal counts as a wake-up (returns true). Bit i of `readable` (may be null) tells
/// whether descriptors[i] is readable, for the first 32.
/// A time of std::chrono::nanoseconds::max() never ends.
bool waitReadable(std::span<const int> descriptors, std::chrono::nanoseconds time,
                  std::uint32_t* readable = nullptr);
inline bool waitReadable(std::span<const int> descriptors, Deadline deadline,
                         std::uint32_t* readable = nullptr) {
    return waitReadable(descriptors, deadline.left(), readable);
}
inline bool waitReadable(std::initializer_list<int> descriptors, Deadline deadline) {
    return waitReadable(std::span(descriptors.begin(), descriptors.size()), deadline.left());
}
inline bool waitReadable(std::initializer_list<int> descriptors, std::chrono::nanoseconds time) {
    return waitReadable(std::span(descriptors.begin(), descriptors.size()), time);
}

/// Sleeps until `due`. False if `cancel` was set before then.
bool waitUntil(TimestampNs due, const Event& cancel);

/// Waits until done() returns true, and then never calls it again: it may consume something. Checks it
/// whenever `changed` is notified or one of `more` is readable. TimedOut at the deadline, Cancelled once
/// `cancel` (may be null) is set; done() is called at least once in any case. One waiter per event; any
/// number may look (a deadline that has passed).
template <typename Done>
Status waitFor(ArmedEvent& changed, Done&& done, Deadline deadline, const Event* cancel = nullptr,
               std::initializer_list<int> more = {}) {
    if (done()) {
        return Status::Ok;  // the usual case, without the cost of arming
    }
    if (deadline.left().count() == 0) {  // only a look: another may be waiting
        return cancel != nullptr && cancel->isSet() ? Status::Cancelled : Status::TimedOut;
    }
    constexpr std::uint32_t kCancelBit = 2;
    for (bool cancelled = false;;) {
        changed.arm();
        if (done()) {
            changed.disarm();
            return Status::Ok;
        }
        const std::chrono::nanoseconds left = deadline.left();
        if (cancelled || (left.count() == 0 && (cancel == nullptr || !cancel->isSet()))) {
            changed.disarm();
            return cancelled ? Status::Cancelled : Status::TimedOut;
        }
        int descriptors[8] = {changed.descriptor(), cancel != nullptr ? cancel->descriptor() : -1};
        std::size_t count = 2;
        for (const int descriptor : more) {
            descriptors[count++] = descriptor;
        }
        std::uint32_t readable = 0;
        waitReadable(std::span<const int>(descriptors, count), left, &readable);
        cancelled = (readable & kCancelBit) != 0;
        changed.disarm();
    }
}

}  // namespace verbcast
