// PCI topologies of simulated machines, laid out like sysfs: links from the lists into the device tree.
#include "core/gpu/pci_place.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

namespace fs = std::filesystem;

class PciPlaceTest : public ::testing::Test {
  protected:
    /// A device at its path below /sys/devices, listed as in sysfs. `node`: the content of numa_node.
    void add(const std::string& way, const std::string& node, const std::string& rdma = "") {
        const fs::path place = root() / "sys/devices" / way;
        fs::create_directories(place);
        std::ofstream(place / "numa_node") << node << '\n';
        fs::create_directories(root() / "sys/bus/pci/devices");
        fs::create_directory_symlink("../../../devices/" + way,
                                     root() / "sys/bus/pci/devices" / fs::path(way).filename());
        if (!rdma.empty()) {
            fs::create_directories(place / "infiniband" / rdma);
            fs::create_directory_symlink("../..", place / "infiniband" / rdma / "device");
            fs::create_directories(root() / "sys/class/infiniband");
            fs::create_directory_symlink("../../devices/" + way + "/infiniband/" + rdma,
                                         root() / "sys/class/infiniband" / rdma);
        }
    }
    fs::path root() const { return folder_.path(); }
    PciDistance distance(const std::string& gpu, const std::string& rdma) const {
        return distanceBetween(pciPlace(root(), gpu).value(), rdmaPciPlace(root(), rdma).value());
    }

  private:
    TemporaryFolder folder_;
};

TEST_F(PciPlaceTest, TellsTheWayOfADevice) {
    add("pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:10.0/0000:3e:00.0", "1", "mlx5_0");
    const auto place = rdmaPciPlace(root(), "mlx5_0");
    ASSERT_TRUE(place);
    EXPECT_EQ(place->address, "0000:3e:00.0");
    EXPECT_EQ(place->root, "pci0000:3a");
    EXPECT_EQ(place->ports, (std::vector<std::string>{"0000:3a:00.0", "0000:3b:00.0", "0000:3c:10.0"}));
    EXPECT_EQ(place->numaNode, 1);
}

TEST_F(PciPlaceTest, WhatIsNotThereHasNoPlace) {
    EXPECT_FALSE(pciPlace(root(), "0000:3b:00.0"));
    EXPECT_FALSE(pciPlace(root(), ""));
    EXPECT_FALSE(pciPlace(root(), "../../../etc"));
    EXPECT_FALSE(rdmaPciPlace(root(), "mlx5_0"));
    EXPECT_FALSE(rdmaPciPlace(root(), "../net"));
    fs::create_directories(root() / "sys/devices/virtual/infiniband/rxe0");
    fs::create_directories(root() / "sys/class/infiniband");
    fs::create_directory_symlink("../../devices/virtual/infiniband/rxe0",
                                 root() / "sys/class/infiniband/rxe0");
    EXPECT_FALSE(rdmaPciPlace(root(), "rxe0")) << "in software";
}

TEST_F(PciPlaceTest, BelowOnePortIsOneSwitch) {
    add("pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/0000:3d:00.0", "0");
    add("pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:10.0/0000:3e:00.0", "0", "mlx5_0");
    EXPECT_EQ(distance("0000:3d:00.0", "mlx5_0"), PciDistance::SameSwitch);
}

TEST_F(PciPlaceTest, TwoPortsOfOneHostBridgeAreOneRoot) {
    add("pci0000:3a/0000:3a:00.0/0000:3b:00.0", "0");
    add("pci0000:3a/0000:3a:02.0/0000:3c:00.0", "0", "mlx5_0");
    EXPECT_EQ(distance("0000:3b:00.0", "mlx5_0"), PciDistance::SameRoot);
}

TEST_F(PciPlaceTest, DevicesOfTheRootItselfShareNoSwitch) {
    add("pci0000:00/0000:00:04.0", "-1");
    add("pci0000:00/0000:00:05.0", "-1", "mlx5_0");
    EXPECT_EQ(distance("0000:00:04.0", "mlx5_0"), PciDistance::SameRoot) << "as in virtual machines";
}

TEST_F(PciPlaceTest, HostBridgesAreComparedByTheirNodes) {
    add("pci0000:3a/0000:3a:00.0/0000:3b:00.0", "0");
    add("pci0000:5d/0000:5d:00.0/0000:5e:00.0", "0", "mlx5_0");
    add("pci0000:ae/0000:ae:00.0/0000:af:00.0", "1", "mlx5_1");
    add("pci0000:d7/0000:d7:00.0/0000:d8:00.0", "-1", "mlx5_2");
    EXPECT_EQ(distance("0000:3b:00.0", "mlx5_0"), PciDistance::SameNode);
    EXPECT_EQ(distance("0000:3b:00.0", "mlx5_1"), PciDistance::AcrossSockets);
    EXPECT_EQ(distance("0000:3b:00.0", "mlx5_2"), PciDistance::Unknown);
}

/// An NVMe controller behind VMD is in a domain of its own, nested in another's.
TEST_F(PciPlaceTest, TheInnermostHostBridgeCounts) {
    add("pci0000:80/0000:80:05.5/pci10000:80/10000:80:01.0/10000:81:00.0", "1");
    const auto place = pciPlace(root(), "10000:81:00.0");
    ASSERT_TRUE(place);
    EXPECT_EQ(place->root, "pci10000:80");
    EXPECT_EQ(place->ports, std::vector<std::string>{"10000:80:01.0"});
}

TEST_F(PciPlaceTest, TheMemoryWindowIsTheLargestThatMayBePrefetched) {
    add("pci0000:3a/0000:3a:00.0/0000:3b:00.0", "0");
    const fs::path file = root() / "sys/bus/pci/devices/0000:3b:00.0/resource";
    EXPECT_FALSE(memoryWindowBytes(root(), "0000:3b:00.0")) << "sysfs does not tell";
    // Like an RTX A6000: 16 MiB of registers, 256 MiB of BAR1, 32 MiB, an I/O port, the ROM.
    std::ofstream(file) << "0x00000000b4000000 0x00000000b4ffffff 0x0000000000040200\n"
                           "0x0000383fe0000000 0x0000383fefffffff 0x000000000014220c\n"
                           "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
                           "0x0000383ff0000000 0x0000383ff1ffffff 0x000000000014220c\n"
                           "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
                           "0x0000000000006000 0x000000000000607f 0x0000000000040101\n"
                           "0x00000000b5000000 0x00000000b507ffff 0x0000000000046200\n";
    EXPECT_EQ(memoryWindowBytes(root(), "0000:3b:00.0"), 256U << 20);
    std::ofstream(file) << "not numbers\n";
    EXPECT_FALSE(memoryWindowBytes(root(), "0000:3b:00.0"));
    EXPECT_FALSE(memoryWindowBytes(root(), "../../../x"));
}

}  // namespace
}  // namespace verbcast::testing
