// Checks of rectangles, and iterating over them in chunks of any size.
#include "core/transport/path_checks.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "core/transport/block_walk.h"

namespace verbcast::testing {
namespace {

using Blocks = std::vector<ByteBlock>;

TEST(BytesOfBlocks, AreTheSumOrTheWholePayload) {
    EXPECT_EQ(bytesOfBlocks({}, 100), 100U);
    EXPECT_EQ(bytesOfBlocks(Blocks{{0, 100, 100, 1}}, 100), 100U);
    EXPECT_EQ(bytesOfBlocks(Blocks{{99, 1, 0, 1}}, 100), 1U) << "the stride of a single row means nothing";
    EXPECT_EQ(bytesOfBlocks(Blocks{{10, 5, 40, 3}, {0, 2, 2, 2}}, 100), 19U);
    EXPECT_EQ(bytesOfBlocks(Blocks{{0, 10, 10, 10}}, 100), 100U);
    EXPECT_EQ(bytesOfBlocks(Blocks(kMaxByteBlocks, {7, 1, 1, 1}), 100), kMaxByteBlocks);
}

TEST(BytesOfBlocks, AreNothingForWhatCannotBe) {
    constexpr std::uint64_t kMax = ~std::uint64_t{0};
    EXPECT_FALSE(bytesOfBlocks({}, 0));
    EXPECT_FALSE(bytesOfBlocks(Blocks(kMaxByteBlocks + 1, {7, 1, 1, 1}), 100));
    for (const ByteBlock& block : Blocks{{100, 1, 1, 1},
                                         {0, 101, 1, 1},
                                         {0, 0, 1, 1},
                                         {0, 1, 1, 0},
                                         {0, 1, 0, 2},
                                         {0, 3, 2, 2},
                                         {1, 10, 10, 10},
                                         {kMax, 1, 1, 1},
                                         {1, kMax, 1, 1},
                                         {0, 1, kMax, 2},
                                         {0, 1, kMax, kMax},
                                         {0, 1, 1, kMax},
                                         {0, 2, kMax / 2, 3},
                                         {kMax, kMax, kMax, kMax}}) {
        EXPECT_FALSE(bytesOfBlocks(Blocks{block}, 100))
            << block.offset << " " << block.rowBytes << " " << block.stride << " " << block.rows;
    }
    EXPECT_FALSE(bytesOfBlocks(Blocks{{0, 60, 60, 1}, {0, 60, 60, 1}}, 100)) << "more than there is";
    EXPECT_FALSE(bytesOfBlocks(Blocks{{0, kMax, 1, 1}, {0, 2, 1, 1}}, kMax)) << "a sum that wraps";
}

TEST(LiesWithin, IsEveryByteInOnePlace) {
    const Blocks places{{100, 10, 50, 4}, {400, 5, 20, 2}};  // bytes 100 to 109, 150 to 159, ...
    EXPECT_TRUE(liesWithin({}, {})) << "where there are no places, all is one";
    EXPECT_TRUE(liesWithin(Blocks{{7, 1, 1, 1}}, {}));
    EXPECT_FALSE(liesWithin({}, places)) << "the whole payload";
    for (const ByteBlock& block : Blocks{{100, 10, 50, 4},
                                         {103, 7, 50, 4},
                                         {150, 10, 50, 3},
                                         {250, 10, 0, 1},
                                         {259, 1, 9, 1},
                                         {420, 5, 1, 1}}) {
        EXPECT_TRUE(liesWithin(Blocks{block}, places)) << block.offset;
        EXPECT_FALSE(liesWithin(Blocks{block, {0, 1, 1, 1}}, places)) << "the other lies beside it";
    }
    constexpr std::uint64_t kMax = ~std::uint64_t{0};
    for (const ByteBlock& block : Blocks{{99, 1, 1, 1},
                                         {100, 11, 50, 1},
                                         {101, 10, 50, 1},
                                         {110, 1, 50, 1},
                                         {100, 10, 50, 5},
                                         {150, 10, 50, 4},
                                         {100, 10, 49, 2},
                                         {100, 10, 10, 2},
                                         {300, 1, 1, 1},
                                         {400, 5, 50, 2},
                                         {kMax, 1, 1, 1},
                                         {100, kMax, 50, 1},
                                         {100, 10, 50, kMax}}) {
        EXPECT_FALSE(liesWithin(Blocks{block}, places)) << block.offset << " " << block.rowBytes;
    }
    EXPECT_FALSE(liesWithin(Blocks{{0, 1, 1, 1}}, Blocks{ByteBlock{}})) << "an empty place holds nothing";
}

TEST(BlockWalk, VisitsEveryByteOnceInOrderWhateverThePieces) {
    const Blocks blocks{{3, 5, 11, 4}, {60, 7, 7, 3}, {90, 1, 1, 1}, {100, 20, 100, 2}};
    std::vector<std::size_t> expected;
    for (const ByteBlock& block : blocks) {
        for (std::uint64_t row = 0; row < block.rows; ++row) {
            for (std::uint64_t at = 0; at < block.rowBytes; ++at) {
                expected.push_back(block.offset + row * block.stride + at);
            }
        }
    }
    std::mt19937 random(4);
    std::vector<std::byte> slot(300);
    for (int round = 0; round < 200; ++round) {
        BlockWalk walk;
        walk.begin(blocks, slot.size());
        EXPECT_EQ(walk.left(), bytesOfBlocks(blocks, slot.size()));
        std::vector<std::size_t> visited;
        while (walk.left() > 0) {
            std::array<iovec, 5> parts;
            const std::size_t count = walk.gather(slot.data(), std::span(parts).first(1 + random() % 5));
            ASSERT_GT(count, 0U);
            std::vector<std::size_t> offered;
            for (std::size_t i = 0; i < count; ++i) {
                const auto start =
                    static_cast<std::size_t>(static_cast<std::byte*>(parts[i].iov_base) - slot.data());
                for (std::size_t at = 0; at < parts[i].iov_len; ++at) {
                    offered.push_back(start + at);
                }
            }
            const std::size_t taken = 1 + random() % offered.size();
            visited.insert(visited.end(), offered.begin(),
                           offered.begin() + static_cast<std::ptrdiff_t>(taken));
            walk.advance(taken);
        }
        ASSERT_EQ(visited, expected);
    }
}

TEST(BlockWalk, RowsWithoutGapsAreOneRun) {
    std::vector<std::byte> slot(1000);
    std::array<iovec, 4> parts;
    BlockWalk walk;
    walk.begin(Blocks{{100, 10, 10, 50}}, 1000);
    ASSERT_EQ(walk.gather(slot.data(), parts), 1U);
    EXPECT_EQ(parts[0].iov_len, 500U);
    walk.begin({}, 1000);
    ASSERT_EQ(walk.gather(slot.data(), parts), 1U);
    EXPECT_EQ(parts[0].iov_len, 1000U);
    walk.advance(1000);
    EXPECT_EQ(walk.gather(slot.data(), parts), 0U);
}

}  // namespace
}  // namespace verbcast::testing
