#include "core/base/checksum.h"

#include <gtest/gtest.h>

#include <vector>

namespace verbcast::testing {
namespace {

TEST(Checksum, OfPiecesIsThatOfTheWhole) {
    std::vector<std::byte> bytes(100'003);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::byte>(i * 7 >> 3);
    }
    const std::span<const std::byte> whole(bytes);
    for (const std::size_t piece : {1U, 63U, 256U, 99'999U}) {
        Checksum checksum;
        for (std::size_t at = 0; at < whole.size(); at += piece) {
            checksum.add(whole.subspan(at, std::min(piece, whole.size() - at)));
        }
        EXPECT_EQ(checksum.value(), checksumOf(whole));
    }
    EXPECT_EQ(Checksum().value(), 0x2d06800538d394c2U);  // XXH3_64bits of empty input, from its specification
}

TEST(Checksum, ACopyGoesItsOwnWay) {
    const std::vector<std::byte> bytes(10, std::byte{1});
    Checksum first;
    first.add(bytes);
    Checksum second = first;
    second.add(bytes);
    EXPECT_EQ(first.value(), checksumOf(bytes));
    EXPECT_NE(second.value(), first.value());
    first = second;
    EXPECT_EQ(first.value(), second.value());
}

}  // namespace
}  // namespace verbcast::testing
