// The doctor's GPU checks, with simulated machines and drivers.
#include "tests/doctor/made_up_machine.h"

namespace verbcast::testing {
namespace {

constexpr const char* kWay = "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0";

GpuReport absent(GpuState state, const std::string& remedy = "") {
    return {.state = state, .reason = "the reason", .remedy = remedy, .driverVersion = 0, .devices = {}};
}

GpuReport present() {
    GpuReport report = absent(GpuState::Ready);
    report.devices.push_back({.number = 0,
                              .name = "RTX 6000",
                              .pciAddress = "0000:3b:00.0",
                              .computeMajor = 8,
                              .computeMinor = 9,
                              .memoryBytes = 48ULL << 30,
                              .directRdma = true,
                              .dmaBuf = true,
                              .uuid = "",
                              .flushesByCall = true,
                              .flushesOnStream = false,
                              .writeOrder = GpuWriteOrder::OwnDevice});
    return report;
}

/// Linux 6.1, and a GPU slot with a 256 MiB BAR1.
class GpuMachine : public MadeUpMachine {
  public:
    GpuMachine() {
        file("/proc/sys/kernel/osrelease", "6.1.0-28-amd64");
        file(std::string(kWay) + "/numa_node", "0");
        file(std::string(kWay) + "/resource", "0x383fe0000000 0x383fefffffff 0x14220c\n");
        link("/sys/bus/pci/devices/0000:3b:00.0", "../../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0");
    }
};

TEST(GpuChecks, NoDriverIsNothingToMend) {
    const MadeUpMachine machine;
    for (const GpuState state : {GpuState::NotCompiledIn, GpuState::NoDriver, GpuState::NoDevice}) {
        const Checks checks = gpuChecks(machine.tree(), absent(state, "a remedy"), {}, needOf());
        EXPECT_TRUE(is(only(checks, "GPU"), CheckState::Info, "the reason"));
        EXPECT_TRUE(is(only(checks, "GPUDirect"), CheckState::Info, "no GPU"));
    }
}

TEST(GpuChecks, ADriverThatIsNotUsedWarns) {
    const MadeUpMachine machine;
    machine.file("/proc/driver/nvidia/version", "NVRM version: 570.1");
    for (const GpuState state : {GpuState::NotCompiledIn, GpuState::NoDriver}) {
        EXPECT_TRUE(is(only(gpuChecks(machine.tree(), absent(state, "a remedy"), {}, needOf()), "GPU"),
                       CheckState::Warning, "kernel driver is loaded, but the reason", "a remedy"));
    }
    const MadeUpMachine bare;
    for (const GpuState state : {GpuState::BadDriver, GpuState::DriverTooOld}) {
        EXPECT_TRUE(is(only(gpuChecks(bare.tree(), absent(state, "a remedy"), {}, needOf()), "GPU"),
                       CheckState::Warning, "the reason", "a remedy"));
    }
}

TEST(GpuChecks, ADeviceIsTold) {
    const GpuMachine machine;
    const Checks small = gpuChecks(machine.tree(), present(), {}, needOf(1920, 1080));
    expectComplete(small);
    EXPECT_TRUE(
        is(only(small, "GPU"), CheckState::Info,
           "RTX 6000 at 0000:3b:00.0, compute 8.9, 48.0 GiB, BAR1 256.0 MiB; GPUDirect RDMA, dma-buf, "
           "remote writes are in order for this GPU"));
    EXPECT_TRUE(is(only(gpuChecks(machine.tree(), present(), {}, needOf(7680, 4320)), "GPU"),
                   CheckState::Info, "a ring of 1012.5 MiB does not fit through BAR1", "Resizable BAR"));
}

TEST(GpuChecks, TellHowRdmaReachesTheMemory) {
    const GpuMachine machine;
    GpuReport report = present();
    const auto direct = [&] { return only(gpuChecks(machine.tree(), report, {}, needOf()), "GPUDirect"); };
    EXPECT_TRUE(
        is(direct(), CheckState::Info, "dma-buf possible, nvidia-peermem not loaded; verbs may send"));
    machine.file("/proc/sys/kernel/osrelease", "5.10.0-8-amd64");
    EXPECT_TRUE(
        is(direct(), CheckState::Info, "dma-buf not before Linux 5.12", "sudo modprobe nvidia-peermem"));
    machine.file("/sys/module/nvidia_peermem/refcnt", "0");
    EXPECT_TRUE(is(direct(), CheckState::Info, "nvidia-peermem loaded; verbs may send"));
    report.devices.front().dmaBuf = false;
    EXPECT_TRUE(is(direct(), CheckState::Info, "dma-buf not possible with this GPU and driver"));
    report.devices.front().directRdma = false;
    EXPECT_TRUE(is(direct(), CheckState::Info, "this GPU does no GPUDirect RDMA"));
}

TEST(GpuChecks, TellHowFarTheRdmaDevicesAre) {
    const GpuMachine machine;
    RoceMachine other;
    const auto place = [&](const std::string& way, const std::string& node) {
        machine.remove("/sys/class/infiniband/mlx5_0");
        machine.file("/sys/devices/" + way + "/numa_node", node);
        machine.file("/sys/devices/" + way + "/infiniband/mlx5_0/node_type", "1: CA");
        machine.remove("/sys/devices/" + way + "/infiniband/mlx5_0/device");
        machine.link("/sys/devices/" + way + "/infiniband/mlx5_0/device", "../..");
        machine.link("/sys/class/infiniband/mlx5_0", "../../devices/" + way + "/infiniband/mlx5_0");
        return only(gpuChecks(machine.tree(), present(), other.findings, needOf()), "GPU and RDMA");
    };
    EXPECT_TRUE(is(place("pci0000:3a/0000:3a:00.0/0000:3c:00.0", "0"), CheckState::Info,
                   "RTX 6000 (0000:3b:00.0) and mlx5_0 (0000:3c:00.0): same switch"));
    EXPECT_TRUE(is(place("pci0000:3a/0000:3a:01.0/0000:3d:00.0", "0"), CheckState::Info, ": same root"));
    EXPECT_TRUE(is(place("pci0000:ae/0000:ae:00.0/0000:af:00.0", "1"), CheckState::Info, ": across sockets",
                   "at the same processor"));
}

}  // namespace
}  // namespace verbcast::testing
