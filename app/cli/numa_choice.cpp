#include "app/cli/numa_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/log/log.h"
#include "core/transport/registry.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kRoutePatience{5};

bool usesRdma(const Url& url) {
    return transportHas(url.scheme, &Transport::usesRdma);
}

bool isUp(const fs::path& root, const std::string& name) {
    std::string state;
    std::ifstream file(root / "sys/class/net" / name / "operstate");
    return file >> state && state == "up";
}

/// For listening on every address: viewers use the fastest devices, if there are any.
std::vector<NumaDevice> allDevices(const fs::path& root, bool rdmaOnly) {
    std::vector<NumaDevice> devices;
    for (const std::string& name : rdmaDeviceNames(root)) {
        devices.push_back({name, numaNodeOfRdma(root, name)});
    }
    if (rdmaOnly || !devices.empty()) {
        return devices;
    }
    for (const std::string& name : hardwareInterfaces(root)) {
        if (isUp(root, name)) {
            devices.push_back({name, numaNodeOfInterface(root, name)});
        }
    }
    return devices;
}

/// "": none or unknown.
std::string interfaceOf(const Url& url, bool listen) {
    std::vector<SocketAddress> addresses;
    try {
        addresses = resolve(url, listen, Deadline::in(kRoutePatience));
    } catch (const Error&) {
        return "";  // connecting reports it
    }
    if (addresses.empty()) {
        return "";
    }
    const SocketAddress& address = addresses.front();
    if (listen || isLocalAddress(address)) {
        return listen || usesRdma(url) ? interfaceWith(address.host()) : "";
    }
    return interfaceTowards(address.host());
}

std::vector<NumaDevice> devicesOf(const Url& url, bool listen, const fs::path& root) {
    const bool rdma = usesRdma(url);
    if (url.isName()) {
        return {};
    }
    if (const auto given = url.options.find("device"); rdma && given != url.options.end()) {
        return {{given->second, numaNodeOfRdma(root, given->second)}};
    }
    if (url.host.empty()) {
        return listen ? allDevices(root, rdma) : std::vector<NumaDevice>{};
    }
    const std::string name = interfaceOf(url, listen);
    if (name == "lo" && rdma) {
        return allDevices(root, true);  // may lead through any of them
    }
    return name.empty() || name == "lo" ? std::vector<NumaDevice>{}
                                        : std::vector<NumaDevice>{{name, numaNodeOfInterface(root, name)}};
}

std::string listText(const std::vector<NumaDevice>& devices) {
    std::vector<std::string> parts;
    parts.reserve(devices.size());
    for (const NumaDevice& device : devices) {
        parts.push_back(device.node ? fmt::format("{} is on node {}", device.name, *device.node)
                                    : fmt::format("{} belongs to no node", device.name));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

NumaStats automatic(const std::vector<NumaNode>& nodes, const std::vector<NumaDevice>& devices) {
    NumaStats stats;
    std::set<int> used;
    for (const NumaDevice& device : devices) {
        if (device.node) {
            used.insert(*device.node);
        }
    }
    if (nodes.size() < 2) {
        stats.reason = "one node: all memory is equally near";
    } else if (devices.empty()) {
        stats.reason = "no network device is used";
    } else if (used.empty()) {
        stats.reason = listText(devices);
    } else if (used.size() > 1) {
        stats.reason = listText(devices) + ": --numa N chooses one";
    } else if (findNode(nodes, *used.begin()) == nullptr) {
        stats.reason = fmt::format("{}, which this machine does not list", listText(devices));
    } else {
        stats.node = *used.begin();
        stats.reason = listText(devices);
    }
    return stats;
}

}  // namespace

NumaChoice parseNuma(const std::string& text) {
    NumaChoice choice{.text = text, .node = std::nullopt};
    if (text == "auto" || text == "off") {
        return choice;
    }
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, code] = std::from_chars(text.data(), end, number);
    if (code != std::errc() || rest != end || number < 0) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--numa {}: auto, off or the number of a node expected", text));
    }
    choice.node = number;
    return choice;
}

void addNuma(OptionList& options, NumaChoice& choice, const char* what) {
    options.addValue(
        seldomOption(
            section::kMachine, "--numa", "auto|off|N",
            fmt::format(
                "{} auto: that of the network device in use, unless numactl has chosen; N: that node; "
                "off: wherever the kernel puts them",
                what))
            .known({"auto", "off"}),
        {}, [&choice](const std::string&, const std::string& text) { choice = parseNuma(text); },
        [&choice] { return choice.text; });
}

std::vector<NumaDevice> devicesTowards(const std::vector<SessionAddress>& peers, const fs::path& root) {
    std::vector<NumaDevice> devices;
    const auto add = [&](const Url& url, bool listen) {
        for (const NumaDevice& device : devicesOf(url, listen, root)) {
            if (std::ranges::find(devices, device.name, &NumaDevice::name) == devices.end()) {
                devices.push_back(device);
            }
        }
    };
    for (const SessionAddress& peer : peers) {
        add(peer.url, peer.listen);
        for (const Url& spare : peer.spares) {
            add(spare, peer.listen);
        }
    }
    return devices;
}

NumaStats chooseNode(const NumaChoice& choice, const std::vector<NumaNode>& nodes,
                     const std::vector<NumaDevice>& devices) {
    NumaStats stats;
    if (choice.node) {
        if (findNode(nodes, *choice.node) == nullptr) {
            throw Error(ErrorKind::Usage, fmt::format("--numa {}: there is no such node", *choice.node),
                        nodes.empty() ? "this machine lists no nodes: leave out --numa"
                                      : fmt::format("nodes of this machine: {}", numaNodeList(nodes)));
        }
        stats.node = choice.node;
        stats.reason = fmt::format("as --numa says, of nodes {}", numaNodeList(nodes));
    } else if (choice.text == "off") {
        stats.reason = "as --numa says";
    } else {
        stats = automatic(nodes, devices);
    }
    stats.chosenBy = choice.text;
    return stats;
}

void requireNode(const NumaChoice& choice) {
    if (choice.node) {
        static_cast<void>(chooseNode(choice, numaNodes("/"), {}));
    }
}

NumaStats choosePlace(const NumaChoice& choice,
                      const std::function<std::vector<NumaDevice>()>& devicesInUse) {
    const std::vector<NumaNode> nodes = numaNodes("/");
    const bool looks = choice.text == "auto" && nodes.size() > 1;
    NumaStats stats = chooseNode(choice, nodes, looks ? devicesInUse() : std::vector<NumaDevice>{});
    if (stats.node && !choice.node && memoryPolicyChosen()) {
        stats.node.reset();
        stats.reason += ", but numactl has chosen for this process";
    }
    log().info("NUMA: {}: {}", stats.node ? fmt::format("node {}", *stats.node) : "no node", stats.reason);
    return stats;
}

void takePlace(NumaStats& stats) {
    const std::vector<NumaNode> nodes = numaNodes("/");
    const NumaNode* const node = stats.node ? findNode(nodes, *stats.node) : nullptr;
    if (node == nullptr) {
        return;
    }
    const std::string memory = preferMemoryOf(*node);
    const std::string threads = runOnProcessorsOf(*node);
    for (const auto& [what, failed] : {std::pair{"memory", memory}, std::pair{"threads", threads}}) {
        if (!failed.empty()) {
            log().warn("NUMA: node {}: {} not moved there: {}", node->number, what, failed);
            stats.reason += fmt::format("; {} not moved there: {}", what, failed);
        }
    }
    if (!memory.empty() && !threads.empty()) {
        stats.node.reset();
    }
}

void choosePlace(StreamOptions& options, const std::vector<SessionAddress>& peers) {
    options.numa = choosePlace(options.numaChoice, [&] { return devicesTowards(peers, "/"); });
}

void takePlace(StreamOptions& options, const std::vector<SessionAddress>& peers) {
    choosePlace(options, peers);
    takePlace(options.numa);
}

}  // namespace verbcast
