#include "tests/doctor/made_up_machine.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>

namespace verbcast::testing {

void MadeUpMachine::file(const std::string& absolute, const std::string& text) const {
    const auto path = tree().path(absolute);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
}

void MadeUpMachine::link(const std::string& absolute, const std::string& target) const {
    const auto path = tree().path(absolute);
    std::filesystem::create_directories(path.parent_path());
    std::filesystem::create_symlink(target, path);
}

void MadeUpMachine::remove(const std::string& absolute) const {
    std::filesystem::remove_all(tree().path(absolute));
}

RoceMachine::RoceMachine() {
    const std::string device = "/sys/class/infiniband/mlx5_0/device/";
    file(device + "current_link_speed", "16.0 GT/s PCIe");
    file(device + "current_link_width", "16");
    file(device + "max_link_speed", "16.0 GT/s PCIe");
    file(device + "max_link_width", "16");
    file(device + "numa_node", "0");
    file("/sys/class/net/ens1/mtu", "9000");
    file("/sys/class/net/ens1/operstate", "up");
    file("/sys/class/net/ens1/speed", "100000");
    file("/dev/infiniband/uverbs0", "");
    file("/dev/infiniband/rdma_cm", "");
    RdmaPort only{1, "ACTIVE", "Ethernet", 4096, 4096, 1U << 30, 100, {}};
    only.gids = {{0, "fe80:0000:0000:0000:0000:0000:0000:0001", "RoCE v1", "ens1"},
                 {3, "0000:0000:0000:0000:0000:ffff:0a00:0001", "RoCE v2", "ens1"}};
    findings.compiledIn = true;
    findings.library = "rdma-core 44.0";
    findings.devices = {{"mlx5_0", "InfiniBand/RoCE", "22.1", true, true, {only}}};
    findings.addresses = {{"mlx5_0", 1, "10.0.0.1"}};
}

StreamNeed needOf(std::uint32_t width, std::uint32_t height, PixelFormat format, int fps) {
    DoctorOptions options;
    options.size = {width, height};
    options.pixelFormat = format;
    options.fps = {fps, 1};
    return streamNeed(options);
}

Check only(const Checks& checks, const std::string& name) {
    const auto named = [&](const Check& check) { return check.name == name; };
    EXPECT_EQ(std::count_if(checks.begin(), checks.end(), named), 1) << name;
    const auto found = std::find_if(checks.begin(), checks.end(), named);
    return found == checks.end() ? Check{} : *found;
}

::testing::AssertionResult is(const Check& check, CheckState state, const std::string& seen,
                              const std::string& remedy) {
    const bool remedyFits =
        remedy.empty() ? check.remedy.empty() : check.remedy.find(remedy) != std::string::npos;
    if (check.state == state && check.seen.find(seen) != std::string::npos && remedyFits) {
        return ::testing::AssertionSuccess();
    }
    return ::testing::AssertionFailure()
           << "it is " << checkStateName(check.state) << ": " << check.seen << "\nremedy: " << check.remedy
           << "\nexpected " << checkStateName(state) << ": ... " << seen << " ...\nremedy: ... " << remedy
           << " ...";
}

void expectComplete(const Checks& checks) {
    for (const Check& check : checks) {
        EXPECT_NE(check.name, "");
        EXPECT_NE(check.seen, "") << check.name;
        if (check.state == CheckState::Warning || check.state == CheckState::Failed) {
            EXPECT_NE(check.remedy, "") << check.name << ": " << check.seen;
        }
    }
}

}  // namespace verbcast::testing
