#include "core/gpu/pci_place.h"

#include <algorithm>
#include <fstream>
#include <system_error>

namespace verbcast {
namespace {

using Path = std::filesystem::path;

constexpr std::uint64_t kMemoryResource = 0x200;     // IORESOURCE_MEM
constexpr std::uint64_t kPrefetchResource = 0x2000;  // IORESOURCE_PREFETCH

/// "0000:3b:00.0": domain, bus, device, function.
bool isPciAddress(const std::string& name) {
    const auto hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    const std::size_t colon = name.find(':');
    return colon != std::string::npos && colon >= 4 && name.size() == colon + 8 && name[colon + 3] == ':' &&
           name[colon + 6] == '.' &&
           std::ranges::all_of(name, [&](char c) { return hex(c) || c == ':' || c == '.'; });
}

/// /sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0 split into its parts; nullopt for what is not below a
/// PCI bridge.
std::optional<PciPlace> placeAt(const Path& link) {
    std::error_code failed;
    const Path folder = std::filesystem::canonical(link, failed);
    if (failed) {
        return std::nullopt;
    }
    PciPlace place;
    for (const Path& part : folder) {
        const std::string name = part.string();
        if (name.starts_with("pci") && name.find(':') != std::string::npos) {
            place.root = name;
            place.ports.clear();
        } else if (!place.root.empty() && isPciAddress(name)) {
            place.ports.push_back(name);
        }
    }
    if (place.ports.empty()) {
        return std::nullopt;
    }
    place.address = std::move(place.ports.back());
    place.ports.pop_back();
    int node = -1;
    if (std::ifstream(folder / "numa_node") >> node && node >= 0) {
        place.numaNode = node;
    }
    return place;
}

}  // namespace

std::optional<PciPlace> pciPlace(const Path& root, const std::string& address) {
    return isPciAddress(address) ? placeAt(root / "sys/bus/pci/devices" / address) : std::nullopt;
}

std::optional<PciPlace> rdmaPciPlace(const Path& root, const std::string& device) {
    return device.empty() || device.find('/') != std::string::npos
               ? std::nullopt
               : placeAt(root / "sys/class/infiniband" / device / "device");
}

PciDistance distanceBetween(const PciPlace& one, const PciPlace& other) {
    if (one.root == other.root) {
        // A port of the processor has one link: what shares it shares a switch, or is one card.
        const bool share =
            !one.ports.empty() && !other.ports.empty() && one.ports.front() == other.ports.front();
        return share ? PciDistance::SameSwitch : PciDistance::SameRoot;
    }
    if (!one.numaNode || !other.numaNode) {
        return PciDistance::Unknown;
    }
    return *one.numaNode == *other.numaNode ? PciDistance::SameNode : PciDistance::AcrossSockets;
}

std::string_view pciDistanceName(PciDistance distance) {
    static constexpr std::string_view kNames[] = {"same switch", "same root", "same node", "across sockets",
                                                  "unknown"};
    return kNames[static_cast<std::size_t>(distance)];
}

std::optional<std::uint64_t> memoryWindowBytes(const Path& root, const std::string& address) {
    if (!isPciAddress(address)) {
        return std::nullopt;
    }
    std::ifstream file(root / "sys/bus/pci/devices" / address / "resource");
    std::optional<std::uint64_t> largest;
    // A line for each window: first address, last address, flags.
    for (std::uint64_t first = 0, last = 0, flags = 0; file >> std::hex >> first >> last >> flags;) {
        const std::uint64_t wanted = kMemoryResource | kPrefetchResource;
        if ((flags & wanted) == wanted && last > first) {
            largest = std::max(largest.value_or(0), last - first + 1);
        }
    }
    return largest;
}

}  // namespace verbcast
