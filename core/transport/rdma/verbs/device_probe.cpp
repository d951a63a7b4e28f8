// Lists RDMA devices, ports and GIDs; tells whether the transport can be used at all.
#include <fmt/format.h>
#include <net/if.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/transport/rdma/rdma_devices.h"
#include "core/transport/rdma/verbs/device_addresses.h"
#include "core/transport/rdma/verbs/verbs_domain.h"
#include "core/transport/rdma/verbs/verbs_handles.h"
#include "core/transport/transports.h"

namespace verbcast {
namespace {

// By ibv_gid_type and ibv_port_state.
constexpr std::array<const char*, 3> kGidTypes = {"IB", "RoCE v1", "RoCE v2"};
constexpr std::array<const char*, 6> kPortStates = {"UNKNOWN", "DOWN",   "INIT",
                                                    "ARMED",   "ACTIVE", "ACTIVE_DEFER"};

int mtuBytes(ibv_mtu mtu) {
    return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128 << mtu : 0;
}

// The encodings of PortInfo.LinkWidthActive and LinkSpeed(Ext)Active.
struct Encoding {
    int code;
    double value;
};
constexpr std::array<Encoding, 5> kLanes{{{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}}};
constexpr std::array<Encoding, 8> kLaneGigabits{
    {{1, 2.5}, {2, 5}, {4, 10}, {8, 10}, {16, 14}, {32, 25}, {64, 50}, {128, 100}}};

/// 0 for an unknown code.
double valueOf(std::span<const Encoding> table, int code) {
    const auto found = std::ranges::find(table, code, &Encoding::code);
    return found == table.end() ? 0 : found->value;
}

/// Adds the size of its table of GIDs to `gids`.
RdmaPort probePort(ibv_context* context, std::uint8_t number, std::size_t& gids) {
    ibv_port_attr attributes{};
    checkCode(ibv_query_port(context, number, &attributes), ErrorKind::Device, "ibv_query_port",
              ibv_get_device_name(context->device));
    gids += static_cast<std::size_t>(attributes.gid_tbl_len);
    RdmaPort port{};
    port.number = number;
    port.state = kPortStates[attributes.state < kPortStates.size() ? attributes.state : 0];
    port.linkLayer = attributes.link_layer == IBV_LINK_LAYER_ETHERNET ? "Ethernet" : "InfiniBand";
    port.activeMtu = mtuBytes(attributes.active_mtu);
    port.maxMtu = mtuBytes(attributes.max_mtu);
    port.maxMessageBytes = attributes.max_msg_sz;
    port.linkGigabits =
        valueOf(kLanes, attributes.active_width) * valueOf(kLaneGigabits, attributes.active_speed);
    return port;
}

/// Gets all GIDs in one call: querying each entry of a table of 1024 takes 20 ms.
void addGids(ibv_context* context, std::size_t places, RdmaDevice& device) {
    std::vector<ibv_gid_entry> entries(places);
    const ssize_t count = ibv_query_gid_table(context, entries.data(), entries.size(), 0);
    for (ssize_t at = 0; at < count; ++at) {
        const ibv_gid_entry& entry = entries[static_cast<std::size_t>(at)];
        std::array<char, IF_NAMESIZE> netdev{};
        if (entry.ndev_ifindex != 0) {
            if_indextoname(entry.ndev_ifindex, netdev.data());
        }
        if (entry.port_num >= 1 && entry.port_num <= device.ports.size()) {
            device.ports[entry.port_num - 1].gids.push_back(
                {static_cast<int>(entry.gid_index), gidText(entry.gid.raw),
                 entry.gid_type < kGidTypes.size() ? kGidTypes[entry.gid_type] : "", netdev.data()});
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
    std::size_t gids = 0;
    for (std::uint8_t number = 1; number <= attributes.phys_port_cnt; ++number) {
        device.ports.push_back(probePort(context.get(), number, gids));
    }
    addGids(context.get(), gids, device);
    return device;
}

}  // namespace

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
        const bool usable = std::ranges::find(device.ports, "ACTIVE", &RdmaPort::state) != device.ports.end();
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
