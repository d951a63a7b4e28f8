// A voucher proves which user's process a peer is.
#include "core/transport/rdma/voucher.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/base/error.h"
#include "core/transport/rdma/rdma_connection.h"
#include "tests/support/another_user.h"

namespace verbcast::testing {
namespace {

constexpr auto kCaller = ConnectionSide::Connecting;
const std::string kListener = "127.0.0.1:7423";

TEST(Voucher, IsOfThisUserWhileItLives) {
    auto voucher = std::make_unique<Voucher>(kCaller, kListener);
    const VoucherSecret secret = voucher->secret();
    EXPECT_TRUE(isOfThisUser(secret, kCaller, kListener));
    EXPECT_TRUE(isOfThisUser(secret, kCaller, kListener)) << "and again: nobody need accept";
    voucher.reset();
    EXPECT_FALSE(isOfThisUser(secret, kCaller, kListener));
}

TEST(Voucher, IsForOneAddressAndOneSide) {
    const Voucher voucher(kCaller, kListener);
    EXPECT_FALSE(isOfThisUser(voucher.secret(), kCaller, "127.0.0.1:7424")) << "passed on by who was called";
    EXPECT_FALSE(isOfThisUser(voucher.secret(), ConnectionSide::Accepting, kListener)) << "reflected";
    EXPECT_FALSE(isOfThisUser({}, kCaller, kListener));
    VoucherSecret guess = voucher.secret();
    guess.back() ^= std::byte{1};
    EXPECT_FALSE(isOfThisUser(guess, kCaller, kListener));
}

TEST(Voucher, OfAnotherUserIsNone) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can be another user, too";
    }
    std::unique_ptr<Voucher> theirs;
    {
        const AnotherUser other;
        theirs = std::make_unique<Voucher>(kCaller, kListener);
        EXPECT_TRUE(isOfThisUser(theirs->secret(), kCaller, kListener)) << "as they see it";
    }
    EXPECT_FALSE(isOfThisUser(theirs->secret(), kCaller, kListener));
}

TEST(Voucher, ListsOfSocketsDoNotShowTheSecret) {
    const Voucher voucher(kCaller, kListener);
    std::string hex;
    for (const std::byte byte : voucher.secret()) {
        constexpr const char* kDigits = "0123456789abcdef";
        hex +=
            {kDigits[std::to_integer<unsigned>(byte) >> 4U], kDigits[std::to_integer<unsigned>(byte) & 15U]};
    }
    std::ifstream file("/proc/net/unix");
    const std::string list(std::istreambuf_iterator<char>(file), {});
    EXPECT_NE(list.find("@verbcast-voucher-"), std::string::npos);
    EXPECT_EQ(list.find(hex), std::string::npos);
}

}  // namespace
}  // namespace verbcast::testing
