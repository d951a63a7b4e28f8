// --numa: which node is chosen, and because of which device, on simulated machines.
#include "app/cli/numa_choice.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

namespace fs = std::filesystem;

const std::vector<NumaNode> kTwo{{0, {0, 1}}, {1, {2, 3}}};

NumaStats chosen(const std::string& text, const std::vector<NumaDevice>& devices,
                 const std::vector<NumaNode>& nodes = kTwo) {
    return chooseNode(parseNuma(text), nodes, devices);
}

TEST(NumaChoice, AutoFollowsTheDevices) {
    EXPECT_EQ(chosen("auto", {{"mlx5_0", 1}}), (NumaStats{1, "auto", "mlx5_0 is on node 1"}));
    EXPECT_EQ(chosen("auto", {{"ens1", 1}, {"usb0", std::nullopt}}).node, 1);
    const NumaStats two = chosen("auto", {{"ens1", 0}, {"ens2", 1}});
    EXPECT_EQ(two.node, std::nullopt);
    EXPECT_EQ(two.reason, "ens1 is on node 0, ens2 is on node 1: --numa N chooses one");
    EXPECT_EQ(chosen("auto", {{"eth0", std::nullopt}}),
              (NumaStats{std::nullopt, "auto", "eth0 belongs to no node"}));
    EXPECT_EQ(chosen("auto", {}).reason, "no network device is used");
    EXPECT_EQ(chosen("auto", {{"ens1", 5}}).node, std::nullopt) << "not listed";
}

TEST(NumaChoice, OneNodeNeedsNoPlace) {
    for (const std::vector<NumaNode>& nodes : {std::vector<NumaNode>{}, {{0, {0, 1}}}}) {
        EXPECT_EQ(chosen("auto", {{"mlx5_0", 0}}, nodes),
                  (NumaStats{std::nullopt, "auto", "one node: all memory is equally near"}));
    }
}

TEST(NumaChoice, AnOptionWins) {
    EXPECT_EQ(chosen("0", {{"mlx5_0", 1}}), (NumaStats{0, "0", "as --numa says, of nodes 0, 1"}));
    EXPECT_EQ(chosen("off", {{"mlx5_0", 1}}), (NumaStats{std::nullopt, "off", "as --numa says"}));
}

TEST(NumaChoice, WhatDoesNotExistIsRefusedWithTheNodes) {
    try {
        chosen("7", {});
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Usage);
        EXPECT_STREQ(error.what(), "--numa 7: there is no such node");
        EXPECT_EQ(error.remedy(), "nodes of this machine: 0, 1");
    }
    EXPECT_THROW(chosen("0", {}, {}), Error);
    for (const char* text : {"", "on", "-1", "1x", "99999999999"}) {
        EXPECT_THROW(parseNuma(text), Error) << text;
    }
}

class NumaDevices : public ::testing::Test {
  protected:
    void card(const std::string& list, const std::string& name, const std::string& node) const {
        const fs::path folder = fs::path(folder_.path()) / "sys/class" / list / name;
        fs::create_directories(folder / "device");
        std::ofstream(folder / "device/numa_node") << node << '\n';
        std::ofstream(folder / "operstate") << "up\n";
    }
    std::vector<NumaDevice> towards(const std::string& url, bool listen) const {
        return devicesTowards({{.url = parseUrl(url), .listen = listen}}, folder_.path());
    }

  private:
    TemporaryFolder folder_;
};

TEST_F(NumaDevices, APeerOfThisMachineNeedsNone) {
    card("net", "lo", "1");
    card("net", "ens1", "1");
    EXPECT_TRUE(towards("shm://name", true).empty());
    EXPECT_TRUE(towards("tcp://127.0.0.1:7423", false).empty());
    EXPECT_TRUE(towards("tcp://127.0.0.1:7423", true).empty());
    EXPECT_TRUE(towards("tcp://[::1]:7423", false).empty());
}

TEST_F(NumaDevices, TheAddressNamesTheDevice) {
    card("infiniband", "mlx5_3", "1");
    const auto devices = towards("verbs://10.0.0.1:7423?device=mlx5_3", false);
    ASSERT_EQ(devices.size(), 1U);
    EXPECT_EQ(devices[0].name, "mlx5_3");
    EXPECT_EQ(devices[0].node, 1);
}

TEST_F(NumaDevices, AListenerOnAllAddressesCountsRdmaFirst) {
    card("net", "ens1", "0");
    card("net", "ens2", "1");
    EXPECT_EQ(towards(":7423", true).size(), 2U);
    card("infiniband", "mlx5_0", "1");
    const auto devices = towards(":7423", true);
    ASSERT_EQ(devices.size(), 1U);
    EXPECT_EQ(devices[0].name, "mlx5_0");
}

}  // namespace
}  // namespace verbcast::testing
