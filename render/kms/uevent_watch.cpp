#include "render/kms/uevent_watch.h"

#include <linux/netlink.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string_view>

namespace verbcast {
namespace {

constexpr unsigned kKernelGroup = 1;
constexpr TimestampNs kLookAnyway = 2'000'000'000;

UniqueFd kernelSocket() {
    UniqueFd made(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT));
    sockaddr_nl address{};
    address.nl_family = AF_NETLINK;
    address.nl_groups = kKernelGroup;
    if (made && ::bind(made.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        made.reset();
    }
    return made;
}

/// Searches words that each end with a zero byte.
bool hasWord(std::string_view message, std::string_view wanted) {
    while (!message.empty()) {
        const std::size_t end = message.find('\0');
        if (message.substr(0, end) == wanted) {
            return true;
        }
        message.remove_prefix(end == std::string_view::npos ? message.size() : end + 1);
    }
    return false;
}

}  // namespace

UeventWatch::UeventWatch() : socket_(kernelSocket()) {}

bool UeventWatch::drmChanged() {
    if (!socket_) {
        const TimestampNs now = nowNs();
        if (now - lookedAt_ < kLookAnyway) {
            return false;
        }
        lookedAt_ = now;
        return true;
    }
    bool changed = false;
    for (;;) {
        std::array<char, 8192> message{};
        sockaddr_nl from{};
        socklen_t size = sizeof from;
        const ssize_t got = ::recvfrom(socket_.get(), message.data(), message.size(), 0,
                                       reinterpret_cast<sockaddr*>(&from), &size);
        if (got < 0) {
            if (errno == ENOBUFS) {
                changed = true;  // some messages were lost
                continue;
            }
            return changed;
        }
        // Other processes may send to the group, too; port 0 is the kernel.
        changed |=
            from.nl_pid == 0 && hasWord({message.data(), static_cast<std::size_t>(got)}, "SUBSYSTEM=drm");
    }
}

}  // namespace verbcast
