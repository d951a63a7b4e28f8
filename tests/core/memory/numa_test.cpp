// NUMA nodes of simulated machines, and moving threads on this one.
#include "core/memory/numa.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <fstream>
#include <thread>

#include "tests/support/expectations.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

namespace fs = std::filesystem;

class NumaTest : public ::testing::Test {
  protected:
    void file(const std::string& name, const std::string& text) const {
        fs::create_directories((root() / name).parent_path());
        std::ofstream(root() / name) << text << '\n';
    }
    /// Adds a card on a node, and a `list` entry that links to `below` it: virtio devices have a folder of
    /// their own.
    void card(const std::string& place, const std::string& node, const std::string& list,
              const std::string& below = "") const {
        const std::string folder = "sys/devices/pci0000:00/" + place;
        file(folder + "/numa_node", node);
        fs::create_directories(root() / folder / below);
        fs::create_directories(root() / list);
        fs::create_directory_symlink(root() / folder / below, root() / list / "device");
    }
    fs::path root() const { return folder_.path(); }

  private:
    TemporaryFolder folder_;
};

TEST_F(NumaTest, ReadsNodesAndTheirProcessors) {
    file("sys/devices/system/node/node0/cpulist", "0-3,8");
    file("sys/devices/system/node/node10/cpulist", "");
    file("sys/devices/system/node/node2/cpulist", "4-7");
    file("sys/devices/system/node/possible", "0-10");
    file("sys/devices/system/node/nodes", "");
    const std::vector<NumaNode> nodes = numaNodes(root());
    ASSERT_EQ(numaNodeList(nodes), "0, 2, 10");
    EXPECT_EQ(nodes[0].processors, (std::vector{0, 1, 2, 3, 8}));
    EXPECT_TRUE(nodes[2].processors.empty()) << "memory only";
    EXPECT_TRUE(numaNodes(root() / "nowhere").empty());
}

TEST_F(NumaTest, ADevicesNodeIsThatOfItsCard) {
    card("0000:00:01.0", "1", "sys/class/infiniband/mlx5_0");
    card("0000:00:02.0", "0", "sys/class/net/eth0", "virtio0");
    card("0000:00:03.0", "-1", "sys/class/net/usb0");
    EXPECT_EQ(numaNodeOfRdma(root(), "mlx5_0"), 1);
    EXPECT_EQ(numaNodeOfInterface(root(), "eth0"), 0) << "its device has no node of its own";
    EXPECT_EQ(numaNodeOfInterface(root(), "usb0"), std::nullopt);
    EXPECT_EQ(numaNodeOfInterface(root(), "missing"), std::nullopt);
    EXPECT_EQ(numaNodeOfInterface(root(), "../net/eth0"), std::nullopt);
    EXPECT_EQ(numaNodeOfRdma(root(), ""), std::nullopt);
    fs::create_directories(root() / "sys/class/infiniband/rxe0");
    EXPECT_EQ(numaNodeOfRdma(root(), "rxe0"), std::nullopt);
    std::ofstream(root() / "sys/class/infiniband/rxe0/parent") << "eth0\n";
    EXPECT_EQ(numaNodeOfRdma(root(), "rxe0"), 0);
}

TEST_F(NumaTest, ABondIsWhereAllItsPortsAre) {
    card("0000:00:01.0", "1", "sys/class/net/ens1");
    card("0000:00:02.0", "1", "sys/class/net/ens2");
    card("0000:00:03.0", "0", "sys/class/net/ens3");
    fs::create_directories(root() / "sys/class/net/lo");
    fs::create_directories(root() / "sys/class/net/bond0/lower_ens1");
    fs::create_directories(root() / "sys/class/net/bond0/lower_ens2");
    fs::create_directories(root() / "sys/class/net/bond0.5/lower_bond0");
    EXPECT_EQ(numaNodeOfInterface(root(), "bond0.5"), 1);
    EXPECT_EQ(hardwareInterfaces(root()),
              (std::vector<std::string>{"bond0", "bond0.5", "ens1", "ens2", "ens3"}));
    fs::create_directories(root() / "sys/class/net/bond0/lower_ens3");
    EXPECT_EQ(numaNodeOfInterface(root(), "bond0"), std::nullopt);
    fs::create_directories(root() / "sys/class/net/loop/lower_loop");
    EXPECT_EQ(numaNodeOfInterface(root(), "loop"), std::nullopt) << "ends";
}

TEST(NumaPlace, AThreadMovesToTheProcessorsThatItMayUse) {
    std::thread([] {
        cpu_set_t before;
        ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
        int allowed = 0;
        while (!CPU_ISSET(allowed, &before)) {
            ++allowed;
        }
        EXPECT_EQ(runOnProcessorsOf({.number = 0, .processors = {allowed, 8000}}), "");
        cpu_set_t after;
        ASSERT_EQ(::sched_getaffinity(0, sizeof after, &after), 0);
        EXPECT_EQ(CPU_COUNT(&after), 1);
        EXPECT_TRUE(CPU_ISSET(allowed, &after));
        EXPECT_TRUE(contains(runOnProcessorsOf({.number = 0, .processors = {8000}}), "may use none"));
        EXPECT_TRUE(contains(runOnProcessorsOf({.number = 0, .processors = {}}), "no processors"));
    }).join();
}

TEST(NumaPlace, PreferringANodeCountsAsChosen) {
    const std::vector<NumaNode> nodes = numaNodes("/");
    if (nodes.empty()) {
        GTEST_SKIP() << "NOT TESTED: this machine lists no NUMA nodes";
    }
    std::thread([&] {
        ASSERT_FALSE(memoryPolicyChosen());
        const std::string failed = preferMemoryOf(nodes.front());
        if (failed.find("not permitted") != std::string::npos) {
            GTEST_SKIP() << "NOT TESTED: " << failed;
        }
        EXPECT_EQ(failed, "");
        EXPECT_TRUE(memoryPolicyChosen());
        EXPECT_NE(preferMemoryOf({.number = 1000, .processors = {}}), "") << "no such node";
    }).join();
}

}  // namespace
}  // namespace verbcast::testing
