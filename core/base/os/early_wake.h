// Waking a little before something is expected, so that its thread runs when it comes.
#pragma once

#include <sys/prctl.h>

#include <algorithm>
#include <utility>

#include "core/base/os/clock.h"

namespace verbcast {

/// Disables timer slack (50 us by default) for the calling thread.
inline void wakeExactly() {
    ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

/// A small part of a thread's time that may be spent spinning. Thread-bound.
class SpinAllowance {
  public:
    /// 0.5 % of a processor.
    static constexpr TimestampNs kShare = 200;

    /// How long it may spin at that time.
    TimestampNs at(TimestampNs now) {
        left_ = std::min(kMost, left_ + (now - countedTo_) / kShare);
        countedTo_ = now;
        return std::max<TimestampNs>(left_, 0);
    }
    void spend(TimestampNs time) { left_ -= time; }

    /// Until when to spin for something that a peer says is due, which may be any number; 0: do not spin.
    /// That time counts as spent.
    TimestampNs spinFor(TimestampNs due, TimestampNs now) {
        if (due < now - kMayBeLate || due > now + kMayBeEarly) {
            return 0;
        }
        const TimestampNs until = std::min(due + kMayBeLate, now + at(now));
        spend(until - now);
        return until;
    }
    /// What was due came this long before the spin would have ended; a negative time gives nothing back.
    void giveBack(TimestampNs time) { left_ += std::max<TimestampNs>(time, 0); }

  private:
    static constexpr TimestampNs kMost = 500'000;  // saved up
    static constexpr TimestampNs kMayBeLate = 100'000;
    static constexpr TimestampNs kMayBeEarly = 1'000'000;

    TimestampNs left_ = kMost;
    TimestampNs countedTo_ = nowNs();
};

/// When to wake for what is due at a known time. A sleep ends late, by the timer's slack and the time that an
/// idle processor takes to run again: some 50 us, depending on the machine. Thread-bound.
class EarlyWake {
  public:
    /// Early enough for its thread, and the threads that it then wakes, to be running at `due`. `due` itself
    /// if that is too soon after `now`, if what is due usually comes late, or after too much spinning.
    TimestampNs wakeFor(TimestampNs due, TimestampNs now) {
        due_ = due;
        waitedUntil_ = 0;
        const TimestampNs lead = std::clamp(lateness_ + lateness_ / 2, kLeastLead, kMostLead);
        const TimestampNs at = due - lateness_ - lead;
        return at > now && delay_ < kMostLead && allowance_.at(now) > lead ? at : due;
    }
    /// A sleep until `at` has ended.
    void woke(TimestampNs at, TimestampNs now) {
        learn(lateness_, now - at);
        waitedUntil_ = std::max(due_, now);
    }
    void spun(TimestampNs time) { allowance_.spend(time); }
    /// What was due has come. Counts after woke() only, and once.
    void came(TimestampNs at) {
        if (waitedUntil_ != 0) {
            learn(delay_, at - std::exchange(waitedUntil_, 0));
        }
    }

  private:
    // A wake-up and a half. The others' take as long as this thread's own, if that has no timer slack.
    static constexpr TimestampNs kLeastLead = 20'000;
    static constexpr TimestampNs kMostLead = 60'000;
    static constexpr TimestampNs kLatest = 1'000'000;  // beyond: the machine was busy

    static void learn(TimestampNs& mean, TimestampNs value) {
        mean += (std::clamp<TimestampNs>(value, 0, kLatest) - mean) / 8;
    }

    TimestampNs due_ = 0;
    TimestampNs waitedUntil_ = 0;
    TimestampNs delay_ = 0;  // of what was due: most sources only begin their frame then
    TimestampNs lateness_ = kMostLead;
    SpinAllowance allowance_;
};

}  // namespace verbcast
