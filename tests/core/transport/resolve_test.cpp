#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/transport/socket_address.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

TEST(Resolve, NumbersNeedNoNameService) {
    // Neither an expired deadline nor a cancelled wait delays results that need no lookup.
    Event cancel;
    cancel.notify();
    const auto v4 = resolve(parseUrl("tcp://192.0.2.7:80"), false, Deadline::in(-1s), &cancel);
    ASSERT_EQ(v4.size(), 1U);
    EXPECT_EQ(v4[0].text(), "192.0.2.7:80");
    EXPECT_EQ(v4[0].host(), "192.0.2.7");
    const auto v6 = resolve(parseUrl("tcp://[2001:db8::1]:80"), false, Deadline::in(-1s), &cancel);
    ASSERT_EQ(v6.size(), 1U);
    EXPECT_EQ(v6[0].text(), "[2001:db8::1]:80");
    EXPECT_EQ(v6[0].host(), "2001:db8::1");
    EXPECT_FALSE(resolve(parseUrl(":7000"), true, Deadline::in(-1s), &cancel).empty());
    const auto here = resolve(parseUrl(":7000"), false, Deadline::in(-1s), &cancel);
    ASSERT_FALSE(here.empty());
    EXPECT_TRUE(std::ranges::all_of(here, isLocalAddress));
    EXPECT_EQ(here[0].port(), 7000);
}

TEST(Resolve, NamesAreWaitedForUntilTheDeadlineOrCancelled) {
    const Url url = parseUrl("tcp://localhost:80");
    EXPECT_TRUE(std::ranges::any_of(resolve(url, false, Deadline::in(20s)), isLocalAddress));
    Event cancel;
    cancel.notify();
    EXPECT_TRUE(resolve(parseUrl("tcp://a-name.invalid:80"), false, Deadline::never(), &cancel).empty());
    try {
        // The deadline has already passed: the lookup itself continues, but nobody waits for it.
        static_cast<void>(resolve(parseUrl("tcp://a-name.invalid:80"), false, Deadline::in(-1s)));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Network);
        EXPECT_FALSE(error.remedy().empty());
        EXPECT_NE(std::string(error.what()).find("a-name.invalid"), std::string::npos);
    }
}

TEST(Resolve, AnUnknownNameIsANetworkErrorWithARemedy) {
    try {
        static_cast<void>(resolve(parseUrl("tcp://a-name.invalid:80"), false, Deadline::in(60s)));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Network);
        EXPECT_FALSE(error.remedy().empty());
        EXPECT_NE(std::string(error.what()).find("a-name.invalid"), std::string::npos);
    }
}

}  // namespace
}  // namespace verbcast::testing
