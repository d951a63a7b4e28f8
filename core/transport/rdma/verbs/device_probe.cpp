// Lists RDMA devices, ports and GIDs; tells whether the transport can be used at all.
#include <fmt/format.h>
#include <net/if.h>
#include <unistd.h>

#include <array>

#include "core/transport/rdma/rdma_devices.h"
#include "core/transport/rdma/verbs.h"
#include "core/transport/rdma/verbs/verbs_errors.h"
#include "core/transport/rdma/verbs/verbs_handles.h"
#include "core/transport/rdma/verbs/verbs_support.h"

namespace verbcast {
namespace {

std::string gidText(const ibv_gid& gid) {
    std::string text;
    for (std::size_t group = 0; group < 8; ++group) {
        text +=
            fmt::format("{}{:02x}{:02x}", group == 0 ? "" : ":", gid.raw[2 * group], gid.raw[2 * group + 1]);
    }
    return text;
}

std::string gidTypeText(std::uint32_t type) {
    switch (type) {
        case IBV_GID_TYPE_IB:
            return "IB";
        case IBV_GID_TYPE_ROCE_V1:
            return "RoCE v1";
        case IBV_GID_TYPE_ROCE_V2:
            return "RoCE v2";
        default:
            return "";
    }
}

std::string stateText(ibv_port_state state) {
    switch (state) {
        case IBV_PORT_DOWN:
            return "DOWN";
        case IBV_PORT_INIT:
            return "INIT";
        case IBV_PORT_ARMED:
            return "ARMED";
        case IBV_PORT_ACTIVE:
            return "ACTIVE";
        case IBV_PORT_ACTIVE_DEFER:
            return "ACTIVE_DEFER";
        default:
            return "UNKNOWN";
    }
}

int mtuBytes(ibv_mtu mtu) {
    return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128 << mtu : 0;
}

/// Number of lanes times the rate of one, from the encodings of PortInfo.LinkWidthActive and
/// LinkSpeed(Ext)Active.
double linkGigabits(const ibv_port_attr& port) {
    double lanes = 0;
    switch (port.active_width) {
        case 1:
            lanes = 1;
            break;
        case 2:
            lanes = 4;
            break;
        case 4:
            lanes = 8;
            break;
        case 8:
            lanes = 12;
            break;
        case 16:
            lanes = 2;
            break;
        default:
            break;
    }
    switch (port.active_speed) {
        case 1:
            return lanes * 2.5;
        case 2:
            return lanes * 5;
        case 4:
        case 8:
            return lanes * 10;
        case 16:
            return lanes * 14;
        case 32:
            return lanes * 25;
        case 64:
            return lanes * 50;
        case 128:
            return lanes * 100;
        default:
            return 0;
    }
}

RdmaPort probePort(ibv_context* context, std::uint8_t number) {
    ibv_port_attr attributes{};
    checkCode(ibv_query_port(context, number, &attributes), ErrorKind::Device, "ibv_query_port",
              ibv_get_device_name(context->device));
    RdmaPort port{};
    port.number = number;
    port.state = stateText(attributes.state);
    port.linkLayer = attributes.link_layer == IBV_LINK_LAYER_ETHERNET ? "Ethernet" : "InfiniBand";
    port.activeMtu = mtuBytes(attributes.active_mtu);
    port.maxMtu = mtuBytes(attributes.max_mtu);
    port.maxMessageBytes = attributes.max_msg_sz;
    port.linkGigabits = linkGigabits(attributes);
    return port;
}

/// Gets all GIDs in one call: querying each entry of a table of 1024 takes 20 ms.
void addGids(ibv_context* context, RdmaDevice& device) {
    std::size_t places = 0;
    for (const RdmaPort& port : device.ports) {
        ibv_port_attr attributes{};
        checkCode(ibv_query_port(context, static_cast<std::uint8_t>(port.number), &attributes),
                  ErrorKind::Device, "ibv_query_port", device.name);
        places += static_cast<std::size_t>(attributes.gid_tbl_len);
    }
    std::vector<ibv_gid_entry> entries(places);
    const ssize_t count = ibv_query_gid_table(context, entries.data(), entries.size(), 0);
    for (ssize_t at = 0; at < count; ++at) {
        const ibv_gid_entry& entry = entries[static_cast<std::size_t>(at)];
        std::array<char, IF_NAMESIZE> netdev{};
        if (entry.ndev_ifindex != 0) {
            if_indextoname(entry.ndev_ifindex, netdev.data());
        }
        if (entry.port_num >= 1 && entry.port_num <= device.ports.size()) {
            device.ports[entry.port_num - 1].gids.push_back({static_cast<int>(entry.gid_index),
                                                             gidText(entry.gid), gidTypeText(entry.gid_type),
                                                             netdev.data()});
        }
    }
}

std::optional<RdmaDevice> probeDevice(ibv_device* raw) {
    const ContextHandle context(ibv_open_device(raw));
    ibv_device_attr attributes{};
    if (!context || ibv_query_device(context.get(), &attributes) != 0) {
        return std::nullopt;
    }
    RdmaDevice device{};
    device.name = ibv_get_device_name(raw);
    device.transport = raw->transport_type == IBV_TRANSPORT_IWARP ? "iWARP"
                       : raw->transport_type == IBV_TRANSPORT_IB  ? "InfiniBand/RoCE"
                                                                  : "other";
    device.firmware = attributes.fw_ver;
    device.immediateWrites = hasImmediateWrites(context.get());
    device.memoryWindows = hasMemoryWindows(context.get());
    for (std::uint8_t number = 1; number <= attributes.phys_port_cnt; ++number) {
        device.ports.push_back(probePort(context.get(), number));
    }
    addGids(context.get(), device);
    return device;
}

}  // namespace

bool hasImmediateWrites(const ibv_context* context) {
    // IBTA makes the operation mandatory for reliable connections; iWARP (RFC 5040) does not have it.
    return context->device->transport_type == IBV_TRANSPORT_IB;
}

bool hasMemoryWindows(ibv_context* context) {
    ibv_device_attr device{};
    if (ibv_query_device(context, &device) != 0 || device.max_mw == 0 ||
        (device.device_cap_flags & (IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B)) == 0) {
        return false;
    }
    // Some functions of a device that supports windows have none.
    const ProtectionDomainHandle domain(ibv_alloc_pd(context));
    return domain && MemoryWindowHandle(ibv_alloc_mw(domain.get(), IBV_MW_TYPE_2)) != nullptr;
}

std::vector<RdmaDevice> rdmaDevices() {
    int count = 0;
    const DeviceListHandle list(ibv_get_device_list(&count));
    std::vector<RdmaDevice> devices;
    for (int index = 0; list && index < count; ++index) {
        try {
            if (auto device = probeDevice(list[static_cast<std::size_t>(index)])) {
                devices.push_back(std::move(*device));
            }
        } catch (const Error&) {
            // It disappeared between listing and querying.
        }
    }
    return devices;
}

std::string rdmaCoreVersion() {
    return "rdma-core " VERBCAST_RDMA_CORE_VERSION;
}

TransportAvailability verbs::availability() {
    TransportAvailability result;
    std::string active;
    std::string inactive;
    std::size_t activeCount = 0;
    for (const RdmaDevice& device : rdmaDevices()) {
        bool usable = false;
        for (const RdmaPort& port : device.ports) {
            usable |= port.state == "ACTIVE";
        }
        std::string& names = usable ? active : inactive;
        names += (names.empty() ? "" : ", ") + device.name;
        activeCount += usable ? 1 : 0;
    }
    if (active.empty()) {
        result.reason = inactive.empty() ? "no RDMA device" : "no active port on " + inactive;
    } else if (::access("/dev/infiniband/rdma_cm", R_OK | W_OK) != 0) {
        result.reason = "/dev/infiniband/rdma_cm cannot be opened (modprobe rdma_ucm)";
    } else {
        result.available = true;
        result.reason = fmt::format("{} RDMA device{}: {}", activeCount, activeCount == 1 ? "" : "s", active);
    }
    return result;
}

}  // namespace verbcast
