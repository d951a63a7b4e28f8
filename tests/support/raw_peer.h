// A hand-made peer on a bare connection: it sends or omits anything that a test wants, in any order.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/session/messages/messages.h"
#include "core/stream/broadcast.h"
#include "core/stream/frame_receiver.h"
#include "core/transport/registry.h"

namespace verbcast::testing {

/// Used by one thread. Passive: it takes what arrives only during serve() and serveUntil().
class RawPeer : private MessageHandler, private FrameHandler {
  public:
    /// Connects once. Throws Error{Network or Peer} if it is turned away at the door.
    explicit RawPeer(const Url& url) : RawPeer(call(url)) {}
    /// Retries until the other side has room for one more peer.
    explicit RawPeer(const Broadcast& sender)
        : RawPeer(callUntilAdmitted(sender.listenAddresses().front())) {}
    explicit RawPeer(const FrameReceiver& viewer)
        : RawPeer(callUntilAdmitted(viewer.listenAddresses().front())) {}
    ~RawPeer() override {
        // libfabric's shm provider does not survive a side that ends with hundreds of arrivals unseen.
        takesFrames = true;
        try {
            for (int round = 0; round < 100 && serve(); ++round) {
            }
        } catch (const Error&) {
            // It was about to end anyway.
        }
        connection_ = {};  // before the rings, which it may write to
    }

    /// No effect if the peer has hung up.
    void say(std::span<const std::byte> message) { static_cast<void>(trySaying(message)); }
    template <typename Message>
    requires requires { Message::kType; }
    void say(const Message& message) { say(encodeMessage(message)); }
    Status trySaying(std::span<const std::byte> message) { return connection_.messages->send(message); }
    void greet(Role role, std::uint64_t instance = 0) {
        Hello hello;
        hello.role = role;
        hello.slots = slots;
        hello.instance = instance;
        hello.name = name;
        say(hello);
    }

    /// Takes what has arrived, without waiting; false once the other side has hung up.
    bool serve() {
        for (int round = 0; round < 64 && !closed; ++round) {
            if (!serveOnce()) {
                connection_.messages->readyToSleep();  // flushes
                break;
            }
        }
        return !closed;
    }
    /// Serves until `done`, the other side hangs up, or 20 s have passed. Returns done().
    template <typename Done>
    bool serveUntil(Done&& done) {
        const Deadline deadline = Deadline::in(std::chrono::seconds(20));
        while (!done() && !closed && !deadline.passed()) {
            if (!serveOnce() && connection_.messages->readyToSleep() &&
                (!takesFrames || connection_.frames->readyToSleep())) {
                // A short wait, because `done` may depend on others.
                waitReadable({connection_.messages->waitDescriptor(),
                              takesFrames ? connection_.frames->waitDescriptor() : -1},
                             std::chrono::milliseconds(5));
            }
        }
        return done();
    }
    /// Waits until the other side has admitted it, and so counts it among its peers.
    bool greeted() {
        return serveUntil([this] { return heard(MessageType::Hello); });
    }
    /// The refusal that the other side ends with, or "" if it hangs up without one.
    const std::string& awaitRefusal() {
        serveUntil([this] { return closed; });
        return refusal;
    }
    /// `type` is a MessageType or PipeMessageType.
    template <typename Type>
    bool heard(Type type) const {
        return std::ranges::count(types, static_cast<std::uint8_t>(type)) > 0;
    }

    // As a viewer: with `accepts`, it accepts each format, and gives `slots` credits once and never again.
    bool accepts = true;
    std::uint32_t slots = 8;
    std::string name = "by hand";  ///< in the greeting
    bool takesFrames = true;       ///< takes frames, not only messages

    // As a sender:
    std::uint32_t ringSlots =
        0;  ///< frames may name at least this many slots, however many the other side's ring has
    bool tellsRings = true;  ///< announces its own rings
    /// Takes frames from this pool from now on; if memory is shared, offers it to the other side.
    void setSource(std::shared_ptr<FramePool> pool, TrackId track = 0) {
        source_ = std::move(pool);
        if (sharesMemory()) {
            offeredTrack_ = track;
            connection_.frames->offer(++lastRing_, source_);
        }
        connection_.frames->prepare(source_);
    }
    void announce(TrackId track, std::uint32_t epoch, const TrackFormat& format,
                  std::shared_ptr<FramePool> pool, std::uint64_t framesBefore = 0) {
        setSource(std::move(pool), track);
        FormatMessage message;
        message.track = track;
        message.epoch = epoch;
        message.format = format;
        message.framesBefore = framesBefore;
        say(message);
    }
    /// Sends a frame of that pool into a slot of the other side's newest ring. If memory is shared, that is a
    /// slot of the pool itself.
    Status sendFrame(std::uint32_t localSlot, std::uint32_t remoteSlot, const FrameInfo& info) {
        OutgoingFrame frame;
        frame.pool = source_;
        frame.localSlot = sharesMemory() ? remoteSlot : localSlot;
        frame.ring = sharesMemory() ? lastRing_ : rings.empty() ? 0 : rings.back().ring;
        frame.remoteSlot = remoteSlot;
        frame.info = info;
        return connection_.frames->send(frame);
    }
    /// The same, into a slot for which the other side gave credit.
    Status sendFrame(FrameLease lease, const FrameInfo& info) {
        const std::uint32_t slot = lease.slot();
        leases_.push_back(std::move(lease));
        if (sharesMemory()) {
            return sendFrame(slot, slot, info);
        }
        const std::uint32_t given = credits.back();
        credits.pop_back();
        return sendFrame(slot, given, info);
    }
    bool accepted(std::uint32_t epoch) {
        return serveUntil([&] {
            const bool room = sharesMemory() || !credits.empty();
            return room && !accepts_.empty() && accepts_.back().epoch == epoch;
        });
    }

    bool sharesMemory() const { return connection_.frames->sharesMemory(); }
    FramePath& path() { return *connection_.frames; }
    MessageChannel& messages() { return *connection_.messages; }
    void hangUp() { connection_.messages->close(); }

    std::vector<std::uint8_t> types;  ///< types of all messages received
    std::vector<FormatMessage> formats;
    std::vector<RingMessage> rings;
    std::vector<std::uint16_t> credits;
    std::vector<FrameInfo> frames;
    std::uint64_t framesSent = 0;  ///< frames that the path is done with
    std::string refusal;
    RefuseCode refuseCode{};
    bool closed = false;

  private:
    explicit RawPeer(Connection connection) : connection_(std::move(connection)) {
        connection_.messages->setHandler(this);
        connection_.frames->setHandler(this);
    }
    static Connection call(const Url& url) {
        return transportFor(url).connect(url, {}, Deadline::in(std::chrono::seconds(5)), Event());
    }
    static Connection callUntilAdmitted(const std::string& address) {
        const Deadline deadline = Deadline::in(std::chrono::seconds(20));
        for (;;) {
            try {
                return call(parseUrl(address));
            } catch (const Error& error) {
                if (error.kind() != ErrorKind::Network || deadline.passed()) {
                    throw;
                }
            }
        }
    }
    /// False: nothing happened.
    bool serveOnce() {
        const Progress said = connection_.messages->process();
        const Progress moved = takesFrames ? connection_.frames->poll() : Progress::Idle;
        closed = said == Progress::Closed;
        return said != Progress::Idle || moved == Progress::Worked;
    }

    void onMessage(std::span<const std::byte> message) override {
        ByteReader reader(message);
        types.push_back(reader.get<std::uint8_t>());
        switch (static_cast<MessageType>(types.back())) {
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
            case MessageType::Ring: {
                rings.push_back(decodeMessage<RingMessage>(reader));
                RingShape shape = rings.back().shape;
                shape.slotCount = std::max(shape.slotCount, ringSlots);
                mapped_.push_back(connection_.frames->accept(rings.back().ring, shape, rings.back().offer));
                return;
            }
            case MessageType::Credit: {
                const auto credit = decodeMessage<Credit>(reader);
                credits.insert(credits.end(), credit.slots.span().begin(), credit.slots.span().end());
                return;
            }
            case MessageType::Accept:
                accepts_.push_back(decodeMessage<Accept>(reader));
                return;
            default:
                return;
        }
    }
    void accept(const FormatMessage& format) {
        Accept accept;
        accept.track = format.track;
        accept.epoch = format.epoch;
        if (sharesMemory()) {
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
        if (tellsRings) {
            say(message);
        }
    }
    FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo&) override {
        return {pools_.at(ring), slot};
    }
    void onFrame(RingId, std::uint32_t, const FrameInfo& info) override { frames.push_back(info); }
    void onFrameSent(std::uint32_t) override { ++framesSent; }

    std::vector<FrameLease> leases_;  // of frames sent
    std::vector<Accept> accepts_;
    std::vector<std::shared_ptr<FramePool>> mapped_;
    std::map<RingId, std::shared_ptr<FramePool>> pools_;  // as a viewer
    std::shared_ptr<FramePool> source_;                   // as a sender
    RingId lastRing_ = 0;
    TrackId offeredTrack_ = 0;
    Connection connection_;
};

}  // namespace verbcast::testing
