// The contract of frame paths, over every transport.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <optional>

#include "tests/support/transport_pair.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

class FrameContract : public TransportPair {};

TEST_P(FrameContract, PayloadsOfEverySizeArriveWhole) {
    giveRing(1, 20 << 20, 2);
    std::uint64_t sequence = 0;
    std::uint64_t sent = 0;
    for (const std::uint64_t bytes : {1ULL, 2ULL, 63ULL, 4096ULL, 4097ULL, 1'000'003ULL, (4ULL << 20) - 1,
                                      4ULL << 20, (4ULL << 20) + 1, (8ULL << 20) + 5, 20ULL << 20}) {
        roundTrip(sequence % 2, bytes, sequence);
        ++sequence;
        sent += bytes;
        EXPECT_EQ(source.path().payloadBytesMoved(), sent);
        EXPECT_EQ(sink.path().payloadBytesMoved(), sent);
    }
    EXPECT_LE(source.path().payloadBytesCopied(), sent);
    if (sharesMemory()) {
        EXPECT_EQ(source.path().payloadBytesCopied() + sink.path().payloadBytesCopied(), 0U);
    }
}

TEST_P(FrameContract, ManyFramesThroughFewSlots) {
    giveRing(1, 100'000, 3);
    for (std::uint64_t i = 0; i < 200; ++i) {
        roundTrip(i % 3, 100'000 - i, i);
    }
}

TEST_P(FrameContract, AllOfTheInfoArrives) {
    giveRing(1, 10'000, 1);
    for (const std::size_t rectangles : {std::size_t{0}, std::size_t{1}, kMaxFrameRects}) {
        OutgoingFrame outgoing = frame(0, 10'000, 77);
        outgoing.info.epoch = 3;
        outgoing.info.flags = kFrameDamaged;
        outgoing.info.capturedAt = 11;
        outgoing.info.submittedAt = 12;
        outgoing.info.postedAt = 13;
        outgoing.info.inputSequence = 14;
        outgoing.info.track = 15;
        outgoing.info.rectCount = static_cast<std::uint16_t>(rectangles);
        for (std::size_t i = 0; i < rectangles; ++i) {
            outgoing.info.rects[i] = {static_cast<std::uint16_t>(i), 2, 3, 4};
        }
        ASSERT_EQ(source.path().send(outgoing), Status::Ok);
        ASSERT_TRUE(serveUntilArrived());
        EXPECT_EQ(std::memcmp(&sink.arrived.front().info, &outgoing.info, sizeof outgoing.info), 0);
        sink.arrived.clear();
        source.sent.clear();
    }
}

TEST_P(FrameContract, TakesNoMoreFramesThanItAllows) {
    giveRing(1, 1 << 20, 64);
    std::uint32_t accepted = 0;
    for (; accepted < 64; ++accepted) {
        if (const Status status = source.path().send(frame(accepted, 1 << 20, accepted));
            status != Status::Ok) {
            EXPECT_EQ(status, Status::Busy);
            break;
        }
    }
    ASSERT_GE(accepted, 2U);
    ASSERT_TRUE(serveUntil([&] { return sink.arrived.size() == accepted; }));
    for (std::uint32_t i = 0; i < accepted; ++i) {
        EXPECT_EQ(sink.arrived[i].info.sequence, i);
    }
}

TEST_P(FrameContract, ARingCanBeReplaced) {
    giveRing(1, 10'000, 2);
    roundTrip(0, 10'000, 0);
    giveRing(2, 3'000'000, 4);
    roundTrip(3, 3'000'000, 1);
    (sharesMemory() ? source : sink).path().retire(1);
    roundTrip(2, 2'000'000, 2);
    giveRing(30'000, 100, 1);
    roundTrip(0, 100, 3);
    (sharesMemory() ? source : sink).path().retire(77);  // never offered
    roundTrip(0, 50, 4);
}

TEST_P(FrameContract, SeveralRingsAreUsedSideBySide) {
    struct Lane {
        std::shared_ptr<FramePool> from, into;
    };
    std::map<RingId, Lane> lanes;
    for (RingId ring = 1; ring <= 3; ++ring) {
        giveRing(ring, 100'000 * ring, ring + 1);
        lanes[ring] = {sourcePool, sinkPool};
    }
    for (std::uint64_t i = 0; i < 60; ++i) {
        const RingId ring = static_cast<RingId>(1 + i % 3);
        sourcePool = lanes[ring].from;
        sinkPool = lanes[ring].into;
        ring_ = ring;
        roundTrip(static_cast<std::uint32_t>(i % (ring + 1)), 100'000 * ring - i, i);
    }
    // Sent without waiting in between: they arrive in order.
    for (RingId ring : {3U, 1U}) {
        OutgoingFrame outgoing = frame(0, 50'000, ring);
        outgoing.pool = lanes[ring].from;
        outgoing.ring = ring;
        ASSERT_EQ(source.path().send(outgoing), Status::Ok);
    }
    ASSERT_TRUE(serveUntil([&] { return sink.arrived.size() == 2; }));
    EXPECT_EQ(sink.arrived[0].ring, 3U);
    EXPECT_EQ(sink.arrived[1].ring, 1U);
}

TEST_P(FrameContract, FramesGoOnlyWhereTheyCan) {
    giveRing(1, 10'000, 2);
    const auto first = sourcePool;
    giveRing(2, 10'000, 2);
    OutgoingFrame outgoing = frame(0, 10'000);
    outgoing.ring = 7;
    EXPECT_THROW(static_cast<void>(source.path().send(outgoing)), Error) << "no such ring";
    outgoing.ring = 2;
    outgoing.pool = FramePool::create({.slotBytes = 10'000, .slotCount = 2});
    if (!(GetParam() == "tcp")) {  // tcp needs no earlier pool
        EXPECT_THROW(static_cast<void>(source.path().send(outgoing)), Error) << "no such pool";
    }
    outgoing.pool.reset();
    EXPECT_THROW(static_cast<void>(source.path().send(outgoing)), Error);
    // The first ring is replaced by the second.
    if (sharesMemory()) {
        source.path().retire(1);
    } else {
        source.path().forget(1);
    }
    outgoing = frame(0, 10'000);
    outgoing.pool = first;
    outgoing.ring = 1;
    EXPECT_THROW(static_cast<void>(source.path().send(outgoing)), Error) << "given up";
    source.path().forget(77);  // never accepted
    roundTrip(1, 10'000, 5);
}

TEST_P(FrameContract, AnOfferInsideAMessageIsAcceptedWhereItIsRead) {
    // Like a session: the message may be read before the rest of the offer.
    struct Reader : End {
        RingShape shape;
        std::shared_ptr<FramePool> pool;
        bool accepted = false;
        void onMessage(std::span<const std::byte> message) override {
            pool = path().accept(1, shape, message.subspan(1));
            accepted = true;
        }
    } reader;
    End& offering = sharesMemory() ? source : sink;
    End& accepting = sharesMemory() ? sink : source;
    const auto pool = FramePool::create({.slotBytes = 8192, .slotCount = 2});
    fill(pool->slotData(1), 8192, 5);
    pool->slots().takeFree([](std::uint32_t) {});
    reader.shape = {pool->slotBytes(), pool->slotCount()};
    reader.connection = accepting.connection;
    accepting.channel().setHandler(&reader);
    offering.path().offer(1, pool);
    ASSERT_TRUE(serveUntil([&] { return !offering.offers.empty(); }));
    std::vector<std::byte> message(1);
    message.insert(message.end(), offering.offers[0].bytes.begin(), offering.offers[0].bytes.end());
    ASSERT_EQ(offering.channel().send(message), Status::Ok);
    ASSERT_TRUE(serveUntil([&] { return reader.accepted; }));
    ASSERT_EQ(reader.pool != nullptr, sharesMemory());
    if (reader.pool) {
        EXPECT_EQ(std::memcmp(reader.pool->slotData(1), pool->slotData(1), 8192), 0);
    }
    accepting.channel().setHandler(&accepting);
}

TEST_P(FrameContract, ImpossibleOffersAreThePeersFault) {
    giveRing(5, 10'000, 2);
    FramePath& accepting = (sharesMemory() ? sink : source).path();
    const std::uint64_t page = wholePages(1);
    const auto refuses = [&](RingId ring, const RingShape& shape, std::span<const std::byte> offer = {}) {
        try {
            static_cast<void>(accepting.accept(ring, shape, offer));
        } catch (const Error& error) {
            return error.kind() == ErrorKind::Peer;
        }
        return false;
    };
    EXPECT_TRUE(refuses(5, {page, 1})) << "the same again";
    EXPECT_TRUE(refuses(4, {page, 1})) << "a lower one";
    EXPECT_TRUE(refuses(65536, {page, 1})) << "too high";
    EXPECT_TRUE(refuses(6, {page, 0}));
    EXPECT_TRUE(refuses(6, {page, kMaxSlots + 1}));
    EXPECT_TRUE(refuses(6, {0, 1}));
    EXPECT_TRUE(refuses(6, {~std::uint64_t{0} & ~(page - 1), 256})) << "more than there are addresses";
    const std::vector<std::byte> nonsense(kMaxOfferBytes, std::byte{0xA5});
    EXPECT_TRUE(refuses(6, {page, 1}, nonsense));
}

TEST_P(FrameContract, RectanglesArriveExactlyAndTheRestStays) {
    constexpr std::uint64_t kStride = 4000;
    constexpr std::uint64_t kRows = 700;
    constexpr std::uint64_t kBytes = kStride * kRows;
    giveRing(1, kBytes, 1);
    fill(sourcePool->slotData(0), kBytes, 3);
    // More rows than one call sends, single rows, rows without gaps, and the very last byte.
    const std::array<ByteBlock, 5> blocks{ByteBlock{123, 1001, kStride, 600}, ByteBlock{1200, 8, kStride, 3},
                                          ByteBlock{610 * kStride, kStride, kStride, 20},
                                          ByteBlock{650 * kStride, 4, 0, 1}, ByteBlock{kBytes - 1, 1, 1, 1}};
    std::vector<bool> travels(kBytes);
    std::uint64_t total = 0;
    for (const ByteBlock& block : blocks) {
        for (std::uint64_t row = 0; row < block.rows; ++row) {
            const auto start = static_cast<std::ptrdiff_t>(block.offset + row * block.stride);
            std::fill_n(travels.begin() + start, block.rowBytes, true);
            total += block.rowBytes;
        }
    }
    if (!sharesMemory()) {
        std::fill_n(sinkPool->slotData(0), sinkPool->slotBytes(), std::byte{0xEE});
    }
    OutgoingFrame outgoing = frame(0, kBytes, 9);
    outgoing.blocks = blocks;
    ASSERT_EQ(source.path().send(outgoing), Status::Ok);
    ASSERT_TRUE(serveUntilArrived());
    EXPECT_EQ(sink.arrived.front().info.payloadBytes, kBytes);
    if (sharesMemory()) {
        EXPECT_EQ(std::memcmp(sinkPool->slotData(0), sourcePool->slotData(0), kBytes), 0);
        return;
    }
    EXPECT_EQ(source.path().payloadBytesMoved(), total);
    EXPECT_EQ(sink.path().payloadBytesMoved(), total);
    for (std::uint64_t at = 0; at < sinkPool->slotBytes(); ++at) {
        const bool travelled = at < kBytes && travels[at];
        ASSERT_EQ(sinkPool->slotData(0)[at], travelled ? sourcePool->slotData(0)[at] : std::byte{0xEE}) << at;
    }
    // A whole frame follows one sent in parts.
    sink.arrived.clear();
    source.sent.clear();
    roundTrip(0, kBytes, 10);
}

TEST_P(FrameContract, AsManyRectanglesAsThereMayBe) {
    giveRing(1, 100'000, 2);
    std::vector<ByteBlock> blocks;
    for (std::uint64_t i = 0; i < kMaxByteBlocks; ++i) {
        blocks.push_back({i * 1500, 10 + i, 100, 10});
    }
    fill(sourcePool->slotData(0), 100'000, 4);
    for (int round = 0; round < 3; ++round) {
        OutgoingFrame outgoing = frame(0, 100'000, 9);
        outgoing.blocks = blocks;
        ASSERT_EQ(source.path().send(outgoing), Status::Ok);
        ASSERT_TRUE(serveUntilArrived());
        sink.arrived.clear();
        source.sent.clear();
    }
    for (const ByteBlock& block : blocks) {
        for (std::uint64_t row = 0; row < block.rows; ++row) {
            const std::uint64_t at = block.offset + row * block.stride;
            ASSERT_EQ(std::memcmp(sinkPool->slotData(0) + at, sourcePool->slotData(0) + at, block.rowBytes),
                      0);
        }
    }
}

TEST_P(FrameContract, FramesThatCannotBeAreTheCallersFault) {
    giveRing(1, 8192, 2);
    const auto refuses = [&](const OutgoingFrame& outgoing) {
        try {
            static_cast<void>(source.path().send(outgoing));
        } catch (const Error& error) {
            return error.kind() == ErrorKind::Internal;
        }
        return false;
    };
    const auto refusesBlocks = [&](std::span<const ByteBlock> blocks) {
        OutgoingFrame outgoing = frame(0, 8000);
        outgoing.blocks = blocks;
        return refuses(outgoing);
    };
    constexpr std::uint64_t kHuge = std::uint64_t{1} << 63;
    for (const ByteBlock& block :
         {ByteBlock{8000, 1, 1, 1}, ByteBlock{0, 8001, 1, 1}, ByteBlock{0, 0, 1, 1}, ByteBlock{0, 1, 1, 0},
          ByteBlock{0, 4000, 4000, 3}, ByteBlock{0, 10, 5, 2} /* overlaps itself */,
          ByteBlock{kHuge, 1, 1, 1}, ByteBlock{~0ULL, 2, 1, 1}, ByteBlock{0, 4, kHuge, 3},
          ByteBlock{0, 8, 8, kHuge}}) {
        EXPECT_TRUE(refusesBlocks(std::span(&block, 1)))
            << block.offset << " " << block.rowBytes << " " << block.stride << " " << block.rows;
    }
    const std::array<ByteBlock, 2> twice{ByteBlock{0, 8000, 1, 1}, ByteBlock{0, 8000, 1, 1}};
    EXPECT_TRUE(refusesBlocks(twice)) << "more than the frame";
    const std::vector<ByteBlock> many(kMaxByteBlocks + 1, ByteBlock{0, 1, 1, 1});
    EXPECT_TRUE(refusesBlocks(many));
    EXPECT_TRUE(refuses(frame(0, 0)));
    EXPECT_TRUE(refuses(frame(0, 8193)));
    EXPECT_TRUE(refuses(frame(2, 100)));
    roundTrip(1, 8000, 1);  // the stream still works
}

TEST_P(FrameContract, MessagesPassWhileAFrameIsOnItsWay) {
    giveRing(1, 16 << 20, 1);
    ASSERT_EQ(source.path().send(frame(0, 16 << 20)), Status::Ok);
    const std::array<std::byte, 3> ping{std::byte{1}, std::byte{2}, std::byte{3}};
    ASSERT_EQ(source.channel().send(ping), Status::Ok);
    ASSERT_EQ(sink.channel().send(ping), Status::Ok);
    ASSERT_TRUE(serveUntil(
        [&] { return !sink.arrived.empty() && !sink.messages.empty() && !source.messages.empty(); }));
}

/// Memory of every kind as a pool of two slots; the second holds `content`.
std::shared_ptr<FramePool> poolOf(MemoryKind kind, std::span<const std::byte> content) {
    const std::uint64_t slotBytes = slotBytesFor(content.size());
    if (kind == MemoryKind::File) {
        const UniqueFd file(::memfd_create("file", MFD_CLOEXEC));
        EXPECT_EQ(::ftruncate(file.get(), static_cast<off_t>(2 * slotBytes)), 0);
        EXPECT_EQ(::pwrite(file.get(), content.data(), content.size(), static_cast<off_t>(slotBytes)),
                  static_cast<ssize_t>(content.size()));
        return FramePool::mapFile(file.get(), 0, slotBytes, 2);
    }
    auto pool = FramePool::create({.slotBytes = slotBytes, .slotCount = 2});
    std::memcpy(pool->slotData(1), content.data(), content.size());
    if (kind == MemoryKind::Host) {
        return pool;
    }
    return FramePool::mapPeer(UniqueFd(::dup(pool->memory()->descriptor())), pool->slotBytes(), 2);
}

TEST_P(FrameContract, FramesLeaveFromWhateverMemoryWasImported) {
    std::vector<std::byte> content(300'000);
    fill(content.data(), content.size(), 12);
    RingId ring = 0;
    for (const MemoryKind kind : {MemoryKind::Host, MemoryKind::Peer, MemoryKind::File}) {
        const auto pool = poolOf(kind, content);
        ASSERT_TRUE(pool);
        std::optional<Import> import;
        std::thread elsewhere([&] { import = source.path().import(pool->memory()); });
        elsewhere.join();
        if (!import->direct) {
            EXPECT_FALSE(import->reason.empty());
            EXPECT_NE(kind, MemoryKind::Host) << import->reason;
            continue;
        }
        useRing(++ring, pool);
        roundTrip(1, content.size(), ring);
    }
    EXPECT_GE(ring, 1U);
}

INSTANTIATE_TEST_SUITE_P(Over, FrameContract, ::testing::ValuesIn(transportsUnderTest()), transportName);

}  // namespace
}  // namespace verbcast::testing
