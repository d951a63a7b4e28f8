// This machine's RDMA devices, for the RDMA checks and the verdict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/doctor/machine/system_tree.h"
#include "core/transport/rdma/rdma_devices.h"

namespace verbcast {

struct RdmaFindings {
    bool compiledIn = false;  ///< this program has the verbs transport
    std::string library;      ///< "rdma-core 44.0"
    std::vector<RdmaDevice> devices;
    std::vector<RdmaAddress> addresses;
};

RdmaFindings findRdma();

bool isActive(const RdmaPort& port);
/// rxe, siw: a device without hardware. Its reported link rate is not a measurement.
bool isSoftwareDevice(const SystemTree& tree, const RdmaDevice& device);

/// A PCIe slot's speed.
struct PcieLink {
    double gigatransfers = 0;  ///< per second and lane
    int lanes = 0;
    /// Payload rate: after the line code (8b/10b up to 5 GT/s, 128b/130b above) and about 12% for headers and
    /// flow control at 256-byte payloads.
    double gigabits() const;
};
/// `which`: the card's "current" link, or the best that card and slot both support: "max". nullopt for
/// virtual devices.
std::optional<PcieLink> pcieLink(const SystemTree& tree, const std::string& device, const std::string& which);

/// Gigabits of payload per second that port and card carry; 0 if the port is not active. The link rate less
/// 4% for headers at an IB MTU of 4096, 8% at about 1024.
double carriedGigabits(const SystemTree& tree, const RdmaDevice& device, const RdmaPort& port);

/// The network interface of a port: that of its GIDs, or of the same card. "" if there is none.
std::string interfaceOf(const SystemTree& tree, const RdmaDevice& device, const RdmaPort& port);

}  // namespace verbcast
