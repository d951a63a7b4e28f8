// A hand-made sender on two sockets: it can stop anywhere, even within a frame.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/session/messages/messages.h"
#include "core/session/messages/placing.h"
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
        hello.features = features;
        say(hello);
    }
    /// Starts a frame of info.payloadBytes in that slot and sends its first `now` bytes.
    void beginFrame(RingId into, std::uint32_t slot, const FrameInfo& info, std::uint64_t now) {
        const tcp::DataHeader header{tcp::kDataMagic, into, slot, 0, info.payloadBytes};
        sockets_.beginFrame(header, info);
        sendPayload(now);
    }
    /// The same in blocks, with all or part of their bytes.
    void beginFrame(RingId into, std::uint32_t slot, const FrameInfo& info, std::span<const ByteBlock> blocks,
                    std::uint64_t now) {
        std::uint64_t bytes = 0;
        for (const ByteBlock& block : blocks) {
            bytes += block.rows * block.rowBytes;
        }
        const tcp::DataHeader header{tcp::kDataMagic, into, slot, static_cast<std::uint32_t>(blocks.size()),
                                     bytes};
        sockets_.beginFrame(header, info, blocks);
        sendPayload(std::min(now, bytes));
    }
    /// False if the other side has hung up.
    bool sendPayload(std::uint64_t bytes) { return sockets_.sendPayload(bytes, value); }
    /// Whether the other side has read all frames, and parts of frames, that were sent.
    bool framesWereRead() const { return wasRead(sockets_.data.get()); }

    /// Reads the other side's messages until `done`, it hangs up, or 10 s have passed.
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
    /// The text of the Refuse that the other side ends with, or "".
    std::string refusal() {
        hearUntil([this] { return !refusal_.empty(); });
        return refusal_;
    }

    std::uint64_t features = 0;                     ///< in the greeting
    std::byte value{0x41};                          ///< byte that payloads consist of
    std::optional<PlaceMessage> place{};            ///< where its part goes
    std::map<std::uint16_t, std::uint16_t> placed;  ///< by place: the slot that may be written
    std::uint32_t ringsOffered = 0;
    RingId ring = 0;                     ///< the last ring offered
    std::vector<std::uint16_t> credits;  ///< slots of that ring that may be written

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
                placed.clear();
                break;
            case MessageType::Place:
                place = decodeMessage<PlaceMessage>(reader);
                break;
            case MessageType::PlacedCredit: {
                const PlacedCredit credit = decodeMessage<PlacedCredit>(reader);
                for (std::size_t i = 0; i < credit.slots.count; ++i) {
                    placed[credit.places.values[i]] = credit.slots.values[i];
                }
                break;
            }
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
