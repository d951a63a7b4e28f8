// The contract of frame paths where the source writes into the sink's rings.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "tests/support/transport_pair.h"

namespace verbcast::testing {
namespace {

class WrittenFrameContract : public TransportPair {
  protected:
    /// The sink reads everything in flight, and then receives a message from the source.
    void speak() {
        while (sink.serve()) {
        }
        const std::byte word{1};
        ASSERT_EQ(source.channel().send(std::span(&word, 1)), Status::Ok);
        ASSERT_TRUE(serveUntil([&] { return !sink.messages.empty(); }));
    }
};

TEST_P(WrittenFrameContract, AHalfReceivedPayloadKeepsItsMemoryWhenTheRingIsRetired) {
    constexpr std::uint64_t kBytes = 64 << 20;
    giveRing(1, kBytes, 1);
    fill(sourcePool->slotData(0), kBytes, 8);
    ASSERT_EQ(source.path().send(frame(0, kBytes)), Status::Ok);
    // If a device places the bytes, only whole frames are visible.
    ASSERT_TRUE(serveUntil([&] { return sink.begun > 0 || !sink.arrived.empty(); }));
    sink.path().retire(1);
    sink.rings.clear();
    const std::weak_ptr<FramePool> watched = sinkPool;
    sinkPool.reset();
    if (sink.begun > 0) {
        EXPECT_EQ(watched.expired(), !sink.arrived.empty()) << "the payload's end lets go of it";
        ASSERT_TRUE(serveUntil([&] { return !sink.arrived.empty(); }));
    } else {
        speak();  // a device may already be writing the next frame, until the source sends something else
    }
    EXPECT_TRUE(watched.expired());
}

TEST_P(WrittenFrameContract, WritingIntoARetiredRingChangesNothingAndEndsTheConnection) {
    giveRing(1, 10'000, 1);
    roundTrip(0, 10'000, 0);
    sink.path().retire(1);
    const std::vector<std::byte> before(sinkPool->slotData(0), sinkPool->slotData(0) + 10'000);
    fill(sourcePool->slotData(0), 10'000, 99);
    ASSERT_EQ(source.path().send(frame(0, 10'000)), Status::Ok);
    // libfabric 1.17's shm refuses the write and reports it to neither end: the source's session misses
    // onFrameSent().
    const bool tells = GetParam() != "ofi_shm";
    const Deadline deadline = Deadline::in(tells ? kPatience : std::chrono::seconds(1));
    bool refused = false;
    try {
        static_cast<void>(
            serveUntil([&] { return sink.closed || !sink.arrived.empty() || deadline.passed(); }));
    } catch (const Error& error) {
        refused = error.kind() == ErrorKind::Peer;
    }
    EXPECT_EQ(refused || sink.closed, tells);
    EXPECT_TRUE(sink.arrived.empty());
    EXPECT_EQ(std::memcmp(sinkPool->slotData(0), before.data(), before.size()), 0);
}

TEST_P(WrittenFrameContract, ASourceThatIsReplacedLivesUntilItsFramesAreOut) {
    giveRing(1, 8 << 20, 2);
    fill(sourcePool->slotData(0), 8 << 20, 1);
    std::vector<std::byte> expected(sourcePool->slotData(0), sourcePool->slotData(0) + (8 << 20));
    ASSERT_EQ(source.path().send(frame(0, 8 << 20)), Status::Ok);
    const std::weak_ptr<FramePool> first = sourcePool;
    sourcePool = FramePool::create({.slotBytes = 8 << 20, .slotCount = 2});
    source.path().prepare(sourcePool);
    EXPECT_FALSE(first.expired());
    ASSERT_TRUE(serveUntilArrived());
    EXPECT_EQ(std::memcmp(sinkPool->slotData(0), expected.data(), expected.size()), 0);
    sink.arrived.clear();
    source.sent.clear();
    roundTrip(1, 8 << 20, 3);
    EXPECT_TRUE(first.expired());
}

TEST_P(WrittenFrameContract, RowsLandElsewhereThanTheyLie) {
    constexpr std::uint64_t kBytes = 4 << 20;
    giveRing(1, kBytes, 2);
    fill(sourcePool->slotData(0), kBytes, 4);
    std::memset(sinkPool->slotData(1), 0xee, kBytes);
    // A rectangle of a picture packed without gaps; packed rows that get gaps; a run; a single byte.
    const std::array<ByteBlock, 4> from{ByteBlock{5000, 1001, 7680, 500}, ByteBlock{3'900'000, 64, 64, 40},
                                        ByteBlock{100, 90, 90, 1}, ByteBlock{kBytes - 1, 1, 1, 1}};
    const std::array<ByteBlock, 4> into{ByteBlock{0, 1001, 1001, 500}, ByteBlock{510'000, 64, 100, 40},
                                        ByteBlock{600'000, 90, 90, 1}, ByteBlock{700'000, 1, 1, 1}};
    std::vector<std::byte> expected(kBytes, std::byte{0xee});
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        for (std::uint64_t row = 0; row < from[i].rows; ++row) {
            std::memcpy(expected.data() + into[i].offset + row * into[i].stride,
                        sourcePool->slotData(0) + from[i].offset + row * from[i].stride, from[i].rowBytes);
            total += from[i].rowBytes;
        }
    }
    OutgoingFrame outgoing = frame(0, 700'001);
    outgoing.remoteSlot = 1;
    outgoing.blocks = into;
    outgoing.from = from;
    const std::uint64_t moved = source.path().payloadBytesMoved();
    ASSERT_EQ(source.path().send(outgoing), Status::Ok);
    ASSERT_TRUE(serveUntilArrived());
    EXPECT_EQ(std::memcmp(sinkPool->slotData(1), expected.data(), kBytes), 0);
    EXPECT_EQ(source.path().payloadBytesMoved() - moved, total);
}

TEST_P(WrittenFrameContract, RowsThatDoNotLieInTheSlotOrAreOthersAreNotSent) {
    giveRing(1, 8000, 1);
    const ByteBlock lands{0, 10, 10, 5};
    for (const ByteBlock& lies : {ByteBlock{sourcePool->slotBytes() - 49, 10, 10, 5}, ByteBlock{0, 10, 10, 4},
                                  ByteBlock{0, 11, 11, 5}, ByteBlock{0, 10, 5, 5},
                                  ByteBlock{~0ULL, 10, 10, 5}, ByteBlock{0, 10, ~0ULL, 5}}) {
        OutgoingFrame outgoing = frame(0, 8000);
        outgoing.blocks = std::span(&lands, 1);
        outgoing.from = std::span(&lies, 1);
        EXPECT_THROW(static_cast<void>(source.path().send(outgoing)), Error) << lies.offset;
    }
    OutgoingFrame outgoing = frame(0, 8000);
    outgoing.from = std::span(&lands, 1);
    EXPECT_THROW(static_cast<void>(source.path().send(outgoing)), Error) << "rows that land nowhere";
}

INSTANTIATE_TEST_SUITE_P(Over, WrittenFrameContract, ::testing::ValuesIn(transportsThatWrite()),
                         transportName);

}  // namespace
}  // namespace verbcast::testing
