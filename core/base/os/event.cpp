#include "core/base/os/event.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

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

std::uint64_t Event::clear() const noexcept {
    std::uint64_t count = 0;
    return ::read(fd_.get(), &count, sizeof count) == sizeof count ? count : 0;
}

bool Event::isSet() const noexcept {
    pollfd p{fd_.get(), POLLIN, 0};
    return ::poll(&p, 1, 0) > 0;
}

bool waitReadable(std::span<const int> descriptors, std::chrono::nanoseconds time, std::uint32_t* readable) {
    const bool ends = time != std::chrono::nanoseconds::max();
    const TimestampNs left = std::max<TimestampNs>(time.count(), 0);
    std::array<pollfd, 8> few{};  // enough for the usual case, without allocation
    std::vector<pollfd> many(descriptors.size() > few.size() ? descriptors.size() : 0);
    const std::span<pollfd> fds = many.empty() ? std::span(few).first(descriptors.size()) : std::span(many);
    for (std::size_t i = 0; i < fds.size(); ++i) {
        fds[i] = pollfd{descriptors[i], POLLIN, 0};  // the kernel also ignores negative ones
    }
    const timespec limit{.tv_sec = static_cast<time_t>(left / 1'000'000'000),
                         .tv_nsec = static_cast<long>(left % 1'000'000'000)};
    const int woken = ::ppoll(fds.data(), fds.size(), ends ? &limit : nullptr, nullptr);
    if (readable != nullptr) {
        *readable = 0;
        for (std::size_t i = 0; woken > 0 && i < std::min<std::size_t>(fds.size(), 32); ++i) {
            *readable |= fds[i].revents != 0 ? 1U << i : 0U;
        }
    }
    return woken != 0;
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
