// NUMA nodes: which processors and devices belong to each, and how threads and their memory stay on one.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace verbcast {

struct NumaNode {
    int number = 0;
    std::vector<int> processors;  ///< ascending; empty for a node with only memory
};

// `root`: the folder that holds sys. What sysfs does not tell counts as unknown, never as an error.

/// Sorted by number; empty if the machine does not tell.
std::vector<NumaNode> numaNodes(const std::filesystem::path& root);
/// The node with that number, or null.
const NumaNode* findNode(const std::vector<NumaNode>& nodes, int number);
/// "0, 1"
std::string numaNodeList(const std::vector<NumaNode>& nodes);

/// The node of an RDMA device ("mlx5_0"): its card's, however deep the device lies below the card; for rxe,
/// its interface's.
std::optional<int> numaNodeOfRdma(const std::filesystem::path& root, const std::string& device);
/// The node of a network interface ("ens1"). For one on top of others (a bond, a VLAN), their node if they
/// share one.
std::optional<int> numaNodeOfInterface(const std::filesystem::path& root, const std::string& name);

/// The RDMA devices that the kernel knows. Sorted.
std::vector<std::string> rdmaDeviceNames(const std::filesystem::path& root);
/// The network interfaces backed by a device or by other interfaces: neither lo nor tunnels. Sorted.
std::vector<std::string> hardwareInterfaces(const std::filesystem::path& root);

/// Makes the calling thread, and those that it starts from now on, prefer the node's memory: pages that they
/// are the first to touch come from there while any are free. Returns "" or why that failed.
std::string preferMemoryOf(const NumaNode& node);
/// Whether somebody (such as numactl) has already set the calling thread's memory policy.
bool memoryPolicyChosen();

/// Restricts the same threads to those of their processors that belong to the node. Returns "" or why that
/// failed.
std::string runOnProcessorsOf(const NumaNode& node);

}  // namespace verbcast
