// Checks the network for tcp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string_view>

#include "app/commands/doctor/checks/checks.h"

namespace verbcast {
namespace {

// Of links in an interface's folder to those that it is made of: lower_eth0.
constexpr std::string_view kBelow = "lower_";

/// The third number of tcp_rmem and tcp_wmem: the maximum size of a socket's buffer.
double mostBuffer(const SystemTree& tree, const std::string& which) {
    std::istringstream numbers(tree.text("/proc/sys/net/ipv4/tcp_" + which));
    double least = 0, initial = 0, most = 0;
    numbers >> least >> initial >> most;
    return most;
}

Check bufferCheck(const SystemTree& tree, const StreamNeed& need) {
    const double reading = mostBuffer(tree, "rmem");
    const double writing = mostBuffer(tree, "wmem");
    if (reading <= 0 || writing <= 0) {
        return {"TCP buffers", CheckState::Info, "the kernel does not tell"};
    }
    // Twice the bytes in flight at a round trip of 1 ms.
    const double wanted = std::max(4.0 * (1 << 20), 2 * need.bytesPerSecond / 1000);
    Check check{"TCP buffers", CheckState::Ok};
    check.seen = fmt::format(
        "up to {:.1f} MiB to receive and {:.1f} MiB to send; {:.1f} MiB keep a round trip of 1 ms filled",
        reading / (1 << 20), writing / (1 << 20), wanted / (1 << 20));
    if (std::min(reading, writing) < wanted) {
        const double rounded = std::exp2(std::ceil(std::log2(wanted)));
        check.state = CheckState::Info;
        check.remedy = fmt::format(
            "sudo sysctl net.ipv4.tcp_rmem='4096 131072 {0:.0f}' net.ipv4.tcp_wmem='4096 16384 {0:.0f}'",
            std::max(rounded, std::max(reading, writing)));
    }
    return check;
}

Check linkCheck(const SystemTree& tree, const StreamNeed& need) {
    std::string name;
    const double gigabits = fastestInterface(tree, name);
    if (gigabits <= 0) {
        return {"network", CheckState::Info,
                "no interface reports its rate: tcp to other machines is not judged"};
    }
    const std::string seen =
        fmt::format("{} has {:g} Gb/s; tcp to another machine needs {:.1f}", name, gigabits, need.gigabits());
    return gigabits * 0.94 < need.gigabits()
               ? Check{"network", CheckState::Warning, seen, "a faster link, or " + smallerStream(need)}
               : Check{"network", CheckState::Ok, seen};
}

Check loopbackCheck(double rate, const StreamNeed& need) {
    if (rate <= 0) {
        return {"TCP speed", CheckState::Info,
                "not measured: this machine's loopback interface does not work",
                "sudo ip link set dev lo up"};
    }
    const std::string seen =
        fmt::format("{:.2f} GB/s within this machine; {:.2f} GB/s needed", rate / 1e9, need.gigabytes());
    return rate < need.bytesPerSecond
               ? Check{"TCP speed", CheckState::Warning, seen,
                       "shm:// on one machine, verbs:// between machines, or " + smallerStream(need)}
               : Check{"TCP speed", CheckState::Ok, seen};
}

}  // namespace

double interfaceGigabits(const SystemTree& tree, const std::string& name, int depth) {
    constexpr int kMostLayers = 4;  // a VLAN on a bond on a card
    const std::string folder = "/sys/class/net/" + name;
    if (tree.exists(folder + "/device") || tree.exists(folder + "/bonding")) {
        return std::max(0.0, tree.number(folder + "/speed").value_or(0) / 1000);  // -1 if unknown
    }
    double fastest = 0;
    for (const std::string& entry : depth < kMostLayers ? tree.names(folder) : std::vector<std::string>{}) {
        if (entry.starts_with(kBelow)) {
            fastest = std::max(fastest, interfaceGigabits(tree, entry.substr(kBelow.size()), depth + 1));
        }
    }
    return fastest;
}

double fastestInterface(const SystemTree& tree, std::string& name) {
    double fastest = 0;
    for (const std::string& candidate : tree.names("/sys/class/net")) {
        const bool up = tree.text("/sys/class/net/" + candidate + "/operstate") == "up";
        if (const double gigabits = up ? interfaceGigabits(tree, candidate) : 0; gigabits > fastest) {
            fastest = gigabits;
            name = candidate;
        }
    }
    return fastest;
}

Checks networkChecks(const SystemTree& tree, double loopbackRate, const StreamNeed& need) {
    return {loopbackCheck(loopbackRate, need), bufferCheck(tree, need), linkCheck(tree, need)};
}

}  // namespace verbcast
