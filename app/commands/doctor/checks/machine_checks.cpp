// Checks processors and clocks.
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "app/commands/doctor/checks/checks.h"
#include "core/memory/numa.h"

namespace verbcast {
namespace {

int nodeOf(const std::vector<NumaNode>& nodes, int processor) {
    const auto node = std::ranges::find_if(
        nodes, [&](const NumaNode& each) { return std::ranges::binary_search(each.processors, processor); });
    return node == nodes.end() ? -1 : node->number;
}

Check countCheck(const SystemTree& tree, const Processors& processors, double copyRate,
                 const StreamNeed& need) {
    // Making a frame and showing it cost about one copy each, and tcp copies at both ends: four in all.
    const double wanted = copyRate > 0 ? 4 * need.bytesPerSecond / copyRate : 1;
    const double load = tree.number("/proc/loadavg").value_or(0);
    Check check{
        "processors", CheckState::Ok,
        fmt::format("{} for this process, load {:.1f}; about {:.1f} needed when sender and viewer both "
                    "run here over tcp",
                    processors.count, load, wanted)};
    if (processors.count < wanted || processors.count < 2) {
        check.state = CheckState::Warning;
        check.remedy = processors.count < processors.online
                           ? fmt::format("taskset -c {} verbcast ... (this process may use only some)",
                                         tree.text("/sys/devices/system/cpu/online"))
                           : "more processors, or " + smallerStream(need);
    } else if (load > processors.count) {
        check.state = CheckState::Warning;
        check.seen += "; they are all busy";
        check.remedy = "stop the programs that keep them busy; see: top";
    }
    return check;
}

Check governorCheck(const SystemTree& tree) {
    std::map<std::string, int> governors;
    for (const std::string& name : tree.names("/sys/devices/system/cpu")) {
        const std::string governor =
            tree.text("/sys/devices/system/cpu/" + name + "/cpufreq/scaling_governor");
        if (!governor.empty()) {
            ++governors[governor];
        }
    }
    if (governors.empty()) {
        return {"processor clock", CheckState::Info,
                "no governor: the firmware or the hypervisor sets the clock"};
    }
    Check check{"processor clock", CheckState::Ok};
    for (const auto& [name, count] : governors) {
        check.seen += fmt::format("{}{} on {}", check.seen.empty() ? "governor " : ", ", name, count);
        if (name != "performance") {
            check.state = CheckState::Warning;
            check.remedy =
                "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor";
        }
    }
    return check;
}

Check clockSourceCheck(const SystemTree& tree) {
    const std::string folder = "/sys/devices/system/clocksource/clocksource0/";
    const std::string current = tree.text(folder + "current_clocksource");
    const std::string available = " " + tree.text(folder + "available_clocksource") + " ";
    Check check{"clock source", CheckState::Ok, current.empty() ? "not reported by the kernel" : current};
    // Clock sources read by a slow device access in the kernel: 1 us or more per time stamp.
    constexpr std::array kSlow{"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"};
    if (std::ranges::find(kSlow, current) != kSlow.end()) {
        check.state = CheckState::Warning;
        check.seen += ": each reading of the time takes a microsecond or more";
        check.remedy = available.find(" tsc ") != std::string::npos
                           ? "echo tsc | sudo tee " + folder + "current_clocksource"
                           : "boot with tsc=reliable clocksource=tsc on the kernel's command line";
    } else if (current.empty()) {
        check.state = CheckState::Info;
    } else if (current != "tsc") {
        check.seen += available.find(" tsc ") != std::string::npos ? ", tsc is available" : ", no tsc";
    }
    return check;
}

std::set<std::string> runningDaemons(const SystemTree& tree) {
    constexpr std::array kDaemons{"ptp4l", "phc2sys", "chronyd", "ntpd", "systemd-timesyn"};
    std::set<std::string> found;
    for (const std::string& process : tree.names("/proc")) {
        if (process.empty() || process[0] < '0' || process[0] > '9') {
            continue;
        }
        const std::string name = tree.text("/proc/" + process + "/comm");
        if (std::ranges::find(kDaemons, name) != kDaemons.end()) {
            found.insert(name == "systemd-timesyn" ? "systemd-timesyncd" : name);
        }
    }
    return found;
}

Check timeCheck(const SystemTree& tree) {
    const std::set<std::string> daemons = runningDaemons(tree);
    std::string hardware;
    for (const std::string& name : tree.names("/dev")) {
        if (name.starts_with("ptp") && name != "ptp_kvm") {
            hardware += (hardware.empty() ? "/dev/" : ", /dev/") + name;
        }
    }
    Check check{
        "time between hosts", CheckState::Ok,
        fmt::format("{} running; {}",
                    daemons.empty() ? "neither PTP nor NTP" : fmt::format("{}", fmt::join(daemons, ", ")),
                    hardware.empty() ? "no PTP clock" : "PTP clock " + hardware)};
    if (daemons.contains("ptp4l") && daemons.contains("phc2sys")) {
        return check;
    }
    // The offset that a session measures itself is accurate to a few microseconds; nothing depends on PTP.
    check.state = CheckState::Info;
    check.seen += "; sessions measure the offset themselves";
    if (daemons.contains("ptp4l")) {
        check.remedy = "sudo phc2sys -a -r (the system's clock does not follow ptp4l's)";
    } else if (!hardware.empty()) {
        check.remedy =
            "sudo apt-get install linuxptp && sudo systemctl enable --now ptp4l@INTERFACE "
            "phc2sys@INTERFACE";
    } else if (daemons.empty()) {
        check.remedy = "sudo apt-get install chrony";
    }
    return check;
}

}  // namespace

Processors processorsOfThisProcess() {
    Processors processors;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) == 0) {
        processors.count = static_cast<unsigned>(CPU_COUNT(&set));
    }
    processors.online = static_cast<unsigned>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
    processors.current = std::max(0, ::sched_getcpu());
    return processors;
}

Checks processorChecks(const SystemTree& tree, const Processors& processors, double copyRate,
                       const StreamNeed& need) {
    return {countCheck(tree, processors, copyRate, need), governorCheck(tree)};
}

Checks numaChecks(const SystemTree& tree, const RdmaFindings& findings, const Processors& processors) {
    Checks checks;
    const std::vector<NumaNode> nodes = numaNodes(tree.path("/"));
    for (const RdmaDevice& device : findings.devices) {
        const int home = numaNodeOfRdma(tree.path("/"), device.name).value_or(-1);
        const int here = nodeOf(nodes, processors.current);
        Check check{"NUMA", CheckState::Ok};
        if (nodes.size() < 2) {
            check.seen = fmt::format("one node: all memory is equally near to {}", device.name);
        } else if (home < 0) {
            check.state = CheckState::Info;
            check.seen = fmt::format("{} nodes; {} belongs to none", nodes.size(), device.name);
        } else {
            check.seen =
                fmt::format("{} is on node {}, this process runs on node {}", device.name, home, here);
            if (here != home) {
                check.state = CheckState::Info;
                check.seen +=
                    fmt::format("; streams over {} move to node {} (--numa auto)", device.name, home);
            }
        }
        checks.push_back(std::move(check));
    }
    return checks;
}

Checks clockChecks(const SystemTree& tree) {
    return {clockSourceCheck(tree), timeCheck(tree)};
}

}  // namespace verbcast
