// The parts of the contracts of message_channel.h and frame_path.h that depend on the RDMA protocol, over
// each of its ports, with and without immediates. Tests for every transport are in tests/core/transport.
#include <cstring>
#include <future>

#include "tests/core/transport/rdma/rdma_pair.h"
#include "tests/support/transport_under_test.h"

namespace verbcast::testing {
namespace {

struct Variant {
    TransportUnderTest over;
    bool immediates;
    friend std::ostream& operator<<(std::ostream& out, const Variant& variant) {
        return out << variant.over << (variant.immediates ? "" : "_withoutImmediates");
    }
};

std::vector<Variant> variants() {
    std::vector<Variant> list;
    for (const TransportUnderTest& transport : transportsUnderTest()) {
        if (transport.scheme() == "verbs" || transport.scheme() == "ofi") {
            list.push_back({transport, true});
            list.push_back({transport, false});
        }
    }
    return list;
}

class RdmaContract : public ::testing::TestWithParam<Variant> {
  protected:
    static Url url() { return parseUrl(listenAddressFor(GetParam().over)); }
    static const Transport& transport() { return transportFor(url()); }
    static std::unique_ptr<Pair> pair() {
        const Url listenAt = url();
        const bool first = listenAt.text().find('?') == std::string::npos;
        return connectPair(transport(), listenAt,
                           GetParam().immediates ? "" : (first ? "?" : "&") + std::string("immediate=off"));
    }
    static Connection connect(const Url& target) {
        const Event cancel;
        return transport().connect(target, {}, Deadline::in(kPatience), cancel);
    }
};

TEST_P(RdmaContract, messagesOfAllSizesArriveInOrderBothWays) {
    const auto both = pair();
    std::vector<std::string> expected;
    for (std::size_t size : {std::size_t{1}, std::size_t{200}, std::size_t{248}, std::size_t{249},
                             std::size_t{1000}, kMaxMessageBytes - 1, kMaxMessageBytes}) {
        std::string text(size, '\0');
        fillPattern(std::as_writable_bytes(std::span(text)), size);
        expected.push_back(text);
        ASSERT_EQ(both->source.send(text), Status::Ok);
        ASSERT_EQ(both->sink.send(text), Status::Ok);
    }
    EXPECT_TRUE(drive({&both->source, &both->sink}, [&] {
        return both->source.seen.messages.size() == expected.size() &&
               both->sink.seen.messages.size() == expected.size();
    }));
    EXPECT_EQ(both->source.seen.messages, expected);
    EXPECT_EQ(both->sink.seen.messages, expected);
    EXPECT_THROW((void)both->source.send(std::string(kMaxMessageBytes + 1, 'x')), Error);
}

TEST_P(RdmaContract, aSilentReceiverMakesTheSenderBusyAndLosesNothing) {
    const auto both = pair();
    const auto text = [](std::size_t number) {
        return std::string(number % 900, 'm') + std::to_string(number);
    };
    // The sink repeatedly reads nothing until the source may send no more.
    constexpr std::size_t kMessages = 2000;
    std::size_t sent = 0;
    std::size_t timesBusy = 0;
    const auto sendAll = [&] {
        while (sent < kMessages && both->source.send(text(sent)) == Status::Ok) {
            ++sent;
        }
        timesBusy += sent < kMessages ? 1 : 0;
        return both->sink.seen.messages.size() == kMessages;
    };
    ASSERT_TRUE(drive({&both->source, &both->sink}, sendAll))
        << sent << both->source.closeReason() << both->sink.closeReason();
    for (std::size_t number = 0; number < kMessages; ++number) {
        ASSERT_EQ(both->sink.seen.messages[number], text(number));
    }
    EXPECT_GT(timesBusy, 1U);
    EXPECT_FALSE(both->source.closed);
    EXPECT_GE(both->sink.messages()->bytesReceived(), kMessages);
}

TEST_P(RdmaContract, framesOfAllSizesArriveWholeAndNothingElseIsWritten) {
    Stream stream = openStream(pair(), 9 << 20, 3);
    EXPECT_EQ(stream.pair->source.seen.rings[0].id, 1U);
    EXPECT_EQ(stream.pair->source.seen.rings[0].shape.slotBytes, stream.into->slotBytes());
    EXPECT_EQ(stream.pair->source.seen.rings[0].shape.slotCount, 3U);
    std::uint64_t sequence = 0;
    for (std::uint64_t bytes :
         {std::uint64_t{1}, std::uint64_t{4095}, std::uint64_t{(4 << 20) - 1}, std::uint64_t{4 << 20},
          std::uint64_t{(4 << 20) + 1}, stream.into->slotBytes()}) {
        SCOPED_TRACE(bytes);
        sendAndCompare(stream, bytes, static_cast<std::uint32_t>(sequence % 3), sequence);
        ++sequence;
    }
}

TEST_P(RdmaContract, framesLargerThanTheSendWindowArriveWhole) {
    // 4K rgba: nine chunks of 4 MiB, more than may be posted at a time.
    Stream stream = openStream(pair(), 3840 * 2160 * 4, 2);
    sendAndCompare(stream, 3840 * 2160 * 4, 1, 0);
}

TEST_P(RdmaContract, rectanglesArriveAndTheRestOfTheSlotStaysAsItWas) {
    constexpr std::uint64_t kBytes = 9 << 20;
    Stream stream = openStream(pair(), kBytes, 2);
    expectOnlyBlocksArrive(stream, kBytes);
}

TEST_P(RdmaContract, manyFramesThroughFewSlots) {
    Stream stream = openStream(pair(), 100'000, 3);
    for (std::uint64_t sequence = 0; sequence < 100 && !HasFatalFailure(); ++sequence) {
        sendAndCompare(stream, 100'000 - sequence, static_cast<std::uint32_t>(sequence % 3), sequence);
    }
}

TEST_P(RdmaContract, aNewRingReplacesTheOldOneWhileItsFramesArrive) {
    Stream stream = openStream(pair(), 50000, 4);
    End& source = stream.pair->source;
    End& sink = stream.pair->sink;
    fillPattern({stream.from->slotData(2), 50000}, 2);
    fillPattern({stream.from->slotData(3), 50000}, 3);
    // A frame into the old ring is in flight while the new one is offered.
    ASSERT_EQ(source.frames()->send({stream.from, 2, 1, 3, infoFor(0, 50000)}), Status::Ok);
    const auto larger = makePool(200000, 6);
    larger->slots().takeFree([](std::uint32_t) {});
    sink.offer(2, larger);
    ASSERT_TRUE(drive({&source, &sink},
                      [&] { return source.seen.rings.size() == 2 && sink.seen.frames.size() == 1; }));
    EXPECT_EQ(sink.seen.frames[0].ring, 1U);
    EXPECT_EQ(hashOf({stream.into->slotData(3), 50000}), hashOf({stream.from->slotData(2), 50000}));
    EXPECT_EQ(source.seen.rings[1].id, 2U);
    EXPECT_EQ(source.seen.rings[1].shape.slotCount, 6U);
    // Slot 5 and this size exist only in the new pool.
    const auto from = makePool(200000, 4);
    source.frames()->prepare(from);
    fillPattern({from->slotData(1), 200000}, 4);
    ASSERT_EQ(source.frames()->send({from, 1, 2, 5, infoFor(1, 200000)}), Status::Ok);
    ASSERT_TRUE(drive({&source, &sink},
                      [&] { return sink.seen.frames.size() == 2 && source.seen.sent.size() == 2; }));
    EXPECT_EQ(sink.seen.frames[1].ring, 2U);
    EXPECT_EQ(hashOf({larger->slotData(5), 200000}), hashOf({from->slotData(1), 200000}));
}

TEST_P(RdmaContract, closingDeliversWhatWasSentBefore) {
    const auto both = pair();
    for (int number = 0; number < 20; ++number) {
        ASSERT_EQ(both->source.send(std::string(2000, 'a') + std::to_string(number)), Status::Ok);
    }
    both->source.messages()->close();
    EXPECT_EQ(both->source.send("late"), Status::Closed);
    ASSERT_TRUE(
        drive({&both->source, &both->sink}, [&] { return both->sink.closed && both->source.closed; }));
    ASSERT_EQ(both->sink.seen.messages.size(), 20U);
    EXPECT_EQ(both->sink.seen.messages.back(), std::string(2000, 'a') + "19");
    EXPECT_EQ(both->sink.closeReason(), "the peer closed the connection");
}

TEST_P(RdmaContract, severalPeersAtOnceAndEitherSideMayBeTheSource) {
    const auto listener = transport().listen(url(), {.sendsFrames = true});
    const Url target = parseUrl(listener->address());
    const auto pool = makePool(30'000, 2);
    fillPattern({pool->slotData(1), 30'000}, 77);
    std::vector<std::unique_ptr<End>> ends;
    for (int peer = 0; peer < 3; ++peer) {
        auto connecting = std::async(std::launch::async, [&] { return connect(target); });
        ends.push_back(std::make_unique<End>(acceptOne(*listener)));
        End& source = *ends.back();
        ends.push_back(std::make_unique<End>(connecting.get()));
        End& sink = *ends.back();
        const auto into = makePool(30'000, 2);
        source.frames()->prepare(pool);
        sink.offer(1, into);
        ASSERT_TRUE(drive({&source, &sink}, [&] { return !source.seen.rings.empty(); }));
        ASSERT_EQ(source.frames()->send({pool, 1, 1, 0, infoFor(0, 30'000)}), Status::Ok);
        ASSERT_TRUE(drive({&source, &sink}, [&] { return !sink.seen.frames.empty(); }));
        EXPECT_EQ(hashOf({into->slotData(0), 30'000}), hashOf({pool->slotData(1), 30'000}));
    }
}

INSTANTIATE_TEST_SUITE_P(Over, RdmaContract, ::testing::ValuesIn(variants()),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace verbcast::testing
