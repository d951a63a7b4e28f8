#include "core/transport/multicast/group_address.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

#include "core/base/error.h"
#include "core/base/os/unique_fd.h"
#include "core/transport/multicast/group_socket.h"
#include "tests/support/expectations.h"

namespace verbcast::testing {
namespace {

using namespace multicast;  // what is tested here

TEST(GroupAddress, IsReadInAllItsForms) {
    for (const char* text : {"239.10.0.7:7500%eth1", "multicast://239.10.0.7:7500%eth1",
                             "multicast://239.10.0.7:7500?interface=eth1"}) {
        const GroupAddress address = parseGroup(text);
        EXPECT_EQ(address.text(), "239.10.0.7:7500") << text;
        EXPECT_EQ(address.interface, "eth1") << text;
    }
    EXPECT_EQ(parseGroup("239.10.0.7").text(), "239.10.0.7:7423");
    EXPECT_EQ(parseGroup("239.10.0.7%lo").interface, "lo");
    // The printed form parses to the same address.
    const Url url = parseUrl("multicast://239.10.0.7:7500%eth1");
    EXPECT_EQ(parseUrl(url.text()).text(), url.text());
}

TEST(GroupAddress, SaysHowToTravel) {
    EXPECT_EQ(parseGroup("239.10.0.7%eth1").via, Via::Auto);
    EXPECT_EQ(parseGroup("239.10.0.7:7500%eth1?via=auto").via, Via::Auto);
    EXPECT_EQ(parseGroup("239.10.0.7:7500%eth1?via=udp").via, Via::Udp);
    EXPECT_EQ(parseGroup("multicast://239.10.0.7?interface=eth1&via=rdma").via, Via::Rdma);
    EXPECT_EQ(parseGroup("239.10.0.7%eth1?via=rdma").interface, "eth1");
    for (const char* text : {"239.10.0.7?via=ib", "239.10.0.7?via=", "239.10.0.7?via=rdma%eth1"}) {
        const Error error = thrownBy([&] { parseGroup(text); });
        EXPECT_EQ(error.kind(), ErrorKind::Usage) << text;
        EXPECT_TRUE(contains(error.what(), "auto, udp or rdma expected"));
    }
}

TEST(GroupAddress, SaysHowASenderSends) {
    const GroupAddress plain = parseGroup("239.10.0.7");
    EXPECT_EQ(plain.ttl, 1);
    EXPECT_EQ(plain.bitRate, 0U);
    const GroupAddress group = parseGroup("239.10.0.7:7424%eth1?via=udp&ttl=4&rate=2.5G");
    EXPECT_EQ(group.ttl, 4);
    EXPECT_EQ(group.bitRate, 2'500'000'000U);
    const GroupAddress again = parseGroup(group.wholeText());
    EXPECT_EQ(again.text(), "239.10.0.7:7424");
    EXPECT_EQ(again.interface, "eth1");
    EXPECT_EQ(again.via, Via::Udp);
    EXPECT_EQ(again.ttl, 4);
    EXPECT_EQ(again.bitRate, 2'500'000'000U);
}

TEST(GroupAddress, RefusesForAViewerWhatASenderSets) {
    for (const std::string option : {"ttl=4", "rate=2.5G"}) {
        const Error error =
            thrownBy([&] { groupOf(parseUrl("multicast://239.10.0.7:7424%eth1?via=udp&" + option)); });
        EXPECT_EQ(error.kind(), ErrorKind::Usage) << option;
        EXPECT_TRUE(contains(error.what(), option + " is not for viewers"));
        EXPECT_TRUE(contains(error.remedy(), "--multicast 239.10.0.7?" + option));
    }
    const Error unknown = thrownBy([] { groupOf(parseUrl("multicast://239.10.0.7?speed=1")); });
    EXPECT_FALSE(contains(unknown.remedy(), "ttl"));
}

TEST(GroupAddress, RefusesWhatIsNoGroup) {
    for (const char* text :
         {"10.0.0.1", "223.255.255.255", "240.0.0.1", "224.0.0.1", "wall", "[ff02::1]:7423", "239.10.0.7:0",
          "239.10.0.7%an-interface-with-a-long-name", "239.10.0.7?ttl=0", "239.10.0.7?ttl=256",
          "239.10.0.7?rate=8K", "239.10.0.7?rate=fast", "239.10.0.7?speed=1", "239.10.0.7:70000", "",
          "239.10.0"}) {
        const Error error = thrownBy([&] { parseGroup(text); });
        EXPECT_EQ(error.kind(), ErrorKind::Usage) << text;
        EXPECT_FALSE(error.remedy().empty()) << text;
    }
}

TEST(GroupAddress, AnInterfaceThatDoesNotExistIsNamed) {
    const Error error = thrownBy([&] { interfaceOf(parseGroup("239.10.0.7%nosuch0")); });
    EXPECT_EQ(error.kind(), ErrorKind::Network);
    EXPECT_TRUE(contains(error.what(), "nosuch0"));
    EXPECT_FALSE(error.remedy().empty());
}

TEST(GroupAddress, LoopbackTakesLargeDatagrams) {
    const GroupInterface interface = interfaceOf(parseGroup("239.10.0.7%lo"));
    EXPECT_EQ(interface.name, "lo");
    EXPECT_EQ(hostText(interface.address), "127.0.0.1");
    EXPECT_GE(interface.mtu, 16384U);
}

TEST(HearBeacon, CanBeCancelledWhateverComes) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    const UniqueFd ear(ends[0]), mouth(ends[1]);
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(::send(mouth.get(), "nonsense", 8, 0), 8);
    }
    Event cancel;
    cancel.notify();
    EXPECT_FALSE(hearBeacon(ear.get(), 0, Deadline::never(), &cancel));
    std::array<char, 8> left{};
    EXPECT_EQ(::recv(ear.get(), left.data(), left.size(), MSG_DONTWAIT), 8) << "it waited until nothing came";
}

}  // namespace
}  // namespace verbcast::testing
