// Behaviour of verbs connections beyond the contract in rdma_contract_test.cpp, on a real rdma_cm and a real
// queue pair.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <thread>

#include "core/transport/rdma/verbs/device_addresses.h"
#include "tests/core/transport/rdma/verbs_device.h"

namespace verbcast::testing {
namespace {

class VerbsTransport : public VerbsTest {};
/// The same with and without immediates.
class VerbsFrames : public VerbsTest, public ::testing::WithParamInterface<const char*> {};

TEST_F(VerbsTransport, describesBothEnds) {
    const auto pair = connectPair(url(0));
    const ConnectionDescription& source = pair->source.messages()->description();
    const ConnectionDescription& sink = pair->sink.messages()->description();
    EXPECT_EQ(source.transport, "verbs");
    EXPECT_FALSE(pair->source.frames()->sharesMemory());
    EXPECT_EQ(source.local, sink.peer);
    EXPECT_EQ(source.peer, sink.local);
    EXPECT_TRUE(source.place == PeerPlace::ThisUser && sink.place == PeerPlace::ThisUser);
    EXPECT_NE(source.detail.find(device_.name + " port 1"), std::string::npos) << source.detail;
    EXPECT_NE(source.detail.find(device_.immediates ? "WRITE with immediate" : "WRITE then SEND"),
              std::string::npos)
        << source.detail;
    std::cout << "sink: " << sink.detail << "\n";
}

TEST_P(VerbsFrames, flowThroughManySlotsWithCredits) {
    constexpr std::uint32_t kSlots = 64;
    constexpr std::uint64_t kBytes = 20000;
    constexpr std::uint64_t kFrames = 500;
    Stream stream = openStream(connectPair(url(0), GetParam()), kBytes, kSlots);
    End& source = stream.pair->source;
    End& sink = stream.pair->sink;
    std::vector<std::uint32_t> credits(kSlots);
    std::vector<std::uint32_t> local(kSlots);
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
        credits[slot] = local[slot] = slot;
    }
    std::vector<std::uint64_t> hashes;
    std::size_t handled = 0;
    std::size_t messagesHandled = 0;
    std::size_t sentHandled = 0;
    std::size_t busy = 0;
    const auto step = [&] {
        for (; handled < sink.seen.frames.size(); ++handled) {
            const Recorder::Frame& frame = sink.seen.frames[handled];
            ASSERT_EQ(frame.info.sequence, handled);
            ASSERT_EQ(hashOf({stream.into->slotData(frame.slot), kBytes}), hashes[handled]);
            const std::string credit(reinterpret_cast<const char*>(&frame.slot), sizeof frame.slot);
            ASSERT_EQ(sink.send(credit), Status::Ok);
        }
        for (; messagesHandled < source.seen.messages.size(); ++messagesHandled) {
            std::uint32_t slot = 0;
            std::memcpy(&slot, source.seen.messages[messagesHandled].data(), sizeof slot);
            credits.push_back(slot);
        }
        for (; sentHandled < source.seen.sent.size(); ++sentHandled) {
            local.push_back(source.seen.sent[sentHandled]);
        }
        while (hashes.size() < kFrames && !credits.empty() && !local.empty()) {
            const std::span<std::byte> payload(stream.from->slotData(local.back()), kBytes);
            fillPattern(payload, hashes.size());
            const Status status = source.frames()->send(
                {stream.from, local.back(), 1, credits.back(), infoFor(hashes.size(), kBytes)});
            if (status == Status::Busy) {
                ++busy;
                break;
            }
            ASSERT_EQ(status, Status::Ok);
            hashes.push_back(hashOf(payload));
            local.pop_back();
            credits.pop_back();
        }
    };
    EXPECT_TRUE(drive({&source, &sink}, [&] {
        step();
        return HasFatalFailure() || handled == kFrames;
    })) << handled;
    EXPECT_GT(busy, 0U) << "two frames in flight were never reached";
    EXPECT_GE(sink.messages()->bytesReceived(), kFrames * kBytes);
}

INSTANTIATE_TEST_SUITE_P(Paths, VerbsFrames, ::testing::Values("", "&immediate=off"), [](const auto& param) {
    return param.param[0] == '\0' ? "default" : "withoutImmediates";
});

TEST_F(VerbsTransport, ringsAreToldInTheOrderOfTheirOffersAndHoldNoMessageUp) {
    // The first ring is large enough to be registered on a separate thread, the second is not.
    const auto pair = connectPair(url(0));
    ASSERT_EQ(pair->sink.send("before"), Status::Ok);
    const auto large = makePool(32 << 20, 2);
    const auto small = makePool(4096, 2);
    pair->sink.offer(1, large);
    EXPECT_TRUE(pair->sink.seen.told.empty());
    ASSERT_EQ(pair->sink.send("between"), Status::Ok);
    pair->sink.offer(2, small);
    EXPECT_TRUE(pair->sink.seen.told.empty());
    ASSERT_EQ(pair->sink.send("after"), Status::Ok);
    ASSERT_TRUE(drive({&pair->source, &pair->sink}, [&] { return pair->source.seen.rings.size() == 2; }));
    EXPECT_EQ(pair->source.seen.messages, (std::vector<std::string>{"before", "between", "after"}));
    EXPECT_EQ(pair->source.seen.ringsBeforeMessages, (std::vector<std::size_t>{0, 0, 0}));
    EXPECT_EQ(pair->sink.seen.told, (std::vector<RingId>{1, 2}));
    EXPECT_EQ(pair->source.seen.rings[0].shape.slotBytes, large->slotBytes());
    EXPECT_EQ(pair->source.seen.rings[1].shape.slotBytes, small->slotBytes());
    EXPECT_THROW(pair->sink.offer(2, small), Error) << "not higher than the one before";
}

TEST_F(VerbsTransport, aRingThatIsRetiredWhileItIsRegisteredIsNeverTold) {
    const auto pair = connectPair(url(0));
    pair->sink.offer(1, makePool(32 << 20, 2));
    pair->sink.frames()->retire(1);
    pair->sink.offer(2, makePool(4096, 2));
    ASSERT_TRUE(drive({&pair->source, &pair->sink}, [&] { return !pair->source.seen.rings.empty(); }));
    EXPECT_EQ(pair->sink.seen.told, std::vector<RingId>{2});
}

TEST_F(VerbsTransport, blocksThatLeaveThePayloadAreTheCallersFault) {
    Stream stream = openStream(connectPair(url(0)), 8192, 2);
    expectBadBlocksThrow(stream);
}

TEST_F(VerbsTransport, whatCannotBeSentFromSaysWhy) {
    // An in-memory file mapped read-only: kernels before 6.2 do not register it.
    const auto pair = connectPair(url(0));
    UniqueFd file(::memfd_create("verbcast-test", MFD_CLOEXEC));
    ASSERT_EQ(::ftruncate(file.get(), 8192), 0);
    const std::shared_ptr<const Memory> memory = Memory::mapFile(file.get(), 0, 8192);
    const Import import = pair->source.frames()->import(memory);
    std::cout << "mapped for reading: " << (import.direct ? "direct" : import.reason) << "\n";
    EXPECT_EQ(import.direct, import.reason.empty());
    const auto pool = makePool(8192, 2);
    EXPECT_TRUE(pair->source.frames()->import(pool->memory()).direct);
}

TEST_F(VerbsTransport, immediateOffIsSaidInTheDescription) {
    const auto pair = connectPair(url(0), "&immediate=off");
    EXPECT_NE(pair->source.messages()->description().detail.find("WRITE then SEND"), std::string::npos);
}

TEST_F(VerbsTransport, severalReceiversShareTheRegistrationOfOnePool) {
    const auto pool = makePool(30000, 4);
    fillPattern({pool->slotData(1), 30000}, 77);
    std::vector<std::unique_ptr<Pair>> pairs;
    std::vector<std::shared_ptr<FramePool>> sinks;
    for (int receiver = 0; receiver < 3; ++receiver) {
        pairs.push_back(connectPair(url(0)));
        Pair& pair = *pairs.back();
        pair.source.frames()->prepare(pool);
        sinks.push_back(makePool(30000, 2));
        sinks.back()->slots().takeFree([](std::uint32_t) {});
        pair.sink.offer(1, sinks.back());
        ASSERT_TRUE(drive({&pair.source, &pair.sink}, [&] { return !pair.source.seen.rings.empty(); }));
        ASSERT_EQ(pair.source.frames()->send({pool, 1, 1, 0, infoFor(0, 30000)}), Status::Ok);
        ASSERT_TRUE(drive({&pair.source, &pair.sink},
                          [&] { return !pair.sink.seen.frames.empty() && !pair.source.seen.sent.empty(); }));
        EXPECT_EQ(hashOf({sinks.back()->slotData(0), 30000}), hashOf({pool->slotData(1), 30000}));
    }
    // One that disconnects does not affect the others.
    pairs[0].reset();
    Pair& last = *pairs[2];
    ASSERT_EQ(last.source.frames()->send({pool, 1, 1, 1, infoFor(1, 30000)}), Status::Ok);
    EXPECT_TRUE(drive({&last.source, &last.sink}, [&] { return last.sink.seen.frames.size() == 2; }));
}

TEST_F(VerbsTransport, destroyingAChannelDeliversItsLastMessage) {
    const auto pair = connectPair(url(0));
    ASSERT_EQ(pair->source.send("last words"), Status::Ok);
    pair->source.reset();
    ASSERT_TRUE(drive({&pair->sink}, [&] { return pair->sink.closed; }));
    EXPECT_EQ(pair->sink.seen.messages, std::vector<std::string>{"last words"});
}

TEST_F(VerbsTransport, eitherSideMayBeTheSource) {
    const auto pair = connectPair(url(0), "", {});
    const auto from = makePool(10000, 2);
    const auto into = makePool(10000, 2);
    into->slots().takeFree([](std::uint32_t) {});
    fillPattern({from->slotData(0), 10000}, 5);
    pair->sink.frames()->prepare(from);
    pair->source.offer(1, into);
    ASSERT_TRUE(drive({&pair->source, &pair->sink}, [&] { return !pair->sink.seen.rings.empty(); }));
    ASSERT_EQ(pair->sink.frames()->send({from, 0, 1, 1, infoFor(0, 10000)}), Status::Ok);
    ASSERT_TRUE(drive({&pair->source, &pair->sink}, [&] { return !pair->source.seen.frames.empty(); }));
    EXPECT_EQ(hashOf({into->slotData(1), 10000}), hashOf({from->slotData(0), 10000}));
}

TEST_F(VerbsTransport, manyPeersConnectAtOnce) {
    constexpr int kPeers = 6;
    auto listener = listenVerbs(url(0));
    const Url target = url(portOf(*listener));
    const Event cancel;
    std::vector<std::future<Connection>> connecting;
    for (int peer = 0; peer < kPeers; ++peer) {
        connecting.push_back(
            std::async(std::launch::async, [&] { return connectVerbs(target, {}, kPatience, cancel); }));
    }
    std::vector<Connection> accepted;
    for (int peer = 0; peer < kPeers; ++peer) {
        accepted.push_back(acceptOne(*listener));
        ASSERT_TRUE(accepted.back());
    }
    for (auto& one : connecting) {
        EXPECT_TRUE(one.get());
    }
}

TEST_F(VerbsTransport, ipv6AddressesWork) {
    VerbsOptions options;
    options.device = device_.name;
    for (const DeviceAddress& candidate : deviceAddresses(options)) {
        const std::string text = candidate.address.text();
        if (candidate.address.family() == AF_INET6 && !text.starts_with("[fe80")) {
            const std::string host = text.substr(0, text.rfind(':'));
            const auto pair = connectPair(parseUrl("verbs://" + host + ":0"));
            EXPECT_TRUE(pair->source.messages()->description().peer.starts_with(host))
                << pair->source.messages()->description().peer;
            ASSERT_EQ(pair->source.send("six"), Status::Ok);
            EXPECT_TRUE(
                drive({&pair->source, &pair->sink}, [&] { return !pair->sink.seen.messages.empty(); }));
            return;
        }
    }
    GTEST_SKIP() << "NOT TESTED: " << device_.name << " has no IPv6 address";
}

TEST_F(VerbsTransport, localhostMeansADeviceOfThisMachine) {
    auto listener = listenVerbs(parseUrl("verbs://:0"));
    const Url target =
        parseUrl("verbs://localhost:" + std::to_string(portOf(*listener)) + "?device=" + device_.name);
    const Event cancel;
    auto connecting =
        std::async(std::launch::async, [&] { return connectVerbs(target, {}, kPatience, cancel); });
    const auto accepted = acceptOne(*listener);
    const auto connected = connecting.get();
    ASSERT_TRUE(accepted);
    ASSERT_TRUE(connected);
    EXPECT_NE(connected.messages->description().detail.find(device_.name), std::string::npos);
}

}  // namespace
}  // namespace verbcast::testing
