// The doctor's findings about a stream's rails.
#include <gtest/gtest.h>

#include "app/commands/doctor/checks/checks.h"
#include "core/transport/socket_address.h"

namespace verbcast::testing {
namespace {

RailFinding rail(const std::string& url, const std::string& interface, bool up = true) {
    RailFinding made{parseUrl(url), {}, interface};
    if (up) {
        made.finding.transport = "tcp";
        made.finding.local = "10.0.1.2:40000";
        made.finding.peer = "10.0.1.1:7423";
    } else {
        made.finding.checks.push_back({"peer", CheckState::Failed, "nobody answers", "plug it in"});
    }
    return made;
}

TEST(RailChecks, EachRailIsListedWithItsAddressesAndInterface) {
    const Checks checks = railChecks({rail("tcp://10.0.1.1", "eth0"), rail("tcp://10.0.2.1", "eth1")});
    ASSERT_EQ(checks.size(), 3U);
    EXPECT_EQ(checks[0].name, "rail 1");
    EXPECT_EQ(checks[0].state, CheckState::Ok);
    for (const char* part : {"10.0.1.2:40000", "10.0.1.1:7423", "eth0"}) {
        EXPECT_NE(checks[0].seen.find(part), std::string::npos) << part;
    }
    EXPECT_EQ(checks[2].state, CheckState::Ok);
}

TEST(RailChecks, RailsThatShareAnInterfaceAreNoSpares) {
    const Checks checks = railChecks({rail("tcp://10.0.1.1", "eth0"), rail("tcp://10.0.2.1", "eth0")});
    EXPECT_EQ(checks.back().state, CheckState::Warning);
    EXPECT_NE(checks.back().seen.find("share the interface eth0"), std::string::npos);
    EXPECT_FALSE(checks.back().remedy.empty());
}

TEST(RailChecks, ARailThatIsDownIsAWarningWithWhatHelps) {
    const Checks checks = railChecks({rail("tcp://10.0.1.1", "eth0"), rail("tcp://10.0.2.1", "", false)});
    ASSERT_EQ(checks.size(), 2U);
    EXPECT_EQ(checks[1].state, CheckState::Warning);
    EXPECT_EQ(checks[1].remedy, "plug it in");
}

TEST(RailChecks, OtherWaysToThePeerAreNamed) {
    const Check check = otherWaysCheck({parseUrl("tcp://10.0.2.1:7423")});
    EXPECT_EQ(check.state, CheckState::Ok);
    for (const char* part : {"tcp://10.0.2.1:7423", "--rails double"}) {
        EXPECT_NE(check.seen.find(part), std::string::npos) << check.seen;
    }
    EXPECT_EQ(otherWaysCheck({}).seen.find("--rails"), std::string::npos);
}

TEST(RailChecks, AllLoopbackAddressesAreOneInterface) {
    EXPECT_EQ(interfaceWith("127.0.0.1:7000"), "lo");
    EXPECT_EQ(interfaceWith("127.0.0.2:7000"), "lo");
    EXPECT_EQ(interfaceWith("192.0.2.77:7000"), "");
    EXPECT_EQ(interfaceWith(""), "");
}

}  // namespace
}  // namespace verbcast::testing
