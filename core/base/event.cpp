#include "core/base/event.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <cerrno>
#include <cstdint>

namespace verbcast {

Event::Event() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!fd_) {
        throwErrno(ErrorKind::Resource, "eventfd", "a new event", errno,
                   "raise the limit of open files: ulimit -n 4096");
    }
}

void Event::notify() const noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(fd_.get(), &one, sizeof one);
}

void Event::clear() const noexcept {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = ::read(fd_.get(), &count, sizeof count);
}

bool Event::isSet() const noexcept {
    pollfd p{fd_.get(), POLLIN, 0};
    return ::poll(&p, 1, 0) > 0;
}

bool waitReadable(std::span<const int> descriptors, std::chrono::nanoseconds timeout) {
    std::array<pollfd, 8> fds{};
    nfds_t count = 0;
    for (int fd : descriptors) {
        if (fd >= 0 && count < fds.size()) {
            fds[count++] = pollfd{fd, POLLIN, 0};
        }
    }
    timespec limit{};
    if (timeout.count() >= 0) {
        limit.tv_sec = static_cast<time_t>(timeout.count() / 1'000'000'000);
        limit.tv_nsec = static_cast<long>(timeout.count() % 1'000'000'000);
    }
    return ::ppoll(fds.data(), count, timeout.count() < 0 ? nullptr : &limit, nullptr) != 0;
}

bool waitUntil(TimestampNs due, const Event& cancel) {
    for (TimestampNs now = nowNs(); now < due; now = nowNs()) {
        if (waitReadable({cancel.descriptor()}, std::chrono::nanoseconds(due - now)) && cancel.isSet()) {
            return false;
        }
    }
    return true;
}

}  // namespace verbcast
