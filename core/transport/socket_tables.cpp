// The tables of all TCP sockets of our network namespace: /proc/net/tcp and tcp6 (proc_pid_net(5)).
#include <fmt/format.h>
#include <netinet/in.h>

#include <array>
#include <cstring>
#include <fstream>
#include <span>
#include <sstream>
#include <string>

#include "core/transport/listed_socket.h"

namespace verbcast {
namespace {

// State values from the kernel's tcp_states.h.
constexpr const char* kEstablished = "01";
constexpr const char* kListen = "0A";
const std::string kNone = "none";  // never occurs in a table

/// "0100007F:1CFF": the address's words in this processor's byte order, and the port.
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

/// As the IPv4 or the IPv6 table writes it. In the latter an IPv4 address is mapped; other families appear in
/// neither.
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

struct Line {
    std::string local, remote, state;
    ListedSocket socket;
};

std::optional<Line> parsed(const std::string& text) {
    // "  0: 0100007F:1CFF 0100007F:A2F0 01 00000000:00000000 00:00000000 00000000  1000  0 4711 ..."
    std::istringstream fields(text);
    Line line;
    std::string number, queues, timer, retransmits;
    std::uint64_t timeout = 0;
    fields >> number >> line.local >> line.remote >> line.state >> queues >> timer >> retransmits >>
        line.socket.user >> timeout >> line.socket.inode;
    line.socket.established = line.state == kEstablished;
    return fields ? std::optional(line) : std::nullopt;
}

/// The first socket in the tables that satisfies the condition.
template <typename IsSo>
std::optional<ListedSocket> findListed(IsSo&& isSo) {
    for (const bool six : {false, true}) {
        std::ifstream table(six ? "/proc/net/tcp6" : "/proc/net/tcp");
        for (std::string text; std::getline(table, text);) {
            if (const auto line = parsed(text); line && isSo(*line, six)) {
                return line->socket;
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<ListedSocket> connectedSocketInTables(const SocketAddress& local, const SocketAddress& remote) {
    const std::array here{listedAs(local, false), listedAs(local, true)};
    const std::array there{listedAs(remote, false), listedAs(remote, true)};
    return findListed(
        [&](const Line& line, bool six) { return line.local == here[six] && line.remote == there[six]; });
}

std::optional<ListedSocket> listenerInTables(const SocketAddress& local) {
    const std::array here{listedAs(local, false), listedAs(local, true)};
    const std::array any{here[0] == kNone ? kNone : anyAddress(local.port(), false),
                         anyAddress(local.port(), true)};
    return findListed([&](const Line& line, bool six) {
        return line.state == kListen && (line.local == here[six] || line.local == any[six]);
    });
}

}  // namespace verbcast
