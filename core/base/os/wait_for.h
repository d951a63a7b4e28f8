// Waiting for a condition that other threads make true: arm, check, sleep.
#pragma once

#include <initializer_list>
#include <span>
#include <utility>

#include "core/base/os/deadline.h"
#include "core/base/os/event.h"

namespace verbcast {

/// Waits until done() returns true, and then never calls it again: it may consume something. Checks it
/// whenever `changed` is notified or one of `more` is readable. TimedOut at the deadline, Cancelled once
/// `cancel` (may be null) is set; done() is called at least once in any case. One waiter per event.
template <typename Done>
Status waitFor(ArmedEvent& changed, Done&& done, Deadline deadline, const Event* cancel = nullptr,
               std::initializer_list<int> more = {}) {
    if (done()) {
        return Status::Ok;  // the usual case, without the cost of arming
    }
    for (;;) {
        changed.arm();
        if (done()) {
            changed.disarm();
            return Status::Ok;
        }
        const bool cancelled = cancel != nullptr && cancel->isSet();
        if (cancelled || deadline.passed()) {
            changed.disarm();
            return cancelled ? Status::Cancelled : Status::TimedOut;
        }
        int descriptors[8] = {changed.descriptor(), cancel != nullptr ? cancel->descriptor() : -1};
        std::size_t count = 2;
        for (const int descriptor : more) {
            descriptors[count++] = descriptor;
        }
        waitReadable(std::span<const int>(descriptors, count), deadline);
        changed.disarm();
    }
}

}  // namespace verbcast
