// A peer made by hand on a bare connection: says and leaves unsaid whatever a test wants.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/session/messages.h"
#include "core/transport/registry.h"
#include "tests/session/core_support.h"

namespace verbcast::testing {

/// Used by one thread. It does nothing by itself: what arrives is taken during serve() and serveUntil().
class RawPeer : private MessageHandler, private FrameHandler {
  public:
    /// Connects; tries again while the other side has no room for one more caller.
    explicit RawPeer(const Url& url) {
        const Transport& transport = transportFor(url);
        eventually([&] {
            try {
                connection_ = transport.connect(url, {}, Deadline::in(kLimit), Event());
                return true;
            } catch (const Error& error) {
                EXPECT_EQ(error.kind(), ErrorKind::Network) << error.what();
                return false;
            }
        });
        connection_.messages->setHandler(this);
        connection_.frames->setHandler(this);
    }
    explicit RawPeer(const Broadcast& sender) : RawPeer(parseUrl(sender.listenAddresses().front())) {}
    explicit RawPeer(const FrameReceiver& receiver) : RawPeer(parseUrl(receiver.listenAddresses().front())) {}
    ~RawPeer() override {
        // libfabric's shm provider does not survive the end of a side that leaves hundreds of arrivals
        // unseen.
        takesFrames = true;
        try {
            for (int round = 0; round < 100 && serve(); ++round) {
            }
        } catch (const Error&) {
            // It was to end anyway.
        }
        connection_ = {};  // before the rings that it may write into
    }

    template <typename Message>
    void say(const Message& message) {
        EXPECT_EQ(connection_.messages->send(encodeMessage(message)), Status::Ok);
    }
    Status sayBytes(std::span<const std::byte> bytes) { return connection_.messages->send(bytes); }
    void greet(Role role, std::uint64_t instance = 0) {
        Hello hello;
        hello.role = role;
        hello.slots = slots;
        hello.instance = instance;
        hello.name = "by hand";
        say(hello);
    }

    /// Takes what has come; false once the other side has hung up.
    bool serve() {
        for (int round = 0; round < 64 && !closed; ++round) {
            const Progress said = connection_.messages->process();
            const Progress moved = takesFrames ? connection_.frames->poll() : Progress::Idle;
            closed = said == Progress::Closed;
            if (said == Progress::Idle && moved != Progress::Worked) {
                connection_.messages->readyToSleep();  // flushes
                break;
            }
        }
        return !closed;
    }
    template <typename Done>
    bool serveUntil(Done&& done) {
        return eventually([&] { return (serve(), done()) || closed; }) && done();
    }
    /// The refusal that the other side ends with, or "" when it hangs up without one.
    std::string awaitRefusal() {
        serveUntil([this] { return closed; });
        return refusal;
    }
    bool greeted() {
        return serveUntil([this] { return has(MessageType::Hello); });
    }
    bool has(MessageType type) const { return std::ranges::find(heard, type) != heard.end(); }

    // As a viewer: with `accepts`, a format is accepted, `slots` are given once and never again.
    bool accepts = true;
    std::uint32_t slots = 8;
    bool takesFrames = true;  ///< looks at its data connection (tcp)

    // As a sender:
    void announce(TrackId track, std::uint32_t epoch, const TrackFormat& format,
                  std::shared_ptr<FramePool> pool, std::uint64_t framesBefore = 0) {
        source_ = std::move(pool);
        if (connection_.frames->sharesMemory()) {
            offeredTrack_ = track;
            connection_.frames->offer(++lastRing_, source_);
        }
        connection_.frames->prepare(source_);
        FormatMessage message;
        message.track = track;
        message.epoch = epoch;
        message.format = format;
        message.framesBefore = framesBefore;
        say(message);
    }
    /// A frame of the pool announced last, in a slot that the other side gave.
    Status sendFrame(FrameLease lease, const FrameInfo& info) {
        OutgoingFrame frame;
        frame.pool = lease.pool();
        frame.localSlot = lease.slot();
        frame.info = info;
        if (connection_.frames->sharesMemory()) {
            frame.ring = lastRing_;
            frame.remoteSlot = lease.slot();
        } else {
            frame.ring = rings.back().ring;
            frame.remoteSlot = credits.back();
            credits.pop_back();
        }
        leases_.push_back(std::move(lease));
        return connection_.frames->send(frame);
    }
    bool accepted(std::uint32_t epoch) {
        return serveUntil([&] {
            const bool room = connection_.frames->sharesMemory() || !credits.empty();
            return room && !accepts_.empty() && accepts_.back().epoch == epoch;
        });
    }

    FramePath& path() { return *connection_.frames; }
    MessageChannel& messages() { return *connection_.messages; }
    void hangUp() { connection_.messages->close(); }

    std::vector<MessageType> heard;
    std::vector<FormatMessage> formats;
    std::vector<RingMessage> rings;
    std::vector<std::uint16_t> credits;
    std::vector<FrameInfo> frames;
    std::string refusal;
    RefuseCode refuseCode{};
    bool closed = false;

  private:
    void onMessage(std::span<const std::byte> message) override {
        ByteReader reader(message);
        const auto type = static_cast<MessageType>(reader.get<std::uint8_t>());
        heard.push_back(type);
        switch (type) {
            case MessageType::Refuse: {
                const auto refuse = decodeMessage<Refuse>(reader);
                refusal = refuse.text.value;
                refuseCode = refuse.code;
                return;
            }
            case MessageType::Format:
                formats.push_back(decodeMessage<FormatMessage>(reader));
                if (accepts) {
                    accept(formats.back());
                }
                return;
            case MessageType::Ring:
                rings.push_back(decodeMessage<RingMessage>(reader));
                mapped_.push_back(
                    connection_.frames->accept(rings.back().ring, rings.back().shape, rings.back().offer));
                return;
            case MessageType::Credit:
                takeCredit(decodeMessage<Credit>(reader));
                return;
            case MessageType::Accept:
                accepts_.push_back(decodeMessage<Accept>(reader));
                return;
            default:
                return;
        }
    }
    void takeCredit(const Credit& credit) {
        credits.insert(credits.end(), credit.slots.span().begin(), credit.slots.span().end());
    }
    void accept(const FormatMessage& format) {
        Accept accept;
        accept.track = format.track;
        accept.epoch = format.epoch;
        if (connection_.frames->sharesMemory()) {
            accept.ring = rings.back().ring;
            say(accept);
            return;
        }
        offeredTrack_ = format.track;
        const auto pool = FramePool::create({.slotBytes = format.format.slotBytes(), .slotCount = slots});
        pools_[++lastRing_] = pool;
        connection_.frames->offer(lastRing_, pool);
        accept.ring = lastRing_;
        say(accept);
        Credit credit;
        credit.track = format.track;
        credit.ring = lastRing_;
        pool->slots().takeFree(
            [&](std::uint32_t slot) { credit.slots.push(static_cast<std::uint16_t>(slot)); });
        say(credit);
    }
    void onOfferReady(RingId ring, std::span<const std::byte> offer) override {
        const FramePool& pool = source_ ? *source_ : *pools_.at(ring);
        RingMessage message;
        message.track = offeredTrack_;
        message.ring = ring;
        message.shape = {pool.slotBytes(), pool.slotCount()};
        message.offer.assign(offer.begin(), offer.end());
        say(message);
    }
    FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo&) override {
        return {pools_.at(ring), slot};
    }
    void onFrame(RingId, std::uint32_t, const FrameInfo& info) override { frames.push_back(info); }
    void onFrameSent(std::uint32_t) override {}

    std::vector<FrameLease> leases_;  // of frames that were sent
    std::vector<Accept> accepts_;
    std::vector<std::shared_ptr<FramePool>> mapped_;
    std::map<RingId, std::shared_ptr<FramePool>> pools_;  // as a viewer
    std::shared_ptr<FramePool> source_;                   // as a sender
    RingId lastRing_ = 0;
    TrackId offeredTrack_ = 0;
    Connection connection_;
};

}  // namespace verbcast::testing
