#include "app/commands/doctor/checks/rdma_findings.h"

#include <algorithm>

#include "core/transport/transport.h"

namespace verbcast {
namespace {

std::string deviceFolder(const std::string& device) {
    return "/sys/class/infiniband/" + device + "/device";
}

}  // namespace

RdmaFindings findRdma() {
    return {.compiledIn = verbsCompiledIn(),
            .library = rdmaCoreVersion(),
            .devices = rdmaDevices(),
            .addresses = rdmaAddresses()};
}

bool isActive(const RdmaPort& port) {
    return port.state == "ACTIVE";
}

bool isSoftwareDevice(const SystemTree& tree, const RdmaDevice& device) {
    return !tree.exists(deviceFolder(device.name));
}

double PcieLink::gigabits() const {
    const double lineCode = gigatransfers <= 5 ? 8.0 / 10 : 128.0 / 130;
    return gigatransfers * lanes * lineCode * 0.88;
}

std::optional<PcieLink> pcieLink(const SystemTree& tree, const std::string& device,
                                 const std::string& which) {
    const auto speed = tree.number(deviceFolder(device) + "/" + which + "_link_speed");
    const auto width = tree.number(deviceFolder(device) + "/" + which + "_link_width");
    if (!speed || !width || *speed <= 0 || *width < 1 || *width > 64) {
        return std::nullopt;
    }
    return PcieLink{*speed, static_cast<int>(*width)};
}

double carriedGigabits(const SystemTree& tree, const RdmaDevice& device, const RdmaPort& port) {
    if (!isActive(port)) {
        return 0;
    }
    const double link = port.linkGigabits * (port.activeMtu >= 2048 ? 0.96 : 0.92);
    const auto pcie = pcieLink(tree, device.name, "current");
    return pcie ? std::min(link, pcie->gigabits()) : link;
}

std::string interfaceOf(const SystemTree& tree, const RdmaDevice& device, const RdmaPort& port) {
    for (const RdmaGid& gid : port.gids) {
        if (!gid.netdev.empty()) {
            return gid.netdev;
        }
    }
    const std::string folder = deviceFolder(device.name) + "/net";
    for (const std::string& name : tree.names(folder)) {
        const auto devicePort = tree.number(folder + "/" + name + "/dev_port");
        if (!devicePort || static_cast<int>(*devicePort) == port.number - 1) {
            return name;
        }
    }
    return "";
}

}  // namespace verbcast
