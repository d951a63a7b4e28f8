// What a stage around a path sleeps on: the inner path, descriptors of its own, and a timer.
#pragma once

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "core/base/error.h"
#include "core/base/os/clock.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {

/// Thread-bound. The descriptors must outlive it.
class StageWait {
  public:
    /// `inside`: negative if there is none. Throws Error{Resource}.
    explicit StageWait(int inside)
        : epoll_(::epoll_create1(EPOLL_CLOEXEC)),
          timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
        if (!epoll_ || !timer_) {
            throwErrno(ErrorKind::Resource, "epoll, timerfd", "a connection", errno,
                       "raise the limit of open files: ulimit -n 4096");
        }
        add(inside);
        add(timer_.get());
    }

    int descriptor() const { return epoll_.get(); }
    void add(int descriptor) {
        epoll_event event{};
        event.events = EPOLLIN;
        if (descriptor >= 0 && ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) {
            throwErrno(ErrorKind::Resource, "epoll", "a connection", errno);
        }
    }
    /// Wakes at that moment; 0: no timer.
    void wakeAt(TimestampNs moment) {
        if (moment == wakeAt_) {
            return;
        }
        wakeAt_ = moment;
        itimerspec when{};
        if (moment != 0) {
            const TimestampNs wait = std::max<TimestampNs>(moment - nowNs(), 1);
            when.it_value = {wait / 1'000'000'000, wait % 1'000'000'000};
        }
        ::timerfd_settime(timer_.get(), 0, &when, nullptr);
    }
    /// Forgets the moment once it has come.
    void clearIfDue(TimestampNs now) {
        if (wakeAt_ != 0 && now >= wakeAt_) {
            std::uint64_t count = 0;
            static_cast<void>(::read(timer_.get(), &count, sizeof count) == sizeof count);
            wakeAt_ = 0;
            // A timer that is late by a tick may still expire: disarm it for what is next.
            const itimerspec none{};
            ::timerfd_settime(timer_.get(), 0, &none, nullptr);
        }
    }

  private:
    UniqueFd epoll_;
    UniqueFd timer_;
    TimestampNs wakeAt_ = 0;
};

}  // namespace verbcast
