#include "core/transport/socket_owner.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <span>
#include <sstream>
#include <string>

namespace verbcast {
namespace {

constexpr const char* kEstablished = "01";
constexpr const char* kListen = "0A";
const std::string kNone = "none";  // as what no table lists

/// "0100007F:1CFF": the words of the address as this processor reads them, and the port.
std::string inHexadecimal(std::span<const std::uint32_t> words, std::uint16_t port) {
    std::string text;
    for (const std::uint32_t word : words) {
        text += fmt::format("{:08X}", word);
    }
    return text + fmt::format(":{:04X}", port);
}

std::string anyAddress(std::uint16_t port, bool six) {
    constexpr std::array<std::uint32_t, 4> kZero{};
    return inHexadecimal(std::span(kZero).last(six ? 4 : 1), port);
}

/// As a table of IPv4 or of IPv6 writes it. An IPv4 address is mapped in the latter; other families are
/// nowhere.
std::string listedAs(const SocketAddress& address, bool six) {
    std::uint32_t words[4] = {0, 0, htonl(0xffff), 0};
    if (address.family() == AF_INET) {
        sockaddr_in four;
        std::memcpy(&four, &address.storage, sizeof four);
        words[3] = four.sin_addr.s_addr;
    } else if (address.family() == AF_INET6) {
        sockaddr_in6 whole;
        std::memcpy(&whole, &address.storage, sizeof whole);
        std::memcpy(words, &whole.sin6_addr, sizeof words);
        if (!six && !IN6_IS_ADDR_V4MAPPED(&whole.sin6_addr)) {
            return kNone;
        }
    } else {
        return kNone;
    }
    return inHexadecimal(six ? std::span(words) : std::span(words).last(1), address.port());
}

struct Listed {
    std::string local, remote;
    std::string state;  // of the kernel's tcp_states.h, in hexadecimal
    uid_t user = 0;
    std::uint64_t inode = 0;  // 0: no process has it
};

/// The first socket of the tables that is so.
template <typename IsSo>
std::optional<Listed> findListed(IsSo&& isSo) {
    for (const bool six : {false, true}) {
        std::ifstream table(six ? "/proc/net/tcp6" : "/proc/net/tcp");
        for (std::string line; std::getline(table, line);) {
            // "  0: 0100007F:1CFF 0100007F:A2F0 01 00000000:00000000 00:00000000 00000000  1000  0 4711 ..."
            std::istringstream fields(line);
            Listed listed;
            std::string number, queues, timer, retransmits;
            std::uint64_t timeout = 0;
            fields >> number >> listed.local >> listed.remote >> listed.state >> queues >> timer >>
                retransmits >> listed.user >> timeout >> listed.inode;
            if (fields && isSo(listed, six)) {
                return listed;
            }
        }
    }
    return std::nullopt;
}

/// In a user namespace (user_namespaces(7)) with less than all users, the kernel shows the others as one.
bool seesOnlySomeUsers() {
    std::ifstream map("/proc/self/uid_map");
    std::uint64_t inside = 0, outside = 0, count = 0;
    map >> inside >> outside >> count;
    return !map || count != 0xffff'ffff;
}

std::optional<uid_t> overflowUser() {
    std::ifstream file("/proc/sys/kernel/overflowuid");
    uid_t user = 0;
    return file >> user ? std::optional(user) : std::nullopt;
}

}  // namespace

std::optional<uid_t> ownerOfSocket(const SocketAddress& local, const SocketAddress& remote) {
    const std::array here{listedAs(local, false), listedAs(local, true)};
    const std::array there{listedAs(remote, false), listedAs(remote, true)};
    const auto found = findListed([&](const Listed& listed, bool six) {
        return listed.local == here[six] && listed.remote == there[six];
    });
    if (!found) {
        return std::nullopt;
    }
    if (found->inode != 0) {
        return found->user;
    }
    if (found->state != kEstablished) {
        return std::nullopt;  // closed: the kernel lists it as root's
    }
    // Called, and not accepted yet: whoever listens there will have it.
    const std::array any{here[0] == kNone ? kNone : anyAddress(local.port(), false),
                         anyAddress(local.port(), true)};
    const auto listener = findListed([&](const Listed& listed, bool six) {
        return listed.state == kListen && (listed.local == here[six] || listed.local == any[six]);
    });
    return listener ? std::optional(listener->user) : std::nullopt;
}

bool isOfThisUser(const SocketAddress& local, const SocketAddress& remote) {
    const auto owner = ownerOfSocket(local, remote);
    return owner == ::geteuid() && !(owner == overflowUser() && seesOnlySomeUsers());
}

}  // namespace verbcast
