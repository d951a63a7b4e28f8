// Checks whether there is an RDMA device, and whether everything from its driver to its device files is set
// up.
#include <fmt/format.h>

#include <array>
#include <tuple>

#include "app/commands/doctor/checks/checks.h"

namespace verbcast {
namespace {

/// Ethernet drivers whose RDMA part is a separate module.
struct DriverPair {
    const char* ethernet;
    const char* rdma;
};
constexpr std::array kDriverPairs{DriverPair{"mlx5_core", "mlx5_ib"}, DriverPair{"mlx4_core", "mlx4_ib"},
                                  DriverPair{"ice", "irdma"},         DriverPair{"i40e", "irdma"},
                                  DriverPair{"bnxt_en", "bnxt_re"},   DriverPair{"qede", "qedr"},
                                  DriverPair{"cxgb4", "iw_cxgb4"},    DriverPair{"hns3", "hns_roce_hw_v2"}};

/// The interface to use for software RoCE: the first that is up.
std::string anyInterface(const SystemTree& tree) {
    for (const std::string& name : tree.names("/sys/class/net")) {
        if (name != "lo" && tree.text("/sys/class/net/" + name + "/operstate") == "up") {
            return name;
        }
    }
    return "eth0";
}

/// Finds a card whose RDMA driver is not loaded; returns its driver pair.
const DriverPair* sleepingCard(const SystemTree& tree, std::string& interface) {
    for (const std::string& name : tree.names("/sys/class/net")) {
        const std::string driver = tree.linkName("/sys/class/net/" + name + "/device/driver");
        for (const DriverPair& pair : kDriverPairs) {
            if (driver == pair.ethernet && !tree.exists(std::string("/sys/module/") + pair.rdma)) {
                interface = name;
                return &pair;
            }
        }
    }
    return nullptr;
}

Check absentDevice(const SystemTree& tree, const RdmaFindings& findings) {
    const auto absence = [](const std::string& seen, const std::string& remedy) {
        return Check{"RDMA device", CheckState::Warning, seen, remedy};
    };
    if (!findings.compiledIn) {
        return absence("this verbcast was compiled without rdma-core; shm and tcp work",
                       "sudo apt-get install libibverbs-dev librdmacm-dev, and build again");
    }
    if (const auto kernel = tree.names("/sys/class/infiniband"); !kernel.empty()) {
        return absence(
            fmt::format(
                "the kernel has {}, but libibverbs cannot use it: a provider or its device file is missing",
                kernel.front()),
            "sudo apt-get install ibverbs-providers && sudo modprobe ib_uverbs");
    }
    std::string interface;
    if (const DriverPair* pair = sleepingCard(tree, interface)) {
        return absence(fmt::format("none, but {} ({}) has one whose driver {} is not loaded", interface,
                                   pair->ethernet, pair->rdma),
                       fmt::format("sudo modprobe {}", pair->rdma));
    }
    return absence("none; shm and tcp work",
                   fmt::format("an RDMA card, or to try it in software: sudo modprobe rdma_rxe && sudo "
                               "rdma link add rxe0 type rxe netdev {}",
                               anyInterface(tree)));
}

Check deviceFilesCheck(const SystemTree& tree) {
    constexpr const char* kName = "RDMA device files";
    std::string verbs;
    for (const std::string& name : tree.names("/dev/infiniband")) {
        if (name.starts_with("uverbs") && (verbs.empty() || !tree.usable(verbs))) {
            verbs = "/dev/infiniband/" + name;
        }
    }
    const std::string manager = "/dev/infiniband/rdma_cm";
    for (const auto& [there, what, module] :
         {std::tuple{!verbs.empty(), std::string("/dev/infiniband/uverbs0"), "ib_uverbs"},
          std::tuple{tree.exists(manager), manager, "rdma_ucm"}}) {
        if (!there) {
            return {kName, CheckState::Warning, what + " is missing",
                    fmt::format("sudo modprobe {}", module)};
        }
    }
    for (const std::string& file : {verbs, manager}) {
        if (!tree.usable(file)) {
            return {kName, CheckState::Warning, file + " may not be opened by this user",
                    "sudo chmod a+rw " + file +
                        " (for good: KERNEL==\"uverbs*|rdma_cm\", MODE=\"0666\" in /etc/udev/rules.d/)"};
        }
    }
    return {kName, CheckState::Ok, fmt::format("{} and {} may be opened", verbs, manager)};
}

}  // namespace

Checks rdmaSetupChecks(const SystemTree& tree, const RdmaFindings& findings) {
    Checks checks;
    if (findings.devices.empty()) {
        checks.push_back(absentDevice(tree, findings));
    }
    for (const RdmaDevice& device : findings.devices) {
        const bool software = isSoftwareDevice(tree, device);
        checks.push_back({"RDMA device", CheckState::Ok,
                          fmt::format("{}  {}{}, firmware {}, {}, {}", device.name, device.transport,
                                      software ? " in software" : "",
                                      device.firmware.empty() ? "unknown" : device.firmware,
                                      device.immediateWrites ? "WRITE with immediate" : "WRITE then SEND",
                                      device.memoryWindows ? "memory windows" : "no memory windows")});
    }
    // Without RDMA devices their absence does not matter.
    if (!findings.devices.empty() || !tree.names("/sys/class/infiniband").empty()) {
        checks.push_back(deviceFilesCheck(tree));
    }
    return checks;
}

}  // namespace verbcast
