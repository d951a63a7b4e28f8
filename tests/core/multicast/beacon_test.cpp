// Who is believed of those that announce a stream in a group, and what a beacon changes: nothing but that.
#include <gtest/gtest.h>

#include <thread>

#include "core/session/greeting/connect_best.h"
#include "core/session/trust/beacon_proof.h"
#include "core/transport/socket_address.h"
#include "tests/core/multicast/stage_session.h"
#include "tests/support/expectations.h"
#include "tests/support/loopback_listener.h"

namespace verbcast::testing {
namespace {

in_addr host(const char* address) {
    in_addr made{};
    ::inet_pton(AF_INET, address, &made);
    return made;
}

TEST(Beacon, AProofIsOfTheKeyTheGroupTheAddressAndEachByte) {
    const SessionKey key = SessionKey::random();
    const multicast::GroupAddress group = multicast::parseGroup("239.1.2.3:7423%lo");
    const in_addr here = host("10.0.0.2");
    auto beacon = multicast::encodeBeacon({17, true, 7423, "wall"});
    const auto bare = beacon;
    proveBeacon(beacon, key, group, here);
    EXPECT_EQ(beacon.size(), bare.size() + multicast::kTagBytes);
    EXPECT_EQ(multicast::readBeacon(beacon)->name, "wall");
    EXPECT_TRUE(isProvenBeacon(beacon, key, group, here));
    EXPECT_FALSE(isProvenBeacon(bare, key, group, here));
    EXPECT_FALSE(isProvenBeacon({}, key, group, here));
    EXPECT_FALSE(isProvenBeacon(beacon, SessionKey::random(), group, here));
    EXPECT_FALSE(isProvenBeacon(beacon, key, group, host("10.0.0.3"))) << "a copy from another host";
    EXPECT_FALSE(isProvenBeacon(beacon, key, multicast::parseGroup("239.1.2.3:7424%lo"), here));
    EXPECT_FALSE(isProvenBeacon(beacon, key, multicast::parseGroup("239.1.2.4:7423%lo"), here));
    for (std::byte& byte : beacon) {
        byte ^= std::byte{1};
        EXPECT_FALSE(isProvenBeacon(beacon, key, group, here));
        byte ^= std::byte{1};
    }
}

/// Somebody who says again and again that streams are to be had at these ports, first of all at the first.
class Announcer {
  public:
    struct Announced {
        std::uint16_t port = 0;
        std::optional<SessionKey> key{};
    };
    Announcer(const multicast::GroupAddress& group, std::vector<Announced> all)
        : thread_([group, all = std::move(all)](const std::stop_token& over) {
              multicast::GroupSender sender(group, multicast::interfaceOf(group), 1);
              while (!over.stop_requested()) {
                  for (std::size_t i = 0; i < all.size(); ++i) {
                      auto beacon = multicast::encodeBeacon({100 + i, true, all[i].port, "anybody"});
                      proveBeacon(beacon, all[i].key.value_or(SessionKey::random()), group,
                                  sender.source().sin_addr);
                      static_cast<void>(sender.sendOne(beacon));
                  }
                  std::this_thread::sleep_for(std::chrono::milliseconds(1));
              }
          }) {}

  private:
    std::jthread thread_;
};

std::uint16_t portOf(const UniqueFd& listener) {
    return parseUrl("tcp://" + localAddressOf(listener.get()).text()).port;
}

std::string reasonOf(const multicast::GroupAddress& group, const std::optional<NamedKey>& key) {
    const Url url = parseUrl("multicast://" + group.text() + "%lo");
    for (const Deadline end = Deadline::in(kPatience);;) {
        try {
            return connectBest(url, {}, end, Event(), key).reason;
        } catch (const Error&) {
            if (end.passed()) {
                throw;  // else this machine had no time for us
            }
        }
    }
}

TEST(Beacon, AViewerWithAKeyConnectsOnlyToWhoProvesIt) {
    const multicast::GroupAddress group = anyGroup();
    const NamedKey key{kSharedKeyName, SessionKey::random()};
    const UniqueFd stranger = loopbackListener(), sender = loopbackListener();
    const Announcer announcer(group, {{portOf(stranger)}, {portOf(stranger)}, {portOf(sender), key.key}});
    for (int attempt = 0; attempt < 4; ++attempt) {
        const std::string reason = reasonOf(group, key);
        EXPECT_TRUE(contains(reason, std::to_string(portOf(sender))));
    }
}

TEST(Beacon, WhoAnnouncesWithoutProofIsNamed) {
    const multicast::GroupAddress group = anyGroup();
    const UniqueFd stranger = loopbackListener();
    const Announcer announcer(group, {{portOf(stranger)}});
    const NamedKey key{kSharedKeyName, SessionKey::random()};
    const Error error = thrownBy([&] {
        connectBest(parseUrl("multicast://" + group.text() + "%lo"), {},
                    Deadline::in(std::chrono::milliseconds(200)), Event(), key);
    });
    EXPECT_TRUE(contains(error.what(), "does not prove"));
    EXPECT_EQ(error.kind(), ErrorKind::Network) << "the sender may come yet";
}

TEST(Beacon, WhereNobodyAnswersHoldsUpNobody) {
    const multicast::GroupAddress group = anyGroup();
    std::uint16_t closed = 0;
    {
        const UniqueFd gone = loopbackListener();
        closed = portOf(gone);
    }
    const UniqueFd sender = loopbackListener();
    const Announcer announcer(group, {{closed}, {portOf(sender)}});
    const std::string reason = reasonOf(group, std::nullopt);
    EXPECT_TRUE(contains(reason, std::to_string(portOf(sender))));
}

TEST(Beacon, NoBeaconEndsASender) {
    GroupOptions same = options();
    same.key = SessionKey::random();
    const Announcer announcer(same.address, {{7423}, {7423, same.key}});
    const UniqueFd ear = multicast::joinForBeacons(same.address, multicast::interfaceOf(same.address));
    GroupHub first(same), second(same);
    first.announce(7001);
    second.announce(7002);
    bool heardFirst = false, heardSecond = false;
    const Deadline end = Deadline::in(kPatience);
    while (!(heardFirst && heardSecond) && !end.passed()) {
        const auto heard = multicast::hearBeacon(ear.get(), 0, end, nullptr);
        const bool proven =
            heard && isProvenBeacon(heard->datagram, *same.key, same.address, heard->from.sin_addr);
        heardFirst |= proven && heard->beacon.port == 7001;
        heardSecond |= proven && heard->beacon.port == 7002;
    }
    EXPECT_TRUE(heardFirst && heardSecond) << "both announce themselves, and prove it";
}

}  // namespace
}  // namespace verbcast::testing
