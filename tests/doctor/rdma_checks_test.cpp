#include <unistd.h>

#include "tests/doctor/made_up_machine.h"

namespace verbcast::testing {
namespace {

Checks portChecks(const RoceMachine& machine, const StreamNeed& need = needOf()) {
    const Checks checks = rdmaPortChecks(machine.tree(), machine.findings, need);
    expectComplete(checks);
    return checks;
}

Checks setupChecks(const MadeUpMachine& machine, const RdmaFindings& findings) {
    const Checks checks = rdmaSetupChecks(machine.tree(), findings);
    expectComplete(checks);
    return checks;
}

RdmaFindings nothingFound() {
    RdmaFindings findings;
    findings.compiledIn = true;
    return findings;
}

TEST(RdmaPortChecks, AGoodPortIsOkThroughout) {
    const RoceMachine machine;
    for (const Check& check : portChecks(machine)) {
        EXPECT_TRUE(is(check, CheckState::Ok, "mlx5_0"));
    }
}

TEST(RdmaPortChecks, ASmallMtuIsRaisedAtItsInterface) {
    RoceMachine machine;
    machine.port().activeMtu = 1024;
    machine.file("/sys/class/net/ens1/mtu", "1500");
    EXPECT_TRUE(is(only(portChecks(machine), "RDMA MTU"), CheckState::Warning,
                   "1024 of at most 4096 (ens1 has 1500)", "sudo ip link set dev ens1 mtu 4200"));
}

TEST(RdmaPortChecks, InfiniBandsMtuIsTheSubnetManagers) {
    RoceMachine machine;
    machine.port().linkLayer = "InfiniBand";
    machine.port().activeMtu = 2048;
    machine.port().gids = {{0, "fe80:0000:0000:0000:0000:0000:0000:0001", "IB", ""}};
    const Checks checks = portChecks(machine);
    EXPECT_TRUE(is(only(checks, "RDMA MTU"), CheckState::Warning, "2048 of at most 4096", "opensm"));
    EXPECT_TRUE(is(only(checks, "RDMA GIDs"), CheckState::Ok, "InfiniBand"));
}

TEST(RdmaPortChecks, TheRoutableGidIsNamed) {
    RoceMachine machine;
    EXPECT_TRUE(is(only(portChecks(machine), "RDMA GIDs"), CheckState::Ok, "GID 3 is an IPv4 address"));
    machine.port().gids.pop_back();
    EXPECT_TRUE(is(only(portChecks(machine), "RDMA GIDs"), CheckState::Warning, "RoCE v1",
                   "/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode"));
    machine.port().gids.clear();
    EXPECT_TRUE(is(only(portChecks(machine), "RDMA GIDs"), CheckState::Warning, "none", "ip link set dev"));
}

TEST(RdmaPortChecks, APortWithoutAddressIsNotReachedByRdmaCm) {
    RoceMachine machine;
    EXPECT_TRUE(is(only(portChecks(machine), "RDMA address"), CheckState::Ok, "10.0.0.1"));
    machine.findings.addresses = {{"mlx5_1", 1, "10.0.0.1"}, {"mlx5_0", 2, "10.0.0.2"}};
    EXPECT_TRUE(is(only(portChecks(machine), "RDMA address"), CheckState::Warning, "has no IP address",
                   "sudo ip address add 192.168.77.1/24 dev ens1"));
}

TEST(RdmaPortChecks, InfiniBandWithoutIpoibNeedsItsModule) {
    RoceMachine machine;
    machine.port().linkLayer = "InfiniBand";
    machine.port().gids.clear();
    machine.findings.addresses.clear();
    EXPECT_TRUE(is(only(portChecks(machine), "RDMA address"), CheckState::Warning, "has no IP address",
                   "sudo modprobe ib_ipoib"));
    machine.file("/sys/class/infiniband/mlx5_0/device/net/ib3/dev_port", "0");
    EXPECT_TRUE(is(only(portChecks(machine), "RDMA address"), CheckState::Warning, "", "dev ib3"));
}

TEST(RdmaPortChecks, LinkRateIsJudgedByTheStream) {
    RoceMachine machine;
    machine.port().linkGigabits = 10;
    EXPECT_TRUE(is(only(portChecks(machine), "RDMA link rate"), CheckState::Warning, "15.9 Gb/s needed",
                   "--format nv12 --fps 30"));
    EXPECT_TRUE(is(only(portChecks(machine, needOf(1920, 1080)), "RDMA link rate"), CheckState::Ok,
                   "4.0 Gb/s needed"));
    machine.port().linkGigabits = 25;
    EXPECT_TRUE(is(only(portChecks(machine), "RDMA link rate"), CheckState::Ok, "25 Gb/s"));
}

TEST(RdmaPortChecks, ASoftwareDevicesRateIsNotBelieved) {
    RoceMachine machine;
    machine.remove("/sys/class/infiniband/mlx5_0");
    const Checks checks = portChecks(machine);
    EXPECT_TRUE(is(only(checks, "RDMA link rate"), CheckState::Info, "is nominal", "verbcast bench"));
    EXPECT_TRUE(is(only(checks, "RDMA PCIe link"), CheckState::Info, "software"));
}

TEST(RdmaPortChecks, ANarrowSlotIsNoticed) {
    RoceMachine machine;
    const std::string device = "/sys/class/infiniband/mlx5_0/device/";
    machine.file(device + "current_link_width", "4");
    machine.file(device + "current_link_speed", "8.0 GT/s PCIe");
    EXPECT_TRUE(is(only(portChecks(machine), "RDMA PCIe link"), CheckState::Warning,
                   "PCIe 8 GT/s x4, about 28 Gb/s; 15.9 Gb/s needed; it could do 16 GT/s x16",
                   "slot with more lanes"));
    machine.file(device + "max_link_width", "4");
    machine.file(device + "max_link_speed", "8.0 GT/s PCIe");
    EXPECT_TRUE(is(only(portChecks(machine), "RDMA PCIe link"), CheckState::Ok, "8 GT/s x4"));
    EXPECT_TRUE(is(only(portChecks(machine, needOf(7680, 4320)), "RDMA PCIe link"), CheckState::Warning,
                   "63.7 Gb/s needed", "more lanes"));
    machine.file(device + "current_link_speed", "Unknown");
    EXPECT_TRUE(is(only(portChecks(machine), "RDMA PCIe link"), CheckState::Info, "does not report"));
}

TEST(RdmaPortChecks, APortThatIsDownWarnsOnlyWhenItIsTheOnlyOne) {
    RoceMachine machine;
    machine.port().state = "DOWN";
    const Checks alone = portChecks(machine);
    ASSERT_EQ(alone.size(), 1U) << "of a port that is down nothing else is judged";
    EXPECT_TRUE(is(alone.front(), CheckState::Warning, "DOWN", "sudo ip link set dev ens1 up"));
    RdmaPort second = machine.port();
    second.number = 2;
    second.state = "ACTIVE";
    machine.device().ports.push_back(second);
    EXPECT_EQ(portChecks(machine).front().state, CheckState::Info);
}

TEST(RdmaPortChecks, AnInitialisingInfiniBandPortWaitsForASubnetManager) {
    RoceMachine machine;
    machine.port().state = "INIT";
    machine.port().linkLayer = "InfiniBand";
    EXPECT_TRUE(is(portChecks(machine).front(), CheckState::Warning, "INIT", "opensm"));
}

TEST(RdmaPortChecks, IwarpHasNoMtuAndNoGidsToJudge) {
    RoceMachine machine;
    machine.device().transport = "iWARP";
    for (const Check& check : portChecks(machine)) {
        EXPECT_NE(check.name, "RDMA MTU");
        EXPECT_NE(check.name, "RDMA GIDs");
    }
}

TEST(RdmaSetupChecks, DevicesAreListedWithTheirFiles) {
    const RoceMachine machine;
    const Checks checks = setupChecks(machine, machine.findings);
    EXPECT_TRUE(is(only(checks, "RDMA device"), CheckState::Ok, "mlx5_0"));
    EXPECT_TRUE(is(only(checks, "RDMA device files"), CheckState::Ok, "/dev/infiniband/uverbs0"));
}

TEST(RdmaSetupChecks, MissingDeviceFilesNameTheirModules) {
    const RoceMachine machine;
    machine.remove("/dev/infiniband/rdma_cm");
    EXPECT_TRUE(is(only(setupChecks(machine, machine.findings), "RDMA device files"), CheckState::Warning,
                   "rdma_cm is missing", "sudo modprobe rdma_ucm"));
    machine.remove("/dev/infiniband");
    EXPECT_TRUE(is(only(setupChecks(machine, machine.findings), "RDMA device files"), CheckState::Warning,
                   "uverbs0 is missing", "sudo modprobe ib_uverbs"));
}

TEST(RdmaSetupChecks, DeviceFilesThatAreClosedToTheUser) {
    if (::geteuid() == 0) {
        GTEST_SKIP() << "root may open every file";
    }
    const RoceMachine machine;
    std::filesystem::permissions(machine.tree().path("/dev/infiniband/rdma_cm"),
                                 std::filesystem::perms::owner_read);
    EXPECT_TRUE(is(only(setupChecks(machine, machine.findings), "RDMA device files"), CheckState::Warning,
                   "may not be opened", "sudo chmod a+rw /dev/infiniband/rdma_cm"));
}

TEST(RdmaSetupChecks, NoDeviceIsAWarningWithAWayToTry) {
    const MadeUpMachine machine;
    machine.file("/sys/class/net/lo/operstate", "up");
    machine.file("/sys/class/net/enp3s0/operstate", "up");
    const Checks checks = setupChecks(machine, nothingFound());
    ASSERT_EQ(checks.size(), 1U);
    EXPECT_TRUE(is(checks.front(), CheckState::Warning, "shm and tcp work",
                   "rdma link add rxe0 type rxe netdev enp3s0"));
}

TEST(RdmaSetupChecks, ACardWithoutItsRdmaDriverIsNamed) {
    const MadeUpMachine machine;
    machine.link("/sys/class/net/ens1/device/driver", "../../../bus/pci/drivers/mlx5_core");
    EXPECT_TRUE(is(setupChecks(machine, nothingFound()).front(), CheckState::Warning, "ens1 (mlx5_core)",
                   "sudo modprobe mlx5_ib"));
    machine.file("/sys/module/mlx5_ib/refcnt", "0");
    EXPECT_TRUE(is(setupChecks(machine, nothingFound()).front(), CheckState::Warning, "none", "rdma_rxe"));
}

TEST(RdmaSetupChecks, ADeviceThatOnlyTheKernelKnows) {
    const MadeUpMachine machine;
    machine.file("/sys/class/infiniband/mlx5_0/node_type", "1: CA");
    EXPECT_TRUE(is(only(setupChecks(machine, nothingFound()), "RDMA device"), CheckState::Warning, "mlx5_0",
                   "ibverbs-providers"));
}

TEST(RdmaSetupChecks, AProgramWithoutVerbsSaysSo) {
    const MadeUpMachine machine;
    EXPECT_TRUE(is(setupChecks(machine, {}).front(), CheckState::Warning, "compiled without rdma-core",
                   "libibverbs-dev"));
}

TEST(RdmaFindings, PcieRatesFollowTheLineCode) {
    EXPECT_NEAR((PcieLink{5, 8}.gigabits()), 5 * 8 * 0.8 * 0.88, 1e-9);
    EXPECT_NEAR((PcieLink{8, 8}.gigabits()), 8.0 * 8 * 128 / 130 * 0.88, 1e-9);
}

TEST(RdmaFindings, AnInterfaceIsFoundByItsPortOfTheCard) {
    const MadeUpMachine machine;
    machine.file("/sys/class/infiniband/mlx5_0/device/net/ib0/dev_port", "0");
    machine.file("/sys/class/infiniband/mlx5_0/device/net/ib1/dev_port", "1");
    const RdmaDevice device{"mlx5_0", "InfiniBand/RoCE", "", true, true, {}};
    EXPECT_EQ(interfaceOf(machine.tree(), device, {2, "ACTIVE", "InfiniBand", 4096, 4096, 0, 100, {}}),
              "ib1");
}

TEST(NumaChecks, ACardOfAnotherNodeIsTold) {
    RoceMachine machine;
    machine.file("/sys/devices/system/node/node0/cpulist", "0-3,8");
    machine.file("/sys/devices/system/node/node1/cpulist", "4-7,9-11");
    machine.file("/sys/class/infiniband/mlx5_0/device/numa_node", "1");
    const auto check = [&](int processor) {
        const Checks checks = numaChecks(machine.tree(), machine.findings, {12, 12, processor});
        expectComplete(checks);
        return only(checks, "NUMA");
    };
    EXPECT_TRUE(is(check(10), CheckState::Ok, "mlx5_0 is on node 1, this process runs on node 1"));
    EXPECT_TRUE(is(check(8), CheckState::Info, "runs on node 0; streams over mlx5_0 move to node 1"));
    machine.file("/sys/class/infiniband/mlx5_0/device/numa_node", "-1");
    EXPECT_TRUE(is(check(8), CheckState::Info, "belongs to none"));
    machine.remove("/sys/devices/system/node/node1");
    EXPECT_TRUE(is(check(8), CheckState::Ok, "one node"));
}

}  // namespace
}  // namespace verbcast::testing
