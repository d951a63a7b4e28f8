// Checks what each RDMA port carries, and at which address it is reachable.
#include <fmt/format.h>

#include <algorithm>

#include "app/commands/doctor/checks/checks.h"

namespace verbcast {
namespace {

/// Bytes that the kernel reserves for headers in the interface's MTU for RoCE (ib_addr.h, iboe_get_mtu).
constexpr int kRoceHeaders = 96;

struct PortView {
    const SystemTree& tree;
    const RdmaFindings& findings;
    const StreamNeed& need;
    const RdmaDevice& device;
    const RdmaPort& port;
    std::string interface;

    bool ethernet() const { return port.linkLayer == "Ethernet"; }
    bool iwarp() const { return device.transport == "iWARP"; }
    /// For a command.
    std::string interfaceText() const { return interface.empty() ? "INTERFACE" : interface; }
    std::string text() const { return fmt::format("{} port {}", device.name, port.number); }
};

Check stateCheck(const PortView& view) {
    Check check{"RDMA port", CheckState::Ok,
                fmt::format("{} is {}, {}{}", view.text(), view.port.state, view.port.linkLayer,
                            view.interface.empty() ? "" : " on " + view.interface)};
    if (!isActive(view.port)) {
        check.state = CheckState::Warning;
        if (view.ethernet()) {
            check.remedy =
                fmt::format("sudo ip link set dev {} up (and check the cable)", view.interfaceText());
        } else if (view.port.state == "INIT" || view.port.state == "ARMED") {
            check.remedy =
                "sudo apt-get install opensm (one machine or switch of the fabric must run a "
                "subnet manager)";
        } else {
            check.remedy =
                fmt::format("check the cable; see: ibstat {} {}", view.device.name, view.port.number);
        }
    }
    return check;
}

Check mtuCheck(const PortView& view) {
    Check check{"RDMA MTU", CheckState::Ok,
                fmt::format("{}: {} of at most {}", view.text(), view.port.activeMtu, view.port.maxMtu)};
    const auto interfaceMtu = view.tree.number("/sys/class/net/" + view.interface + "/mtu");
    if (!view.interface.empty() && interfaceMtu) {
        check.seen += fmt::format(" ({} has {:g})", view.interface, *interfaceMtu);
    }
    if (view.port.activeMtu < view.port.maxMtu) {
        check.state = CheckState::Warning;
        check.remedy =
            view.ethernet() && !view.interface.empty()
                ? fmt::format("sudo ip link set dev {} mtu {} (on both machines, and the same on the switch)",
                              view.interface, view.port.maxMtu + kRoceHeaders + 8)
                : fmt::format(
                      "let the subnet manager allow it: mtu=5 for the partition in "
                      "/etc/opensm/partitions.conf, then sudo systemctl restart opensm");
    }
    return check;
}

Check gidCheck(const PortView& view) {
    const auto& gids = view.port.gids;
    const auto isV2 = [](const RdmaGid& gid) { return gid.type == "RoCE v2"; };
    const auto isIpv4 = [](const RdmaGid& gid) {
        return gid.gid.starts_with("0000:0000:0000:0000:0000:ffff:");
    };
    if (gids.empty()) {
        return {"RDMA GIDs", CheckState::Warning, view.text() + " has none",
                fmt::format("sudo ip link set dev {} up", view.interfaceText())};
    }
    if (!view.ethernet() || view.iwarp()) {
        return {"RDMA GIDs", CheckState::Ok,
                fmt::format("{}: {} in the table ({})", view.text(), gids.size(),
                            view.iwarp() ? "iWARP" : "InfiniBand")};
    }
    const auto v2 = std::ranges::count_if(gids, isV2);
    const auto routable =
        std::ranges::find_if(gids, [&](const RdmaGid& gid) { return isV2(gid) && isIpv4(gid); });
    Check check{"RDMA GIDs", CheckState::Ok,
                fmt::format("{}: {} in the table, {} of RoCE v2", view.text(), gids.size(), v2)};
    if (v2 == 0) {
        check.state = CheckState::Warning;
        check.seen += ": RoCE v1 cannot cross routers";
        check.remedy = fmt::format(
            "sudo modprobe rdma_cm && sudo mkdir -p /sys/kernel/config/rdma_cm/{0} && echo 'RoCE v2' | "
            "sudo tee /sys/kernel/config/rdma_cm/{0}/ports/{1}/default_roce_mode",
            view.device.name, view.port.number);
    } else if (routable != gids.end()) {
        check.seen += fmt::format("; GID {} is an IPv4 address", routable->index);
    }
    return check;
}

Check addressCheck(const PortView& view) {
    std::string addresses;
    for (const RdmaAddress& address : view.findings.addresses) {
        if (address.device == view.device.name && address.port == view.port.number) {
            addresses += (addresses.empty() ? "" : ", ") + address.address;
        }
    }
    if (!addresses.empty()) {
        return {"RDMA address", CheckState::Ok, fmt::format("{} is reached by {}", view.text(), addresses)};
    }
    return {"RDMA address", CheckState::Warning,
            fmt::format("{} has no IP address, and rdma_cm connects by address", view.text()),
            view.interface.empty() && !view.ethernet()
                ? "sudo modprobe ib_ipoib && sudo ip address add 192.168.77.1/24 dev ib0 && sudo ip link set "
                  "dev ib0 up"
                : fmt::format("sudo ip address add 192.168.77.1/24 dev {}", view.interfaceText())};
}

Check rateCheck(const PortView& view) {
    const double rate = view.port.linkGigabits * (view.port.activeMtu >= 2048 ? 0.96 : 0.92);
    Check check{"RDMA link rate", CheckState::Ok,
                fmt::format("{}: {:g} Gb/s; {:.1f} Gb/s needed", view.text(), view.port.linkGigabits,
                            view.need.gigabits())};
    if (isSoftwareDevice(view.tree, view.device)) {
        check.state = CheckState::Info;
        check.seen += "; a software device's rate is nominal: its speed depends on the processors";
        check.remedy = "verbcast bench --transport verbs, to see what it carries";
    } else if (rate < view.need.gigabits()) {
        check.state = CheckState::Warning;
        check.seen += fmt::format(", about {:.1f} Gb/s of it are payload", rate);
        check.remedy = fmt::format("a faster link (see: ibstat {}, ethtool {}), or {}", view.device.name,
                                   view.interfaceText(), smallerStream(view.need));
    }
    return check;
}

std::string pcieText(const PcieLink& link) {
    return fmt::format("{:g} GT/s x{}", link.gigatransfers, link.lanes);
}

Check pcieCheck(const PortView& view) {
    const auto now = pcieLink(view.tree, view.device.name, "current");
    const auto best = pcieLink(view.tree, view.device.name, "max");
    if (!now) {
        return {"RDMA PCIe link", CheckState::Info,
                view.device.name + (isSoftwareDevice(view.tree, view.device)
                                        ? " is software: no PCIe below it"
                                        : ": the kernel does not report the PCIe link")};
    }
    Check check{"RDMA PCIe link", CheckState::Ok,
                fmt::format("{}: PCIe {}, about {:.0f} Gb/s; {:.1f} Gb/s needed", view.device.name,
                            pcieText(*now), now->gigabits(), view.need.gigabits())};
    const bool narrow = best && (now->lanes < best->lanes || now->gigatransfers < best->gigatransfers);
    if (narrow) {
        check.seen += fmt::format("; it could do {}", pcieText(*best));
    }
    if (now->gigabits() < view.need.gigabits() || (narrow && now->gigabits() < view.port.linkGigabits)) {
        check.state = CheckState::Warning;
        check.remedy = narrow ? "move the card to a slot with more lanes, or set the slot's speed to Auto in "
                                "the firmware; see: sudo lspci -vv | grep LnkSta"
                              : "a card or slot with more lanes, or " + smallerStream(view.need);
    }
    return check;
}

}  // namespace

Checks rdmaPortChecks(const SystemTree& tree, const RdmaFindings& findings, const StreamNeed& need) {
    Checks checks;
    const bool anyActive = std::ranges::any_of(findings.devices, [](const RdmaDevice& device) {
        return std::ranges::any_of(device.ports, isActive);
    });
    for (const RdmaDevice& device : findings.devices) {
        for (const RdmaPort& port : device.ports) {
            const PortView view{tree, findings, need, device, port, interfaceOf(tree, device, port)};
            checks.push_back(stateCheck(view));
            if (!isActive(port)) {
                // A card's second port is often not plugged in: that alone is no problem.
                checks.back().state = anyActive ? CheckState::Info : CheckState::Warning;
                continue;
            }
            if (!view.iwarp()) {  // iWARP has no MTU or GIDs
                checks.push_back(mtuCheck(view));
                checks.push_back(gidCheck(view));
            }
            checks.push_back(addressCheck(view));
            checks.push_back(rateCheck(view));
            checks.push_back(pcieCheck(view));
        }
    }
    return checks;
}

}  // namespace verbcast
