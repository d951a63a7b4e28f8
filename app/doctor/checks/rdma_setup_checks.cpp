// Checks whether there is an RDMA device, and whether everything from its driver to its device files is set
// up.
#include <fmt/format.h>

#include <array>

#include "app/doctor/checks/checks.h"

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
    Check check{"RDMA device", CheckState::Warning, "", ""};
    std::string interface;
    if (!findings.compiledIn) {
        check.seen = "this verbcast was compiled without rdma-core; shm and tcp work";
        check.remedy = "sudo apt-get install libibverbs-dev librdmacm-dev, and build again";
    } else if (const auto kernel = tree.names("/sys/class/infiniband"); !kernel.empty()) {
        check.seen = fmt::format(
            "the kernel has {}, but libibverbs cannot use it: a provider or its device "
            "file is missing",
            kernel.front());
        check.remedy = "sudo apt-get install ibverbs-providers && sudo modprobe ib_uverbs";
    } else if (const DriverPair* pair = sleepingCard(tree, interface)) {
        check.seen = fmt::format("none, but {} ({}) has one whose driver {} is not loaded", interface,
                                 pair->ethernet, pair->rdma);
        check.remedy = fmt::format("sudo modprobe {}", pair->rdma);
    } else {
        check.seen = "none; shm and tcp work";
        check.remedy = fmt::format(
            "an RDMA card, or to try it in software: sudo modprobe rdma_rxe && sudo "
            "rdma link add rxe0 type rxe netdev {}",
            anyInterface(tree));
    }
    return check;
}

Check deviceFilesCheck(const SystemTree& tree) {
    Check check{"RDMA device files", CheckState::Ok, "", ""};
    std::string verbs;
    for (const std::string& name : tree.names("/dev/infiniband")) {
        if (name.starts_with("uverbs")) {
            verbs = "/dev/infiniband/" + name;
            if (tree.usable(verbs)) {
                break;
            }
        }
    }
    const std::string manager = "/dev/infiniband/rdma_cm";
    const auto missing = [&](const std::string& what, const std::string& module) {
        check = {check.name, CheckState::Warning, what + " is missing", "sudo modprobe " + module};
    };
    const auto closed = [&](const std::string& what) {
        check = {check.name, CheckState::Warning, what + " may not be opened by this user",
                 "sudo chmod a+rw " + what +
                     " (for good: KERNEL==\"uverbs*|rdma_cm\", MODE=\"0666\" in /etc/udev/rules.d/)"};
    };
    if (verbs.empty()) {
        missing("/dev/infiniband/uverbs0", "ib_uverbs");
    } else if (!tree.exists(manager)) {
        missing(manager, "rdma_ucm");
    } else if (!tree.usable(verbs)) {
        closed(verbs);
    } else if (!tree.usable(manager)) {
        closed(manager);
    } else {
        check.seen = fmt::format("{} and {} may be opened", verbs, manager);
    }
    return check;
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
                                      device.memoryWindows ? "memory windows" : "no memory windows"),
                          ""});
    }
    // Without RDMA devices their absence does not matter.
    if (!findings.devices.empty() || !tree.names("/sys/class/infiniband").empty()) {
        checks.push_back(deviceFilesCheck(tree));
    }
    return checks;
}

}  // namespace verbcast
