#include "core/transport/socket_owner.h"

#include <fmt/format.h>
#include <netinet/in.h>

#include <cstring>
#include <fstream>
#include <span>
#include <sstream>
#include <string>

namespace verbcast {
namespace {

/// "0100007F:1CFF": the words of the address as this processor reads them, and the port.
std::string inHexadecimal(std::span<const std::uint32_t> words, std::uint16_t port) {
    std::string text;
    for (const std::uint32_t word : words) {
        text += fmt::format("{:08X}", word);
    }
    return text + fmt::format(":{:04X}", port);
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
            return "none";
        }
    } else {
        return "none";
    }
    return inHexadecimal(six ? std::span(words) : std::span(words).last(1), address.port());
}

std::optional<uid_t> ownerIn(const char* table, const std::string& local, const std::string& remote) {
    std::ifstream file(table);
    for (std::string line; std::getline(file, line);) {
        // "  0: 0100007F:1CFF 0100007F:A2F0 01 00000000:00000000 00:00000000 00000000  1000  0 4711 ..."
        std::istringstream fields(line);
        std::string number, here, there, state, queues, timer, retransmits;
        uid_t user = 0;
        std::uint64_t timeout = 0, inode = 0;
        fields >> number >> here >> there;
        if (here != local || there != remote) {
            continue;
        }
        fields >> state >> queues >> timer >> retransmits >> user >> timeout >> inode;
        // A socket that its process has closed is listed as root's, with no inode.
        if (fields && inode != 0) {
            return user;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<uid_t> ownerOfSocket(const SocketAddress& local, const SocketAddress& remote) {
    const auto four = ownerIn("/proc/net/tcp", listedAs(local, false), listedAs(remote, false));
    return four ? four : ownerIn("/proc/net/tcp6", listedAs(local, true), listedAs(remote, true));
}

}  // namespace verbcast
