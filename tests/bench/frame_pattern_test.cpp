// What `--verify full` writes and checks.
#include "app/bench/workers/frame_pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace verbcast::testing {
namespace {

constexpr std::size_t kOddBytes = (100U << 10) + 13;  // several chunks and a remainder

std::vector<std::byte> frameOf(std::uint64_t number, std::size_t bytes = kOddBytes) {
    std::vector<std::byte> frame(bytes);
    writeFrame(frame, number);
    return frame;
}

TEST(FramePattern, AFrameIsIntactUntilAnyOfItsBytesChanges) {
    std::vector<std::byte> frame(kOddBytes);
    const std::uint64_t hash = writeFrame(frame, 7);
    EXPECT_TRUE(frameIsIntact(frame, hash));
    for (std::size_t i = 0; i < frame.size(); i += i < 200 ? 1 : 997) {
        frame[i] ^= std::byte{1};
        EXPECT_FALSE(frameIsIntact(frame, hash)) << i;
        frame[i] ^= std::byte{1};
    }
    frame.back() ^= std::byte{0x80};
    EXPECT_FALSE(frameIsIntact(frame, hash));
    frame.back() ^= std::byte{0x80};
    EXPECT_TRUE(frameIsIntact(frame, hash));
    EXPECT_FALSE(frameIsIntact(std::span(frame).first(frame.size() - 1), hash));
}

TEST(FramePattern, EveryByteIsWritten) {
    // An unwritten byte would keep its old value, which differs between the two buffers.
    for (const std::size_t bytes :
         {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65}, kOddBytes}) {
        std::vector<std::byte> zeros(bytes, std::byte{0});
        std::vector<std::byte> ones(bytes, std::byte{0xff});
        EXPECT_EQ(writeFrame(zeros, 3), writeFrame(ones, 3));
        EXPECT_EQ(zeros, ones) << bytes;
    }
}

TEST(FramePattern, FramesDifferFromEachOther) {
    for (std::uint64_t number = 0; number < 20; ++number) {
        const auto one = frameOf(number);
        const auto next = frameOf(number + 1);
        std::size_t same = 0;
        for (std::size_t i = 0; i < one.size(); ++i) {
            same += one[i] == next[i] ? 1 : 0;
        }
        // Noise matches in one byte of 256, so a row or slot left over from the previous frame is always
        // detected.
        EXPECT_LT(same, one.size() / 100) << number;
    }
}

TEST(FramePattern, NoPartOfAFrameIsLikeAnother) {
    const auto frame = frameOf(1);
    constexpr std::size_t kRow = 1280;
    const auto first = std::span(frame).first(kRow);
    for (std::size_t row = 1; row < frame.size() / kRow; ++row) {
        EXPECT_FALSE(std::ranges::equal(first, std::span(frame).subspan(row * kRow, kRow))) << row;
    }
}

}  // namespace
}  // namespace verbcast::testing
