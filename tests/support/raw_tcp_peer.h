// A sender made by hand from two sockets: it can stop anywhere, also within a frame.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"
#include "core/session/messages.h"
#include "core/transport/socket_address.h"
#include "core/transport/tcp/tcp_wire.h"

namespace verbcast::testing {

class RawTcpPeer {
  public:
    explicit RawTcpPeer(const Url& url) {
        tcp::Preamble preamble{};
        preamble.magic = tcp::kMagic;
        EXPECT_EQ(::getrandom(preamble.token.data(), preamble.token.size(), 0), 16);
        const SocketAddress address = resolve(url, false, Deadline::never(), nullptr).front();
        for (auto [socket, kind] :
             {std::pair{&control_, tcp::StreamKind::Control}, std::pair{&data_, tcp::StreamKind::Data}}) {
            socket->reset(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
            EXPECT_EQ(::connect(socket->get(), address.get(), address.length), 0);
            preamble.kind = kind;
            write(socket->get(), bytesOf(preamble));
        }
    }

    void say(std::span<const std::byte> message) {
        const tcp::ControlHeader header{tcp::kControlMagic, static_cast<std::uint32_t>(message.size())};
        write(control_.get(), bytesOf(header));
        write(control_.get(), message);
    }
    template <typename Message>
    requires requires { Message::kType; }
    void say(const Message& message) { say(encodeMessage(message)); }
    void greet(Role role) {
        Hello hello;
        hello.role = role;
        hello.slots = 4;
        say(hello);
    }
    /// Begins a frame of info.payloadBytes in that slot and sends the first `now` of them.
    void beginFrame(RingId into, std::uint32_t slot, const FrameInfo& info, std::uint64_t now) {
        const tcp::DataHeader header{tcp::kDataMagic, into, slot, 0, info.payloadBytes};
        write(data_.get(), bytesOf(header));
        write(data_.get(), bytesOf(info).first(frameInfoBytes(info)));
        sendPayload(now);
    }
    /// False when the other side has hung up.
    bool sendPayload(std::uint64_t bytes) {
        const std::vector<std::byte> payload(bytes, std::byte{0x41});
        return write(data_.get(), payload);
    }

    /// Reads what the other side says until `done`, or until it hangs up, or 10 s have passed.
    bool hearUntil(const std::function<bool()>& done) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!done() && std::chrono::steady_clock::now() < deadline) {
            pollfd waiting{control_.get(), POLLIN, 0};
            if (::poll(&waiting, 1, 100) == 1 && !hear()) {
                return done();
            }
        }
        return done();
    }
    /// The Refuse that the other side ends with, or "".
    std::string refusal() {
        hearUntil([this] { return !refusal_.empty(); });
        return refusal_;
    }

    std::uint32_t ringsOffered = 0;
    RingId ring = 0;                     ///< the last one
    std::vector<std::uint16_t> credits;  ///< slots of it that may be written

  private:
    template <typename T>
    static std::span<const std::byte> bytesOf(const T& value) {
        return std::as_bytes(std::span(&value, 1));
    }
    static bool write(int socket, std::span<const std::byte> bytes) {
        return ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
    }
    bool read(void* target, std::size_t bytes) {
        return ::recv(control_.get(), target, bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
    }
    bool hear() {
        tcp::ControlHeader header{};
        if (!read(&header, sizeof header)) {
            return false;
        }
        std::vector<std::byte> payload(header.length);
        if (!read(payload.data(), payload.size())) {
            return false;
        }
        ByteReader reader(payload);
        switch (static_cast<MessageType>(reader.get<std::uint8_t>())) {
            case MessageType::Refuse:
                refusal_ = decodeMessage<Refuse>(reader).text.value;
                break;
            case MessageType::Ring:
                ring = decodeMessage<RingMessage>(reader).ring;
                ++ringsOffered;
                credits.clear();
                break;
            case MessageType::Credit: {
                const Credit credit = decodeMessage<Credit>(reader);
                credits.insert(credits.end(), credit.slots.span().begin(), credit.slots.span().end());
                break;
            }
            default:
                break;
        }
        return true;
    }

    UniqueFd control_;
    UniqueFd data_;
    std::string refusal_;
};

}  // namespace verbcast::testing
