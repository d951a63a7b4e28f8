// A sender made by hand from two sockets: it can stop anywhere, also within a frame.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/session/messages/messages.h"
#include "tests/support/raw_tcp_sockets.h"

namespace verbcast::testing {

class RawTcpPeer {
  public:
    explicit RawTcpPeer(const Url& url) : sockets_(url.text()) {}

    void say(std::span<const std::byte> message) { sockets_.say(message); }
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
        sockets_.beginFrame(header, info);
        sendPayload(now);
    }
    /// False when the other side has hung up.
    bool sendPayload(std::uint64_t bytes) { return sockets_.sendPayload(bytes, std::byte{0x41}); }
    /// Whether the other side has read all frames, and parts of frames, that were sent.
    bool framesWereRead() const { return wasRead(sockets_.data.get()); }

    /// Reads what the other side says until `done`, or until it hangs up, or 10 s have passed.
    bool hearUntil(const std::function<bool()>& done) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!done() && std::chrono::steady_clock::now() < deadline) {
            pollfd waiting{sockets_.control.get(), POLLIN, 0};
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
    bool hear() {
        const std::vector<std::byte> payload = sockets_.hear();
        if (payload.empty()) {
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

    RawTcpSockets sockets_;
    std::string refusal_;
};

}  // namespace verbcast::testing
