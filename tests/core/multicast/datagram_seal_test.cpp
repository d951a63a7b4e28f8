#include "core/session/trust/datagram_seal.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace verbcast::testing {
namespace {

std::vector<std::byte> fromHex(const std::string& text) {
    std::vector<std::byte> bytes;
    for (std::size_t at = 0; at < text.size(); at += 2) {
        bytes.push_back(static_cast<std::byte>(std::stoi(text.substr(at, 2), nullptr, 16)));
    }
    return bytes;
}

// McGrew and Viega, "The Galois/Counter Mode of Operation", test case 14: a key and nonce of zeros, a block
// of zeros.
TEST(DatagramSeal, GivesThePublishedCiphertextAndTag) {
    DatagramSeal seal(DatagramKey{}, true, DatagramSeal::Use::Seal);
    const std::vector<std::byte> plain(16);
    std::vector<std::byte> into(16), tag(16);
    seal.seal(0, {}, plain, into.data(), tag.data());
    EXPECT_EQ(into, fromHex("cea7403d4d606b6e074ec5d3baf39d18"));
    EXPECT_EQ(tag, fromHex("d0d1c8a799996bf0265b98b5d48ab919"));
}

class DatagramSealUse : public ::testing::TestWithParam<bool> {};

TEST_P(DatagramSealUse, OpensOnlyWhatWasSealed) {
    const DatagramKey key = randomDatagramKey();
    DatagramSeal seal(key, GetParam(), DatagramSeal::Use::Seal);
    DatagramSeal open(key, GetParam(), DatagramSeal::Use::Open);
    const auto head = fromHex("00112233445566778899");
    const std::vector<std::byte> plain(1000, std::byte{0x42});
    std::vector<std::byte> sent = plain, tag(16), got(1000);
    seal.seal(77, head, plain, sent.data(), tag.data());
    EXPECT_EQ(sent == plain, !GetParam()) << "encrypted or not";
    ASSERT_TRUE(open.open(77, head, sent, tag, got.data()));
    if (GetParam()) {
        EXPECT_EQ(got, plain);
    }
    EXPECT_FALSE(open.open(78, head, sent, tag, got.data())) << "another counter";
    for (auto* bytes : {&sent, &tag}) {
        for (const std::size_t at : {std::size_t{0}, bytes->size() - 1}) {
            (*bytes)[at] ^= std::byte{1};
            EXPECT_FALSE(open.open(77, head, sent, tag, got.data()));
            (*bytes)[at] ^= std::byte{1};
        }
    }
    auto other = head;
    other[3] ^= std::byte{0x80};
    EXPECT_FALSE(open.open(77, other, sent, tag, got.data())) << "another head";
    EXPECT_FALSE(open.open(77, head, sent, std::span(tag).first(8), got.data())) << "a short tag";
    EXPECT_TRUE(open.open(77, head, sent, tag, got.data())) << "none of that spoils the next";
    DatagramSeal stranger(randomDatagramKey(), GetParam(), DatagramSeal::Use::Open);
    EXPECT_FALSE(stranger.open(77, head, sent, tag, got.data())) << "another key";
}

INSTANTIATE_TEST_SUITE_P(Both, DatagramSealUse, ::testing::Bool());

}  // namespace
}  // namespace verbcast::testing
