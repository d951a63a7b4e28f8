// The contract of core/transport/transport.h, over every transport.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <random>
#include <thread>

#include "tests/support/transport_under_test.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

/// One end with everything that its channel reported.
struct End : ChannelHandler {
    std::unique_ptr<Channel> channel;
    std::deque<std::vector<std::byte>> messages;
    struct Frame {
        std::uint32_t generation;
        std::uint32_t slot;
        FrameInfo info;
    };
    std::deque<Frame> frames;
    std::deque<std::uint32_t> sent;
    std::shared_ptr<FramePool> peerPool;
    std::uint32_t peerGeneration = 0;
    std::uint32_t peerSlotCount = 0;
    std::uint64_t peerSlotBytes = 0;
    bool closed = false;

    void onMessage(std::span<const std::byte> message) override {
        messages.emplace_back(message.begin(), message.end());
    }
    void onPeerSlots(std::uint32_t generation, std::uint64_t bytes, std::uint32_t count) override {
        peerGeneration = generation;
        peerSlotBytes = bytes;
        peerSlotCount = count;
    }
    void onPeerPool(std::uint32_t generation, std::shared_ptr<FramePool> pool) override {
        peerGeneration = generation;
        peerPool = std::move(pool);
    }
    void onFrame(std::uint32_t generation, std::uint32_t slot, const FrameInfo& info) override {
        frames.push_back({generation, slot, info});
    }
    void onFrameSent(std::uint32_t slot) override { sent.push_back(slot); }

    bool processOnce() {
        const Progress progress = channel->process(*this);
        closed = closed || progress == Progress::Closed;
        return progress == Progress::Worked;
    }
};

class TransportContract : public TransportSuite {
  protected:
    void SetUp() override {
        const Url url = parseUrl(listenAddressFor(GetParam()));
        listener_ = GetParam() == "shm"   ? listenShm(url, {})
                    : GetParam() == "tcp" ? listenTcp(url, {})
                                          : listenVerbs(url, {});
        connectPair(source, sink);
    }

    std::unique_ptr<Channel> connect(const Url& url) {
        const Event never;
        return GetParam() == "shm"   ? connectShm(url, {}, 5s, never)
               : GetParam() == "tcp" ? connectTcp(url, {}, 5s, never)
                                     : connectVerbs(url, {}, 5s, never);
    }

    void connectPair(End& caller, End& called) {
        std::thread connecting([&] { caller.channel = connect(parseUrl(listener_->address())); });
        const auto deadline = std::chrono::steady_clock::now() + 10s;
        while (!called.channel && std::chrono::steady_clock::now() < deadline) {
            called.channel = listener_->accept();
            if (!called.channel) {
                waitReadable({listener_->waitDescriptor()}, 100ms);
            }
        }
        connecting.join();
        ASSERT_TRUE(called.channel) << "nobody arrived at " << listener_->address();
        ASSERT_TRUE(caller.channel);
    }

    /// Serves both ends until `done`, sleeping as a session would.
    template <typename Done>
    ::testing::AssertionResult serveUntil(Done&& done) {
        const auto deadline = std::chrono::steady_clock::now() + 30s;
        while (!done()) {
            if (std::chrono::steady_clock::now() > deadline) {
                return ::testing::AssertionFailure() << "nothing happens any more";
            }
            bool worked = source.channel && source.processOnce();
            worked |= sink.channel && sink.processOnce();
            if (!worked && !done() && (!source.channel || source.channel->readyToSleep()) &&
                (!sink.channel || sink.channel->readyToSleep())) {
                waitReadable({source.channel ? source.channel->waitDescriptor() : -1,
                              sink.channel ? sink.channel->waitDescriptor() : -1},
                             200ms);
            }
        }
        return ::testing::AssertionSuccess();
    }

    bool sharesPool() const { return source.channel->description().sharesPool; }

    /// Gives the source a pool and, where it has one of its own, the sink.
    void setPools(std::uint32_t generation, std::uint64_t bytes, std::uint32_t slots) {
        sourcePool = FramePool::create({.slotBytes = bytes, .slotCount = slots});
        source.channel->setSourcePool(generation, sourcePool);
        if (sharesPool()) {
            ASSERT_TRUE(serveUntil([&] { return sink.peerGeneration == generation && sink.peerPool; }));
            sinkPool = sink.peerPool;
        } else {
            sinkPool = FramePool::create({.slotBytes = bytes, .slotCount = slots});
            sinkPool->takeFree([](std::uint32_t) {});
            sink.channel->setSinkPool(generation, sinkPool);
            ASSERT_TRUE(serveUntil([&] { return source.peerGeneration == generation; }));
            EXPECT_EQ(source.peerSlotCount, slots);
            EXPECT_GE(source.peerSlotBytes, bytes);
        }
    }

    static void fill(std::byte* data, std::uint64_t bytes, std::uint64_t seed) {
        std::mt19937_64 random(seed);
        for (std::uint64_t i = 0; i < bytes; i += 8) {
            const std::uint64_t value = random();
            std::memcpy(data + i, &value, std::min<std::uint64_t>(8, bytes - i));
        }
    }

    /// Sends `bytes` from localSlot and checks what arrives.
    void roundTrip(std::uint32_t localSlot, std::uint64_t bytes, std::uint64_t sequence) {
        OutgoingFrame frame;
        frame.localSlot = localSlot;
        frame.remoteSlot = localSlot;
        frame.info.sequence = sequence;
        frame.info.payloadBytes = bytes;
        frame.info.pts = -5;
        fill(sourcePool->slotData(localSlot), bytes, sequence + 1);
        ASSERT_EQ(source.channel->sendFrame(frame), Status::Ok);
        ASSERT_TRUE(
            serveUntil([&] { return !sink.frames.empty() && (sharesPool() || !source.sent.empty()); }));
        EXPECT_EQ(sink.frames.front().slot, localSlot);
        EXPECT_EQ(sink.frames.front().info.sequence, sequence);
        EXPECT_EQ(sink.frames.front().info.pts, -5);
        EXPECT_EQ(sink.frames.front().info.payloadBytes, bytes);
        EXPECT_EQ(std::memcmp(sinkPool->slotData(localSlot), sourcePool->slotData(localSlot), bytes), 0)
            << bytes;
        sink.frames.clear();
        if (!sharesPool()) {
            EXPECT_EQ(source.sent.front(), localSlot);
            source.sent.clear();
        }
    }

    std::unique_ptr<Listener> listener_;
    End source;
    End sink;
    std::shared_ptr<FramePool> sourcePool;
    std::shared_ptr<FramePool> sinkPool;
};

TEST_P(TransportContract, DescribesItself) {
    const ChannelDescription& description = source.channel->description();
    EXPECT_EQ(description.transport, GetParam());
    EXPECT_FALSE(description.peer.empty());
    EXPECT_FALSE(description.detail.empty());
    EXPECT_EQ(description.sharesPool, GetParam() == "shm");
}

TEST_P(TransportContract, MessagesOfEverySizeArriveInOrderBothWays) {
    std::size_t next = 0;
    const auto message = [](std::size_t size) {
        std::vector<std::byte> bytes(size);
        fill(bytes.data(), size, size);
        return bytes;
    };
    const std::vector<std::size_t> sizes{1, 2, 7, 8, 63, 64, 65, 1000, 4095, kMaxMessageBytes};
    for (const std::size_t size : sizes) {
        ASSERT_EQ(source.channel->sendMessage(message(size)), Status::Ok);
        ASSERT_EQ(sink.channel->sendMessage(message(size)), Status::Ok);
    }
    ASSERT_TRUE(serveUntil(
        [&] { return source.messages.size() == sizes.size() && sink.messages.size() == sizes.size(); }));
    for (const std::size_t size : sizes) {
        EXPECT_EQ(source.messages[next], message(size));
        EXPECT_EQ(sink.messages[next], message(size));
        ++next;
    }
    EXPECT_GT(source.channel->bytesReceived(), 0U);
}

TEST_P(TransportContract, ThousandsOfMessagesSurviveAReceiverThatReadsLate) {
    constexpr std::uint32_t kCount = 5000;
    std::uint32_t queued = 0;
    ASSERT_TRUE(serveUntil([&] {
        while (queued < kCount) {
            const Status status = source.channel->sendMessage(std::as_bytes(std::span(&queued, 1)));
            if (status != Status::Ok) {
                EXPECT_EQ(status, Status::Busy);
                break;
            }
            ++queued;
        }
        return sink.messages.size() == kCount;
    }));
    for (std::uint32_t i = 0; i < kCount; ++i) {
        std::uint32_t value = 0;
        std::memcpy(&value, sink.messages[i].data(), sizeof value);
        ASSERT_EQ(value, i);
    }
}

TEST_P(TransportContract, AFloodThatLeavesRoomToSpareLeavesIt) {
    const std::vector<std::byte> patient(kMaxMessageBytes, std::byte{1});
    const std::vector<std::byte> urgent(kMaxMessageBytes, std::byte{2});
    constexpr int kFlood = 5000;
    int flooded = 0;
    int stops = 0;
    ASSERT_TRUE(serveUntil([&] {
        const int before = flooded;
        while (flooded < kFlood && source.channel->hasRoomToSpare()) {
            EXPECT_EQ(source.channel->sendMessage(patient), Status::Ok);
            ++flooded;
        }
        if (flooded > before && flooded < kFlood) {
            ++stops;
            EXPECT_EQ(source.channel->sendMessage(urgent), Status::Ok);
        }
        return flooded == kFlood && sink.messages.size() == static_cast<std::size_t>(kFlood + stops);
    }));
    EXPECT_GT(stops, 0);
}

TEST_P(TransportContract, PayloadsOfEverySizeArriveWhole) {
    setPools(1, 20 << 20, 2);
    std::uint64_t sequence = 0;
    for (const std::uint64_t bytes : {1ULL, 2ULL, 63ULL, 4096ULL, 4097ULL, 1'000'003ULL, (4ULL << 20) - 1,
                                      4ULL << 20, (4ULL << 20) + 1, (8ULL << 20) + 5, 20ULL << 20}) {
        roundTrip(sequence % 2, bytes, sequence);
        ++sequence;
    }
}

TEST_P(TransportContract, ManyFramesThroughFewSlots) {
    setPools(1, 100'000, 3);
    for (std::uint64_t i = 0; i < 200; ++i) {
        roundTrip(i % 3, 100'000 - i, i);
    }
}

TEST_P(TransportContract, TakesNoMoreFramesThanItAllows) {
    setPools(1, 1 << 20, 64);
    OutgoingFrame frame;
    frame.info.payloadBytes = 1 << 20;
    std::uint32_t accepted = 0;
    for (; accepted < 64; ++accepted) {
        frame.localSlot = frame.remoteSlot = accepted;
        frame.info.sequence = accepted;
        if (source.channel->sendFrame(frame) != Status::Ok) {
            break;
        }
    }
    ASSERT_GE(accepted, 2U);
    ASSERT_TRUE(serveUntil([&] { return sink.frames.size() == accepted; }));
    for (std::uint32_t i = 0; i < accepted; ++i) {
        EXPECT_EQ(sink.frames[i].info.sequence, i);
    }
}

TEST_P(TransportContract, APoolCanBeReplaced) {
    setPools(1, 10'000, 2);
    roundTrip(0, 10'000, 0);
    setPools(2, 3'000'000, 4);
    roundTrip(3, 3'000'000, 1);
    setPools(3, 100, 1);
    roundTrip(0, 100, 2);
}

TEST_P(TransportContract, MessagesPassWhileAFrameIsOnItsWay) {
    setPools(1, 16 << 20, 1);
    OutgoingFrame frame;
    frame.info.payloadBytes = 16 << 20;
    ASSERT_EQ(source.channel->sendFrame(frame), Status::Ok);
    const std::array<std::byte, 3> ping{std::byte{1}, std::byte{2}, std::byte{3}};
    ASSERT_EQ(source.channel->sendMessage(ping), Status::Ok);
    ASSERT_EQ(sink.channel->sendMessage(ping), Status::Ok);
    ASSERT_TRUE(serveUntil(
        [&] { return !sink.frames.empty() && !sink.messages.empty() && !source.messages.empty(); }));
}

TEST_P(TransportContract, AnOrderlyCloseIsSeenAfterTheLastMessage) {
    const std::array<std::byte, 1> bye{std::byte{9}};
    ASSERT_EQ(source.channel->sendMessage(bye), Status::Ok);
    // What a session does: the other side's answer shows that the message arrived.
    ASSERT_TRUE(serveUntil([&] { return sink.messages.size() == 1; }));
    source.channel->close();
    source.channel.reset();
    ASSERT_TRUE(serveUntil([&] { return sink.closed; }));
    EXPECT_FALSE(sink.channel->closeReason().empty());
    EXPECT_EQ(sink.channel->sendMessage(bye), Status::Closed);
}

TEST_P(TransportContract, SeveralPeersAtOnce) {
    End otherCaller;
    End otherCalled;
    connectPair(otherCaller, otherCalled);
    const std::array<std::byte, 1> one{std::byte{1}};
    ASSERT_EQ(otherCaller.channel->sendMessage(one), Status::Ok);
    ASSERT_TRUE(serveUntil([&] {
        otherCaller.processOnce();
        otherCalled.processOnce();
        return otherCalled.messages.size() == 1;
    }));
    EXPECT_TRUE(sink.messages.empty());
}

TEST_P(TransportContract, NobodyListeningIsANetworkErrorWithARemedy) {
    const std::string address = listener_->address();
    source.channel.reset();
    sink.channel.reset();
    listener_.reset();
    try {
        connect(parseUrl(address));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Network);
        EXPECT_FALSE(error.remedy().empty());
        EXPECT_NE(std::string(error.what()).find(address), std::string::npos) << error.what();
    }
}

TEST_P(TransportContract, AnAddressInUseIsANetworkErrorWithARemedy) {
    const Url url = parseUrl(listener_->address());
    try {
        static_cast<void>(GetParam() == "shm"   ? listenShm(url, {})
                          : GetParam() == "tcp" ? listenTcp(url, {})
                                                : listenVerbs(url, {}));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Network);
        EXPECT_FALSE(error.remedy().empty());
    }
}

INSTANTIATE_TEST_SUITE_P(Over, TransportContract, ::testing::ValuesIn(transportsUnderTest()), transportName);

}  // namespace
}  // namespace verbcast
