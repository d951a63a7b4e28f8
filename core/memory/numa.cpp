#include "core/memory/numa.h"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>
#include <system_error>

#include "core/base/error.h"
#include "core/base/os/folder.h"

namespace verbcast {
namespace {

using Path = std::filesystem::path;

constexpr int kMaxProcessors = 8192;  // NR_CPUS of the largest kernels
constexpr std::size_t kMaxNodes = 1024;
constexpr int kMaxLayers = 8;  // of interfaces: a VLAN on a bond on ports

/// "0-3,8": each number. Stops at the first thing that is none.
std::vector<int> numbersOf(const std::string& list) {
    std::vector<int> numbers;
    std::istringstream ranges(list);
    for (std::string range; std::getline(ranges, range, ',');) {
        int first = 0;
        const char* const end = range.data() + range.size();
        auto [rest, code] = std::from_chars(range.data(), end, first);
        int last = first;
        if (code == std::errc() && rest != end && *rest == '-') {
            code = std::from_chars(rest + 1, end, last).ec;
        }
        if (code != std::errc() || first < 0 || last >= kMaxProcessors) {
            break;
        }
        for (int number = first; number <= last; ++number) {
            numbers.push_back(number);
        }
    }
    return numbers;
}

/// The device's node, or that of what it is plugged into: virtio devices have none of their own.
std::optional<int> nodeAbove(const Path& link, const Path& root) {
    std::error_code failed;
    const Path top = std::filesystem::canonical(root / "sys", failed);
    Path folder = std::filesystem::canonical(link, failed);
    while (!failed && folder != top && folder.has_relative_path()) {
        int node = -1;
        if (std::ifstream file(folder / "numa_node"); file >> node) {
            return node >= 0 ? std::optional(node) : std::nullopt;
        }
        folder = folder.parent_path();
    }
    return std::nullopt;
}

bool isPlainName(const std::string& name) {
    return !name.empty() && name.find('/') == std::string::npos && name != "." && name != "..";
}

std::vector<std::string> lowerInterfaces(const Path& root, const std::string& name) {
    constexpr std::string_view kLower = "lower_";
    std::vector<std::string> lower;
    for (const std::string& entry : namesIn(root / "sys/class/net" / name)) {
        if (entry.starts_with(kLower)) {
            lower.push_back(entry.substr(kLower.size()));
        }
    }
    return lower;
}

std::optional<int> nodeOfInterface(const Path& root, const std::string& name, int layers) {
    if (!isPlainName(name) || layers == 0) {
        return std::nullopt;
    }
    if (const auto own = nodeAbove(root / "sys/class/net" / name / "device", root)) {
        return own;
    }
    std::optional<int> node;
    for (const std::string& lower : lowerInterfaces(root, name)) {
        const auto its = nodeOfInterface(root, lower, layers - 1);
        if (!its || (node && *node != *its)) {
            return std::nullopt;
        }
        node = its;
    }
    return node;
}

using ProcessorSet = std::array<cpu_set_t, kMaxProcessors / CPU_SETSIZE>;

}  // namespace

std::vector<NumaNode> numaNodes(const Path& root) {
    constexpr std::string_view kNode = "node";
    std::vector<NumaNode> nodes;
    const Path folder = root / "sys/devices/system/node";
    for (const std::string& name : namesIn(folder)) {
        int number = 0;
        const char* const end = name.data() + name.size();
        if (!name.starts_with(kNode) || std::from_chars(name.data() + kNode.size(), end, number).ptr != end ||
            name.size() == kNode.size()) {
            continue;
        }
        std::string list;
        std::ifstream file(folder / name / "cpulist");
        std::getline(file, list);
        nodes.push_back({number, numbersOf(list)});
    }
    std::ranges::sort(nodes, {}, &NumaNode::number);
    return nodes;
}

const NumaNode* findNode(const std::vector<NumaNode>& nodes, int number) {
    const auto node = std::ranges::find(nodes, number, &NumaNode::number);
    return node == nodes.end() ? nullptr : &*node;
}

std::string numaNodeList(const std::vector<NumaNode>& nodes) {
    std::string list;
    for (const NumaNode& node : nodes) {
        list += (list.empty() ? "" : ", ") + std::to_string(node.number);
    }
    return list;
}

std::optional<int> numaNodeOfRdma(const Path& root, const std::string& device) {
    if (!isPlainName(device)) {
        return std::nullopt;
    }
    const Path folder = root / "sys/class/infiniband" / device;
    if (const auto own = nodeAbove(folder / "device", root)) {
        return own;
    }
    std::string interface;  // of a software device
    std::ifstream parent(folder / "parent");
    return parent >> interface ? numaNodeOfInterface(root, interface) : std::nullopt;
}

std::optional<int> numaNodeOfInterface(const Path& root, const std::string& name) {
    return nodeOfInterface(root, name, kMaxLayers);
}

std::vector<std::string> rdmaDeviceNames(const Path& root) {
    return namesIn(root / "sys/class/infiniband");
}

std::vector<std::string> hardwareInterfaces(const Path& root) {
    std::vector<std::string> found;
    std::error_code ignored;
    for (const std::string& name : namesIn(root / "sys/class/net")) {
        if (std::filesystem::exists(root / "sys/class/net" / name / "device", ignored) ||
            !lowerInterfaces(root, name).empty()) {
            found.push_back(name);
        }
    }
    return found;
}

std::string preferMemoryOf(const NumaNode& node) {
    constexpr std::size_t kBits = 8 * sizeof(unsigned long);
    std::array<unsigned long, kMaxNodes / kBits> mask{};
    const auto number = static_cast<std::size_t>(node.number);
    if (number >= kMaxNodes) {
        return fmt::format("node {} has no place in a mask of {}", node.number, kMaxNodes);
    }
    mask[number / kBits] |= 1UL << (number % kBits);
    // The kernel uses one bit less than the length it is given.
    return ::syscall(SYS_set_mempolicy, MPOL_PREFERRED, mask.data(), kMaxNodes + 1) == 0
               ? ""
               : fmt::format("set_mempolicy: {}", errnoText(errno));
}

bool memoryPolicyChosen() {
    int policy = MPOL_DEFAULT;
    return ::syscall(SYS_get_mempolicy, &policy, nullptr, 0UL, nullptr, 0UL) == 0 && policy != MPOL_DEFAULT;
}

std::string runOnProcessorsOf(const NumaNode& node) {
    ProcessorSet allowed{}, wanted{};
    if (::sched_getaffinity(0, sizeof allowed, allowed.data()) != 0) {
        return fmt::format("sched_getaffinity: {}", errnoText(errno));
    }
    bool any = false;
    for (const int processor : node.processors) {
        if (CPU_ISSET_S(static_cast<std::size_t>(processor), sizeof allowed, allowed.data())) {
            CPU_SET_S(static_cast<std::size_t>(processor), sizeof wanted, wanted.data());
            any = true;
        }
    }
    if (!any) {
        return node.processors.empty() ? "the node has no processors"
                                       : "this process may use none of the node's processors";
    }
    return ::sched_setaffinity(0, sizeof wanted, wanted.data()) == 0
               ? ""
               : fmt::format("sched_setaffinity: {}", errnoText(errno));
}

}  // namespace verbcast
