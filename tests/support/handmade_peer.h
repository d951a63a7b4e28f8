// A peer made by hand on a raw connection: speaks whatever a test wants, in whatever order.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/session/messages.h"
#include "core/transport/registry.h"

namespace verbcast::testing {

class HandmadePeer : private MessageHandler, private FrameHandler {
  public:
    explicit HandmadePeer(const Url& url)
        : connection_(transportFor(url).connect(url, {}, Deadline::in(std::chrono::seconds(5)), Event())) {
        connection_.messages->setHandler(this);
        connection_.frames->setHandler(this);
    }

    void say(std::span<const std::byte> message) { static_cast<void>(connection_.messages->send(message)); }
    template <typename Message>
    requires requires { Message::kType; }
    void say(const Message& message) { say(encodeMessage(message)); }
    void greet(Role role) {
        Hello hello;
        hello.role = role;
        hello.slots = 4;
        say(hello);
    }

    // As a source:
    /// Frames come from this pool from now on; where memory is shared the peer is offered it as ring `as`.
    void setSource(const std::shared_ptr<FramePool>& pool, RingId as = 1) {
        source_ = pool;
        ownRing_ = as;
        if (connection_.frames->sharesMemory()) {
            connection_.frames->offer(as, pool);
        }
        connection_.frames->prepare(pool);
    }
    Status sendFrame(std::uint32_t localSlot, std::uint32_t remoteSlot, const FrameInfo& info) {
        OutgoingFrame frame;
        frame.pool = source_;
        frame.localSlot = sharesMemory() ? remoteSlot : localSlot;
        frame.ring = sharesMemory() ? ownRing_ : ring;
        frame.remoteSlot = remoteSlot;
        frame.info = info;
        return connection_.frames->send(frame);
    }

    bool sharesMemory() const { return connection_.frames->sharesMemory(); }
    bool heard(std::uint8_t type) const { return std::ranges::count(types, type) > 0; }
    bool closed() const { return closed_; }

    /// The Refuse that the other side answers with, or "" when it hangs up without one.
    std::string refusal() {
        serveUntil([this] { return !refusal_.empty(); });
        return refusal_;
    }
    /// Serves the connection until `done`, until the other side hangs up, or for 10 s.
    template <typename Done>
    void serveUntil(Done&& done) {
        const Deadline deadline = Deadline::in(std::chrono::seconds(10));
        while (!done() && !closed_ && !deadline.passed()) {
            const Progress said = connection_.messages->process();
            const Progress moved = said == Progress::Closed ? said : connection_.frames->poll();
            closed_ = said == Progress::Closed;
            if (said == Progress::Idle && moved != Progress::Worked && connection_.messages->readyToSleep() &&
                connection_.frames->readyToSleep()) {
                waitReadable({connection_.messages->waitDescriptor(), connection_.frames->waitDescriptor()},
                             std::chrono::milliseconds(20));
            }
        }
    }

    std::vector<std::uint8_t> types;  ///< of all messages
    std::uint32_t epoch = 0;          ///< of the last Format
    RingId ring = 0;                  ///< the peer's last; 0: none yet
    std::uint64_t framesSent = 0;     ///< onFrameSent() calls

  private:
    void onMessage(std::span<const std::byte> message) override {
        ByteReader reader(message);
        types.push_back(reader.get<std::uint8_t>());
        switch (static_cast<MessageType>(types.back())) {
            case MessageType::Refuse:
                refusal_ = decodeMessage<Refuse>(reader).text.value;
                return;
            case MessageType::Format:
                epoch = decodeMessage<FormatMessage>(reader).epoch;
                return;
            case MessageType::Ring: {
                const RingMessage offer = decodeMessage<RingMessage>(reader);
                connection_.frames->accept(offer.ring, offer.shape, offer.offer);
                ring = offer.ring;
                return;
            }
            default:
                return;
        }
    }
    void onOfferReady(RingId offered, std::span<const std::byte> offer) override {
        RingMessage message;
        message.ring = offered;
        message.shape = {source_->slotBytes(), source_->slotCount()};
        message.offer.assign(offer.begin(), offer.end());
        say(message);
    }
    FrameTarget beginFrame(RingId, std::uint32_t, const FrameInfo&) override {
        throw Error(ErrorKind::Peer, "a frame for a peer made by hand");
    }
    void onFrame(RingId, std::uint32_t, const FrameInfo&) override {}
    void onFrameSent(std::uint32_t) override { ++framesSent; }

    std::shared_ptr<FramePool> source_;
    RingId ownRing_ = 0;
    std::string refusal_;
    bool closed_ = false;
    Connection connection_;  // last: it goes first
};

}  // namespace verbcast::testing
