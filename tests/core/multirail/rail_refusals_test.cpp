// Connections that cannot be rails are refused with a reason.
#include <gtest/gtest.h>

#include "core/multirail/rail_search.h"
#include "core/multirail/rail_viewer.h"
#include "tests/core/session/core_support.h"
#include "tests/core/session/memory_channel.h"

namespace verbcast::testing {
namespace {

std::string refusalOf(const std::vector<std::string>& texts, bool listen = false) {
    std::vector<Url> urls;
    for (const std::string& text : texts) {
        urls.push_back(parseUrl(text));
    }
    try {
        checkRails(urls, listen);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Usage);
        return error.what();
    }
    return "";
}

TEST(RailRefusals, AddressesThatCanBeNoRails) {
    EXPECT_EQ(refusalOf({"tcp://10.0.0.1:7000", "tcp://10.0.1.1:7000"}), "");
    EXPECT_EQ(refusalOf({"verbs://10.0.0.1", "tcp://10.0.0.1", "ofi://10.0.0.1"}), "");
    EXPECT_TRUE(contains(refusalOf({"shm://a", "tcp://10.0.1.1"}), "shared memory cannot be a rail"));
    EXPECT_TRUE(contains(refusalOf({"tcp://10.0.1.1", "multicast://239.1.1.1"}), "group"));
    EXPECT_TRUE(contains(refusalOf({"10.0.1.1", "tcp://10.0.2.1"}), "transport expected"));
    EXPECT_TRUE(contains(refusalOf({"tcp://10.0.1.1", "tcp://10.0.1.1"}), "twice"));
    EXPECT_TRUE(contains(refusalOf({"tcp://a", "tcp://b", "tcp://c", "tcp://d", "tcp://e"}), "at most 4"));
    EXPECT_TRUE(contains(refusalOf({"tcp://10.0.1.1", "tcp://10.0.2.1"}, true), "listens"));
}

TEST(RailRefusals, GreetingsAndOrdersThatCannotBe) {
    RailHello rail{.stream = newRailStream(), .index = 1, .count = 2, .mode = RailMode::Double};
    EXPECT_NO_THROW(rail.check());
    rail.index = 2;
    EXPECT_THROW(rail.check(), Error);
    rail = {.stream = {}, .index = 0, .count = 1, .mode = RailMode::Double};
    EXPECT_THROW(rail.check(), Error);
    rail = {.stream = {}, .index = 0, .count = 200, .mode = RailMode::Double};
    EXPECT_THROW(rail.check(), Error);
    rail = {.stream = {}, .index = 0, .count = 2, .mode = static_cast<RailMode>(9)};
    EXPECT_THROW(rail.check(), Error);
    EXPECT_NO_THROW((RailOrder{0, 5, false, 4}).check());
    EXPECT_THROW((RailOrder{0, 5, false, 5}).check(), Error);
    EXPECT_THROW((RailOrder{kMaxTracks, 5, false, 4}).check(), Error);
    EXPECT_NE(newRailStream(), newRailStream());
}

TEST(RailRefusals, AGuestThatIsAnothersOrShowsAnotherKeyIsNoRail) {
    const RailHello first{.stream = newRailStream(), .index = 0, .count = 2, .mode = RailMode::Double};
    const auto channel = MemoryChannel::pair().first;
    const auto peer = [&](const RailHello& rail, std::uint64_t instance, const PeerTrust& trust) {
        PeerConnection one;
        one.connection.messages = channel;
        one.hello = Hello{}.asRail(rail);
        one.hello.instance = instance;
        one.trust = trust;
        return one;
    };
    SenderShared shared(8, {});
    const PeerTrust trust{Protection::Encrypted, kMayAll, "wall"};
    RailViewer viewer(shared, 1, false, std::make_shared<ViewerAccount>(), peer(first, 42, trust).hello);
    viewer.linkBegins(peer(first, 42, trust));
    RailHello second = first;
    second.index = 1;
    EXPECT_THROW(viewer.linkBegins(peer(second, 43, trust)), Error);
    EXPECT_THROW(viewer.linkBegins(peer(first, 42, trust)), Error);
    EXPECT_THROW(viewer.linkBegins(peer(second, 42, {Protection::Proven, kMayAll, "other"})), Error);
    EXPECT_THROW(viewer.linkBegins(peer(second, 42, {Protection::None, kMayView, ""})), Error);
    RailHello striped = second;
    striped.mode = RailMode::Stripe;
    EXPECT_THROW(viewer.linkBegins(peer(striped, 42, trust)), Error);
    EXPECT_EQ(viewer.linkBegins(peer(second, 42, trust)), "");
}

TEST(RailRefusals, RailsToTwoSendersServeOneAndSayWhy) {
    SenderOptions sending;
    sending.url = parseUrl("tcp://127.0.0.1:0");
    sending.peerTimeout = kLimit;
    Broadcast one(sending);
    Broadcast other(sending);
    ReceiverOptions receiving;
    receiving.url = parseUrl(one.listenAddresses().front());
    receiving.spares = {parseUrl(other.listenAddresses().front())};
    receiving.peerTimeout = kLimit;
    FrameReceiver viewer(receiving);
    ASSERT_TRUE(eventually([&] { return one.stats().connections + other.stats().connections >= 3; }))
        << "the one that does not fit is tried again";
    EXPECT_TRUE(eventually([&] {
        const auto rails = viewer.stats().rails;
        return std::ranges::count_if(rails, &RailStats::up) == 1;
    }));
}

}  // namespace
}  // namespace verbcast::testing
