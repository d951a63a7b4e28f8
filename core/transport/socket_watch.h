// Waits for one socket to become readable and, only while data is unsent, for room in it.
#pragma once

#include <sys/epoll.h>

#include <cerrno>
#include <cstdint>

#include "core/base/error.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {

/// An epoll descriptor around a socket owned by somebody else, who keeps it open longer. Thread-bound.
class SocketWatch {
  public:
    /// Watches for reading. Throws Error{Resource} when there are no descriptors left.
    explicit SocketWatch(int socket) : socket_(socket), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
        epoll_event event{};
        event.events = EPOLLIN;
        if (!epoll_ || ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket_, &event) != 0) {
            throwErrno(ErrorKind::Resource, "epoll", "a connection", errno,
                       "raise the limit of open files: ulimit -n 4096");
        }
    }

    int descriptor() const { return epoll_.get(); }
    /// Also watches for room to write, or stops doing so.
    void wantRoom(bool wanted) noexcept {
        if (wanted != wantsRoom_) {
            epoll_event event{};
            event.events = wanted ? EPOLLIN | EPOLLOUT : EPOLLIN;
            ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket_, &event);
            wantsRoom_ = wanted;
        }
    }

  private:
    int socket_;
    UniqueFd epoll_;
    bool wantsRoom_ = false;
};

}  // namespace verbcast
