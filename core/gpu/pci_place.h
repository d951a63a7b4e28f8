// Where PCI devices sit and how far apart, from sysfs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace verbcast {

/// A device's path from the processor: each PCI function on it.
struct PciPlace {
    std::string address;             ///< "0000:3b:00.0"
    std::string root;                ///< the host bridge: "pci0000:3a"
    std::vector<std::string> ports;  ///< bridges from there to the device, without the device
    std::optional<int> numaNode;     ///< nullopt if the machine does not say
};

/// `root`: the folder that holds sys. Returns nullopt if no device has the address.
std::optional<PciPlace> pciPlace(const std::filesystem::path& root, const std::string& address);
/// Of an RDMA device by its name, "mlx5_0"; nullopt for one in software.
std::optional<PciPlace> rdmaPciPlace(const std::filesystem::path& root, const std::string& device);

/// From near to far.
enum class PciDistance {
    SameSwitch,     ///< below one port of the processor: traffic between them stays in a switch
    SameRoot,       ///< through one host bridge of a processor
    SameNode,       ///< through several host bridges of one node
    AcrossSockets,  ///< through the link between processors
    Unknown,        ///< different host bridges, and the machine does not tell their nodes
};
PciDistance distanceBetween(const PciPlace& one, const PciPlace& other);
/// "same switch", "same root", ...
std::string_view pciDistanceName(PciDistance distance);

/// Bytes of the device's largest prefetchable memory window (BAR): for an NVIDIA GPU, what its driver calls
/// BAR1, through which others reach its memory. nullopt if sysfs does not tell.
std::optional<std::uint64_t> memoryWindowBytes(const std::filesystem::path& root, const std::string& address);

}  // namespace verbcast
