#include "app/pipe/run/line_channel.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

namespace verbcast {
namespace {

constexpr std::size_t kMaxLineLength = 1U << 20;

bool isReadable(int descriptor) {
    pollfd p{descriptor, POLLIN, 0};
    return ::poll(&p, 1, 0) > 0;
}

}  // namespace

void LineChannel::receive() {
    std::array<char, 16384> bytes;
    if (ended_ || !isReadable(reading_.get())) {
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
    const std::string whole = line + "\n";
    std::string_view left = whole;
    while (!left.empty() && writing_) {
        const ssize_t put = ::write(writing_.get(), left.data(), left.size());
        if (put > 0) {
            left.remove_prefix(static_cast<std::size_t>(put));
        } else if (errno == EAGAIN) {
            pollfd p{writing_.get(), POLLOUT, 0};
            ::poll(&p, 1, -1);
        } else if (errno != EINTR) {
            return;
        }
    }
}

}  // namespace verbcast
