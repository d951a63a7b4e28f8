// NUMA nodes: which processors and devices belong to which, and keeping threads and their memory on one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace verbcast {

struct NumaNode {
    int number = 0;
    std::vector<int> processors;  ///< rising; none of a node that is memory only
};

// `root`: where /sys is. What is not told there is nothing, never an error.

/// By number; empty where the machine does not tell.
std::vector<NumaNode> numaNodes(const std::filesystem::path& root);
/// The one of that number; null: there is none.
const NumaNode* findNode(const std::vector<NumaNode>& nodes, int number);
/// "0, 1"
std::string numaNodeList(const std::vector<NumaNode>& nodes);

/// The node of an RDMA device, "mlx5_0": that of its card, however deep below the card it is; of rxe: that of
/// its interface.
std::optional<int> numaNodeOfRdma(const std::filesystem::path& root, const std::string& device);
/// The node of a network interface, "ens1"; of one on top of others (a bond, a VLAN) theirs, if they are all
/// on one.
std::optional<int> numaNodeOfInterface(const std::filesystem::path& root, const std::string& name);

/// The RDMA devices that the kernel knows. Sorted.
std::vector<std::string> rdmaDeviceNames(const std::filesystem::path& root);
/// The network interfaces that a device or others are behind: not lo, not tunnels. Sorted.
std::vector<std::string> hardwareInterfaces(const std::filesystem::path& root);

/// The calling thread, and those that it starts from now on, prefer the node's memory: what any of them is
/// the first to touch comes from there while there is some. "" or why not.
std::string preferMemoryOf(const NumaNode& node);
/// True when the memory policy of the calling thread is not the default: somebody has chosen, as numactl
/// does.
bool memoryPolicyChosen();

/// They run on the node's processors only, of those that they may use. "" or why not.
std::string runOnProcessorsOf(const NumaNode& node);

}  // namespace verbcast
