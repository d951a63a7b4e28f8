// Where PCI devices sit and how far apart, from sysfs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace verbcast {

/// A device's way from the processor: each function of PCI in it.
struct PciPlace {
    std::string address;             ///< "0000:3b:00.0"
    std::string root;                ///< the host bridge: "pci0000:3a"
    std::vector<std::string> ports;  ///< bridges from there to it, itself left out
    std::optional<int> numaNode;     ///< nothing where the machine does not say
};

/// `root`: where /sys is. Nothing for an address that no device has.
std::optional<PciPlace> pciPlace(const std::filesystem::path& root, const std::string& address);
/// Of an RDMA device by its name, "mlx5_0"; nothing for one in software.
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

/// Bytes of the largest window (BAR) onto memory behind the device that may be prefetched: of an NVIDIA GPU
/// that is what its driver calls BAR1, through which others reach its memory. Nothing where sysfs does not
/// tell.
std::optional<std::uint64_t> memoryWindowBytes(const std::filesystem::path& root, const std::string& address);

}  // namespace verbcast
