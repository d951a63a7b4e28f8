// Sealing and opening frames, and what somebody with access to the sealed frames may try.
#include "core/session/trust/frame_cipher.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "core/base/error.h"

namespace verbcast::testing {
namespace {

/// A session's keys, derived from the context alone.
FrameKeys keysOf(std::uint8_t session) {
    return [session](std::span<const std::byte> context) {
        std::array<std::byte, 32> key{};
        std::ranges::copy(context, key.begin());
        key[31] = static_cast<std::byte>(session);
        return key;
    };
}

class FrameCipherTest : public ::testing::Test {
  protected:
    using Bytes = std::vector<std::byte>;

    OutgoingFrame frameOf(std::uint64_t bytes, std::span<const ByteBlock> blocks = {}) {
        pool_ = FramePool::create({.slotBytes = std::max<std::uint64_t>(bytes, 1), .slotCount = 2});
        std::mt19937_64 random(bytes);
        for (std::uint64_t i = 0; i + 8 <= bytes; i += 8) {
            const std::uint64_t value = random();
            std::memcpy(pool_->slotData(1) + i, &value, 8);
        }
        OutgoingFrame frame;
        frame.pool = pool_;
        frame.localSlot = 1;
        frame.ring = 3;
        frame.remoteSlot = 5;
        frame.info.sequence = 77;
        frame.info.payloadBytes = bytes;
        frame.info.rectCount = 1;
        frame.info.rects[0] = {1, 2, 3, 4};
        frame.blocks = blocks;
        return frame;
    }
    Bytes seal(const OutgoingFrame& frame) {
        Bytes sealed(sealedBytes(frame.pool->slotBytes()));
        sealed.resize(sealer_.seal(frame, frame.pool->slotData(frame.localSlot), sealed.data()));
        return sealed;
    }
    FrameInfo open(const Bytes& sealed, RingId ring = 3, std::uint32_t slot = 5) {
        opened_.assign(pool_->slotBytes(), std::byte{0});
        return opener_.open(sealed, ring, slot, opened_);
    }
    bool refused(const Bytes& sealed, RingId ring = 3, std::uint32_t slot = 5) {
        try {
            open(sealed, ring, slot);
            return false;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Peer);
            return true;
        }
    }
    std::span<const std::byte> plain() const { return {pool_->slotData(1), pool_->slotBytes()}; }

    std::shared_ptr<FramePool> pool_;  // shared with the frames made of it
    FrameCipher sealer_{keysOf(1), Side::Listening};
    FrameCipher opener_{keysOf(1), Side::Listening};
    Bytes opened_;
};

TEST_F(FrameCipherTest, FramesOfEverySizeComeBackAsTheyWere) {
    for (const std::uint64_t bytes :
         {std::uint64_t{1}, std::uint64_t{15}, std::uint64_t{4096}, std::uint64_t{kCipherChunkBytes - 1},
          std::uint64_t{kCipherChunkBytes}, std::uint64_t{kCipherChunkBytes + 1},
          std::uint64_t{3 * kCipherChunkBytes}, std::uint64_t{3 * kCipherChunkBytes + 12345}}) {
        const OutgoingFrame frame = frameOf(bytes);
        const Bytes sealed = seal(frame);
        EXPECT_LE(sealed.size(), sealedBytes(bytes));
        const FrameInfo info = open(sealed);
        EXPECT_EQ(std::memcmp(&info, &frame.info, sizeof info), 0);
        EXPECT_TRUE(std::ranges::equal(std::span(opened_).first(bytes), plain().first(bytes))) << bytes;
        if (bytes >= 4096) {
            EXPECT_EQ(std::search(sealed.begin(), sealed.end(), plain().begin(), plain().begin() + 16),
                      sealed.end());
        }
    }
}

TEST_F(FrameCipherTest, OfBlocksOnlyTheirBytesTravelAndLandInTheirPlaces) {
    const std::array<ByteBlock, 2> blocks = {
        {{.offset = 100, .rowBytes = 50, .stride = 1000, .rows = 7},
         {.offset = 500'000, .rowBytes = 300'000, .stride = 300'000, .rows = 2}}};
    const OutgoingFrame frame = frameOf(2'000'000, blocks);
    const Bytes sealed = seal(frame);
    EXPECT_LT(sealed.size(), 600'350U + 4096U);
    open(sealed);
    std::vector<bool> travels(2'000'000);
    for (const ByteBlock& block : blocks) {
        for (std::uint64_t row = 0; row < block.rows; ++row) {
            std::fill_n(travels.begin() + static_cast<std::ptrdiff_t>(block.offset + row * block.stride),
                        block.rowBytes, true);
        }
    }
    for (std::size_t i = 0; i < travels.size(); ++i) {
        ASSERT_EQ(opened_[i], travels[i] ? plain()[i] : std::byte{0}) << i;
    }
}

TEST_F(FrameCipherTest, EveryFlippedBitOfASmallFrameIsRefused) {
    const std::array<ByteBlock, 1> blocks = {{{.offset = 8, .rowBytes = 16, .stride = 32, .rows = 3}}};
    const Bytes sealed = seal(frameOf(128, blocks));
    for (std::size_t bit = 0; bit < sealed.size() * 8; ++bit) {
        Bytes changed = sealed;
        changed[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
        ASSERT_TRUE(refused(changed)) << "byte " << bit / 8 << " of " << sealed.size();
    }
}

TEST_F(FrameCipherTest, FlippedBitsOfALargeOneAreRefusedWhereverTheyAre) {
    const OutgoingFrame frame = frameOf(2 * kCipherChunkBytes + 999);
    std::mt19937_64 random(1);
    for (int i = 0; i < 40; ++i) {
        Bytes sealed = seal(frame);
        sealed[random() % sealed.size()] ^= static_cast<std::byte>(1U << (random() % 8));
        ASSERT_TRUE(refused(sealed));
    }
    EXPECT_FALSE(refused(seal(frame))) << "those that were refused do not keep out the next";
}

TEST_F(FrameCipherTest, NoFrameComesTwiceOrBehindALaterOneOrInAnotherPlace) {
    const OutgoingFrame frame = frameOf(1000);
    const Bytes first = seal(frame);
    const Bytes second = seal(frame);
    const Bytes third = seal(frame);
    EXPECT_NE(first, second) << "the same bytes never look the same";
    EXPECT_TRUE(refused(first, 4, 5)) << "another ring";
    EXPECT_TRUE(refused(first, 3, 6)) << "another slot";
    EXPECT_FALSE(refused(first));
    EXPECT_TRUE(refused(first)) << "again";
    EXPECT_FALSE(refused(third)) << "one that never came is for the session to miss";
    EXPECT_TRUE(refused(second)) << "late";
}

TEST_F(FrameCipherTest, AnotherSessionsAndTheOtherDirectionsFramesAreRefused) {
    const Bytes sealed = seal(frameOf(1000));
    FrameCipher otherSession(keysOf(2), Side::Listening);
    FrameCipher otherDirection(keysOf(1), Side::Connecting);
    std::vector<std::byte> into(4096);
    EXPECT_THROW(otherSession.open(sealed, 3, 5, into), Error);
    EXPECT_THROW(otherDirection.open(sealed, 3, 5, into), Error);
    EXPECT_NO_THROW(opener_.open(sealed, 3, 5, into));
}

TEST_F(FrameCipherTest, NoChunkTakesAnothersPlace) {
    Bytes sealed = seal(frameOf(2 * kCipherChunkBytes));
    const auto chunk = static_cast<std::ptrdiff_t>(kCipherChunkBytes);
    std::swap_ranges(sealed.begin(), sealed.begin() + chunk, sealed.begin() + chunk);
    std::swap_ranges(sealed.begin() + 2 * chunk, sealed.begin() + 2 * chunk + 16,
                     sealed.begin() + 2 * chunk + 16);  // and their tags
    EXPECT_TRUE(refused(sealed));
}

TEST_F(FrameCipherTest, AFrameThatDoesNotFitIsRefused) {
    const Bytes sealed = seal(frameOf(9000));
    std::vector<std::byte> small(8999);
    EXPECT_THROW(opener_.open(sealed, 3, 5, small), Error);
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{1}, std::size_t{16}, std::size_t{239}, sealed.size() - 1}) {
        EXPECT_TRUE(refused({sealed.begin(), sealed.begin() + static_cast<std::ptrdiff_t>(length)}))
            << length;
    }
}

TEST_F(FrameCipherTest, KeysChangeOnTheWay) {
    const OutgoingFrame frame = frameOf(64);
    for (int i = 0; i < 2 * 4096 + 10; ++i) {
        ASSERT_FALSE(refused(seal(frame))) << i;
    }
}

}  // namespace
}  // namespace verbcast::testing
