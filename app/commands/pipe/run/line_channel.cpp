#include "app/commands/pipe/run/line_channel.h"

#include <limits.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/base/error.h"
#include "core/base/os/event.h"

namespace verbcast {
namespace {

constexpr std::size_t kMaxLineLength = 1U << 20;

bool isReady(int descriptor, short events) {
    pollfd p{descriptor, events, 0};
    return ::poll(&p, 1, 0) > 0;
}

UniqueFd epollForWriting(int descriptor) {
    UniqueFd made(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event event{EPOLLOUT, {}};
    if (!made || ::epoll_ctl(made.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) {
        throwErrno(ErrorKind::Resource, "epoll", "a pipe", errno);
    }
    return made;
}

}  // namespace

void LineChannel::receive() {
    std::array<char, 16384> bytes;
    if (ended_ || !isReady(reading_.get(), POLLIN)) {
        return;
    }
    const ssize_t got = ::read(reading_.get(), bytes.data(), bytes.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
        return;
    }
    if (got > 0) {
        received_.append(bytes.data(), static_cast<std::size_t>(got));
    }
    ended_ = got <= 0 || (received_.size() > kMaxLineLength && received_.find('\n') == std::string::npos);
}

std::optional<std::string> LineChannel::next() {
    const auto end = received_.find('\n');
    if (end == std::string::npos) {
        return std::nullopt;
    }
    std::string line = received_.substr(0, end);
    received_.erase(0, end + 1);
    return line;
}

void LineChannel::send(const std::string& line) {
    if (writing_) {
        unsent_ += line + "\n";
        flush();
    }
}

void LineChannel::flush() {
    // PIPE_BUF bytes fit where poll() sees room. Others may share the pipe, which rules out O_NONBLOCK.
    while (!unsent_.empty() && isReady(writing_.get(), POLLOUT)) {
        const ssize_t put =
            ::write(writing_.get(), unsent_.data(), std::min<std::size_t>(unsent_.size(), PIPE_BUF));
        if (put > 0) {
            unsent_.erase(0, static_cast<std::size_t>(put));
        } else if (errno != EINTR && errno != EAGAIN) {
            closeWriting();
        }
    }
    if (!unsent_.empty() && !room_) {
        room_ = epollForWriting(writing_.get());
    }
}

void LineChannel::flush(Deadline deadline) {
    while (waitsToSend() && waitReadable({roomDescriptor()}, deadline)) {
        flush();
    }
}

void LineChannel::closeWriting() {
    unsent_.clear();
    room_.reset();
    writing_.reset();
}

}  // namespace verbcast
