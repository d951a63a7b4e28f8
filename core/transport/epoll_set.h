// What a thread sleeps on: many descriptors behind one, a socket, a point in time.
#pragma once

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/os/clock.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {

/// Readable when any of the added descriptors is. Thread-bound.
class EpollSet {
  public:
    /// `what` is for errors. Throws Error{Resource} when there are no descriptors left.
    explicit EpollSet(std::string what) : what_(std::move(what)), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
        if (!epoll_) {
            throwErrno(ErrorKind::Resource, "epoll_create1", what_, errno, kRaiseFileLimit);
        }
    }

    int descriptor() const { return epoll_.get(); }
    /// Throws Error{Resource}. Closing a descriptor removes it.
    void add(int descriptor, std::uint32_t events = EPOLLIN) {
        if (control(EPOLL_CTL_ADD, descriptor, events) != 0) {
            throwErrno(ErrorKind::Resource, "epoll_ctl", what_, errno, kRaiseFileLimit);
        }
    }
    /// Of a descriptor that was added: cannot fail.
    void change(int descriptor, std::uint32_t events) noexcept { control(EPOLL_CTL_MOD, descriptor, events); }
    void remove(int descriptor) noexcept { control(EPOLL_CTL_DEL, descriptor, 0); }

  private:
    int control(int operation, int descriptor, std::uint32_t events) noexcept {
        epoll_event event{};
        event.events = events;
        event.data.fd = descriptor;
        return ::epoll_ctl(epoll_.get(), operation, descriptor, &event);
    }

    std::string what_;
    UniqueFd epoll_;
};

/// Waits for a socket, owned by somebody else who keeps it open longer, to become readable and, only while
/// data is unsent, for room in it. Thread-bound.
class SocketWatch {
  public:
    /// Watches for reading. Throws Error{Resource} when there are no descriptors left.
    explicit SocketWatch(int socket) : socket_(socket) { epoll_.add(socket); }

    int descriptor() const { return epoll_.descriptor(); }
    /// Also watches for room to write, or stops doing so.
    void wantRoom(bool wanted) noexcept {
        if (wanted != std::exchange(wantsRoom_, wanted)) {
            epoll_.change(socket_, wanted ? EPOLLIN | EPOLLOUT : EPOLLIN);
        }
    }

  private:
    int socket_;
    EpollSet epoll_{"a connection"};
    bool wantsRoom_ = false;
};

/// Thread-bound.
class Timer {
  public:
    /// `what` is for errors. Throws Error{Resource} when there are no descriptors left.
    explicit Timer(const std::string& what)
        : fd_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
        if (!fd_) {
            throwErrno(ErrorKind::Resource, "timerfd_create", what, errno, kRaiseFileLimit);
        }
    }

    /// Readable from the time on that was set last.
    int descriptor() const { return fd_.get(); }
    /// A time of nowNs(); 0: never. False if the kernel refuses.
    bool set(TimestampNs due) noexcept {
        itimerspec when{};
        when.it_value = {.tv_sec = due / 1'000'000'000, .tv_nsec = due % 1'000'000'000};
        if (due != due_ && ::timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME, &when, nullptr) == 0) {
            due_ = due;
        }
        return due == due_;
    }

  private:
    UniqueFd fd_;
    TimestampNs due_ = 0;
};

}  // namespace verbcast
