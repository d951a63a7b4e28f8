// Many descriptors behind one.
#pragma once

#include <sys/epoll.h>

#include <cerrno>
#include <string>
#include <utility>

#include "core/base/error.h"
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
        epoll_event event{};
        event.events = events;
        event.data.fd = descriptor;
        if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) {
            throwErrno(ErrorKind::Resource, "epoll_ctl", what_, errno, kRaiseFileLimit);
        }
    }
    void remove(int descriptor) noexcept { ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr); }

  private:
    std::string what_;
    UniqueFd epoll_;
};

}  // namespace verbcast
