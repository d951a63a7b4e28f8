// The two sockets of a hand-made tcp peer: it can stop anywhere, send anything, and send it from any address
// of this host.
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/os/unique_fd.h"
#include "core/transport/socket_address.h"
#include "core/transport/tcp/tcp_wire.h"
#include "tests/support/bytes_of.h"

namespace verbcast::testing {

inline bool writeAll(int socket, std::span<const std::byte> bytes) {
    return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

inline SocketAddress addressOf(const std::string& url) {
    return resolve(parseUrl(url), false, Deadline::never()).front();
}

/// One TCP connection to a listener, from the given address of this host, if any.
inline UniqueFd rawSocket(const std::string& listener, const char* from = nullptr) {
    const SocketAddress address = addressOf(listener);
    UniqueFd socket(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (from != nullptr) {
        const SocketAddress source = addressOf(std::string("tcp://") + from + ":0");
        EXPECT_EQ(::bind(socket.get(), source.get(), source.length), 0);
    }
    EXPECT_EQ(::connect(socket.get(), address.get(), address.length), 0);
    return socket;
}

/// Whether the other side hangs up within that time.
inline bool hangsUp(int socket, std::chrono::milliseconds within) {
    pollfd waiting{socket, POLLIN, 0};
    char byte = 0;
    return ::poll(&waiting, 1, static_cast<int>(within.count())) == 1 &&
           ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
}

/// Whether the other side, in this network namespace, has read everything sent to it.
inline bool wasRead(int socket) {
    int unacknowledged = 0;
    sockaddr_in ours{}, theirs{};
    socklen_t length = sizeof ours;
    if (::ioctl(socket, SIOCOUTQ, &unacknowledged) != 0 || unacknowledged != 0 ||
        ::getsockname(socket, reinterpret_cast<sockaddr*>(&ours), &length) != 0 ||
        ::getpeername(socket, reinterpret_cast<sockaddr*>(&theirs), &length) != 0) {
        return false;
    }
    const auto name = [](const sockaddr_in& address) {
        return fmt::format("{:08X}:{:04X}", address.sin_addr.s_addr, ntohs(address.sin_port));
    };
    std::ifstream table("/proc/net/tcp");
    for (std::string line; std::getline(table, line);) {
        // The column after the state holds the queues to send and to read.
        std::istringstream words(line);
        std::string number, local, remote, state, queues;
        words >> number >> local >> remote >> state >> queues;
        if (local == name(theirs) && remote == name(ours)) {
            return queues.ends_with(":00000000");
        }
    }
    return false;
}

inline tcp::Preamble newPreamble(tcp::StreamKind kind) {
    tcp::Preamble preamble{tcp::kMagic, kind, 0, {}};
    EXPECT_EQ(::getrandom(preamble.token.data(), preamble.token.size(), 0), 16);
    return preamble;
}

/// Both connections, with their preambles sent.
class RawTcpSockets {
  public:
    explicit RawTcpSockets(const std::string& listener, const char* from = nullptr) {
        tcp::Preamble preamble = newPreamble(tcp::StreamKind::Control);
        control.reset(rawSocket(listener, from).release());
        writeAll(control.get(), bytesOf(preamble));
        preamble.kind = tcp::StreamKind::Data;
        data.reset(rawSocket(listener, from).release());
        writeAll(data.get(), bytesOf(preamble));
    }

    /// False if the other side has hung up.
    bool say(std::span<const std::byte> message) const {
        const tcp::ControlHeader header{tcp::kControlMagic, static_cast<std::uint32_t>(message.size())};
        return writeAll(control.get(), bytesOf(header)) && writeAll(control.get(), message);
    }
    /// Announces a frame, without its payload.
    bool beginFrame(const tcp::DataHeader& header, const FrameInfo& info,
                    std::span<const ByteBlock> blocks = {}) const {
        return writeAll(data.get(), bytesOf(header)) &&
               writeAll(data.get(), bytesOf(info).first(frameInfoBytes(info))) &&
               (blocks.empty() || writeAll(data.get(), std::as_bytes(blocks)));
    }
    bool sendPayload(std::uint64_t bytes, std::byte value) const {
        const std::vector<std::byte> payload(bytes, value);
        return writeAll(data.get(), payload);
    }
    /// The other side's next message; empty if it has hung up.
    std::vector<std::byte> hear() const {
        tcp::ControlHeader header{};
        if (::recv(control.get(), &header, sizeof header, MSG_WAITALL) != sizeof header) {
            return {};
        }
        std::vector<std::byte> message(header.length);
        const auto got = ::recv(control.get(), message.data(), message.size(), MSG_WAITALL);
        return got == static_cast<ssize_t>(message.size()) ? message : std::vector<std::byte>{};
    }

    UniqueFd control;
    UniqueFd data;
};

}  // namespace verbcast::testing
