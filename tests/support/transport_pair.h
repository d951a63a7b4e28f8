// Two connected ends of a transport on one thread, for tests of the transport interface.
#pragma once

#include <fcntl.h>

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <thread>

#include "tests/support/patience.h"
#include "tests/support/transport_under_test.h"

namespace verbcast::testing {

/// One end, with everything that its connection reported.
struct End : MessageHandler, FrameHandler {
    struct Frame {
        RingId ring;
        std::uint32_t slot;
        FrameInfo info;
    };
    struct Offer {
        RingId ring;
        std::vector<std::byte> bytes;
    };

    Connection connection;
    std::deque<std::vector<std::byte>> messages;
    std::deque<Frame> arrived;
    std::deque<std::uint32_t> sent;
    std::deque<Offer> offers;
    std::map<RingId, std::shared_ptr<FramePool>> rings;  ///< rings that the peer may write to
    int begun = 0;
    bool closed = false;

    MessageChannel& channel() const { return *connection.messages; }
    FramePath& path() const { return *connection.frames; }
    void set(Connection made) {
        connection = std::move(made);
        channel().setHandler(this);
        path().setHandler(this);
    }

    void onMessage(std::span<const std::byte> message) override {
        messages.emplace_back(message.begin(), message.end());
    }
    void onOfferReady(RingId ring, std::span<const std::byte> offer) override {
        EXPECT_LE(offer.size(), kMaxOfferBytes);
        offers.push_back({ring, {offer.begin(), offer.end()}});
    }
    FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override {
        ++begun;
        const auto found = rings.find(ring);
        if (found == rings.end() || !found->second->slots().isTaken(slot) ||
            info.payloadBytes > found->second->slotBytes()) {
            throw Error(ErrorKind::Peer, "the peer may not write there");
        }
        return {found->second, slot};
    }
    void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override {
        arrived.push_back({ring, slot, info});
    }
    void onFrameSent(std::uint32_t slot) override { sent.push_back(slot); }

    /// Does one turn of a session. True if it handled something.
    bool serve() {
        if (!connection || closed) {
            return false;
        }
        const Progress heard = channel().process();
        const Progress moved = path().poll();
        closed = heard == Progress::Closed;
        return heard == Progress::Worked || moved == Progress::Worked;
    }
    bool readyToSleep() const {
        return !connection || closed || (channel().readyToSleep() && path().readyToSleep());
    }
};

/// The next caller; none within ten seconds.
inline Connection acceptOne(Listener& listener) {
    Connection connection;
    const Deadline deadline = Deadline::in(std::chrono::seconds(10));
    while (!(connection = listener.accept()) && !deadline.passed()) {
        waitReadable({listener.waitDescriptor()}, deadline);
    }
    return connection;
}

/// A listener, a caller (the source) and a called end (the sink).
class TransportPair : public TransportSuite {
  protected:
    void SetUp() override {
        listener_ = listen(parseUrl(listenAddressFor(GetParam())));
        connectPair(source, sink);
    }

    static std::unique_ptr<Listener> listen(const Url& url) { return transportFor(url).listen(url, {}); }
    static Connection connect(const Url& url, const Event& cancel = Event()) {
        return transportFor(url).connect(url, {}, Deadline::in(std::chrono::seconds(5)), cancel);
    }

    void connectPair(End& caller, End& called) {
        Connection outgoing;
        std::thread connecting([&] { outgoing = connect(parseUrl(listener_->address())); });
        Connection incoming = acceptOne(*listener_);
        connecting.join();
        ASSERT_TRUE(incoming) << "nobody arrived at " << listener_->address();
        ASSERT_TRUE(outgoing);
        caller.set(std::move(outgoing));
        called.set(std::move(incoming));
    }

    /// Serves both ends until `done`, sleeping as a session would.
    template <typename Done>
    ::testing::AssertionResult serveUntil(Done&& done) {
        const Deadline deadline = Deadline::in(kPatience);
        while (!done()) {
            if (deadline.passed()) {
                return ::testing::AssertionFailure() << "nothing happens any more";
            }
            bool worked = source.serve();
            worked |= sink.serve();
            if (!worked && !done() && source.readyToSleep() && sink.readyToSleep()) {
                std::array<int, 4> descriptors{-1, -1, -1, -1};
                std::size_t count = 0;
                for (const End* end : {&source, &sink}) {
                    if (end->connection && !end->closed) {
                        descriptors[count++] = end->channel().waitDescriptor();
                        descriptors[count++] = end->path().waitDescriptor();
                    }
                }
                waitReadable(descriptors, deadline);
            }
        }
        return ::testing::AssertionSuccess();
    }

    bool sharesMemory() const { return source.path().sharesMemory(); }

    /// Offers and accepts a new ring of that shape; the source then sends from sourcePool to sinkPool.
    void giveRing(RingId ring, std::uint64_t bytes, std::uint32_t slots) {
        useRing(ring, FramePool::create({.slotBytes = bytes, .slotCount = slots}));
    }
    /// Like giveRing(), with an existing pool.
    void useRing(RingId ring, std::shared_ptr<FramePool> from) {
        sourcePool = std::move(from);
        const RingShape shape{sourcePool->slotBytes(), sourcePool->slotCount()};
        End& offering = sharesMemory() ? source : sink;
        End& accepting = sharesMemory() ? sink : source;
        std::shared_ptr<FramePool> offered = sourcePool;
        if (!sharesMemory()) {
            sinkPool = offered =
                FramePool::create({.slotBytes = shape.slotBytes, .slotCount = shape.slotCount});
            sinkPool->slots().takeFree([](std::uint32_t) {});
            sink.rings[ring] = sinkPool;
        }
        offering.path().offer(ring, offered);
        ASSERT_TRUE(serveUntil([&] { return !offering.offers.empty(); }));
        EXPECT_EQ(offering.offers.front().ring, ring);
        const auto mapped = accepting.path().accept(ring, shape, offering.offers.front().bytes);
        offering.offers.pop_front();
        EXPECT_EQ(mapped != nullptr, sharesMemory());
        if (mapped) {
            EXPECT_TRUE(mapped->slots().isTaken(0));
            sinkPool = mapped;
        }
        source.path().prepare(sourcePool);
        ring_ = ring;
    }

    OutgoingFrame frame(std::uint32_t slot, std::uint64_t bytes, std::uint64_t sequence = 0) const {
        OutgoingFrame outgoing;
        outgoing.pool = sourcePool;
        outgoing.localSlot = outgoing.remoteSlot = slot;
        outgoing.ring = ring_;
        outgoing.info.sequence = sequence;
        outgoing.info.payloadBytes = bytes;
        return outgoing;
    }

    static void fill(std::byte* data, std::uint64_t bytes, std::uint64_t seed) {
        std::mt19937_64 random(seed);
        for (std::uint64_t i = 0; i < bytes; i += 8) {
            const std::uint64_t value = random();
            std::memcpy(data + i, &value, std::min<std::uint64_t>(8, bytes - i));
        }
    }

    /// Serves until a frame has arrived and, if the transport reports it, has left.
    ::testing::AssertionResult serveUntilArrived() {
        return serveUntil([&] { return !sink.arrived.empty() && (sharesMemory() || !source.sent.empty()); });
    }

    /// Sends `bytes` from the slot and checks what arrives.
    void roundTrip(std::uint32_t slot, std::uint64_t bytes, std::uint64_t sequence) {
        OutgoingFrame outgoing = frame(slot, bytes, sequence);
        outgoing.info.pts = -5;
        if (sourcePool->memory()->writable()) {
            fill(sourcePool->slotData(slot), bytes, sequence + 1);
        }
        ASSERT_EQ(source.path().send(outgoing), Status::Ok);
        ASSERT_TRUE(serveUntilArrived());
        EXPECT_EQ(sink.arrived.front().ring, ring_);
        EXPECT_EQ(sink.arrived.front().slot, slot);
        EXPECT_EQ(sink.arrived.front().info.sequence, sequence);
        EXPECT_EQ(sink.arrived.front().info.pts, -5);
        EXPECT_EQ(sink.arrived.front().info.payloadBytes, bytes);
        EXPECT_EQ(std::memcmp(sinkPool->slotData(slot), sourcePool->slotData(slot), bytes), 0) << bytes;
        sink.arrived.clear();
        if (!sharesMemory()) {
            EXPECT_EQ(source.sent.front(), slot);
            source.sent.clear();
        }
    }

    std::unique_ptr<Listener> listener_;
    End source;
    End sink;
    std::shared_ptr<FramePool> sourcePool;
    std::shared_ptr<FramePool> sinkPool;
    RingId ring_ = 0;
};

/// The number of open descriptors of this process.
inline std::size_t openDescriptors() {
    std::size_t count = 0;
    for (int fd = 0; fd < 1024; ++fd) {
        count += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
    }
    return count;
}

}  // namespace verbcast::testing
