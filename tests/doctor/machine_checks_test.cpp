#include <map>

#include "tests/doctor/made_up_machine.h"

namespace verbcast::testing {
namespace {

Checks processors(const MadeUpMachine& machine, unsigned count, unsigned online) {
    const Checks checks = processorChecks(machine.tree(), {count, online, 0}, 16e9, needOf());
    expectComplete(checks);
    return checks;
}

TEST(ProcessorChecks, FewOrBusyProcessorsWarn) {
    const MadeUpMachine machine;
    machine.file("/proc/loadavg", "0.52 0.58 0.59 1/389 12345");
    machine.file("/sys/devices/system/cpu/online", "0-15");
    EXPECT_TRUE(is(only(processors(machine, 8, 8), "processors"), CheckState::Ok, "8 for this process"));
    EXPECT_TRUE(is(only(processors(machine, 1, 1), "processors"), CheckState::Warning, "1 for this process",
                   "more processors"));
    EXPECT_TRUE(is(only(processors(machine, 1, 16), "processors"), CheckState::Warning, "1 for this process",
                   "taskset -c 0-15 verbcast"));
    machine.file("/proc/loadavg", "9.50 8.58 7.59 1/389 12345");
    EXPECT_TRUE(is(only(processors(machine, 8, 8), "processors"), CheckState::Warning, "load 9.5", "top"));
}

TEST(ProcessorChecks, AGovernorThatSavesPowerWarns) {
    const MadeUpMachine machine;
    EXPECT_TRUE(is(only(processors(machine, 8, 8), "processor clock"), CheckState::Info, "no governor"));
    machine.file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance");
    machine.file("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance");
    EXPECT_TRUE(is(only(processors(machine, 8, 8), "processor clock"), CheckState::Ok, "performance on 2"));
    machine.file("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave");
    EXPECT_TRUE(is(only(processors(machine, 8, 8), "processor clock"), CheckState::Warning,
                   "performance on 1, powersave on 1", "echo performance | sudo tee"));
}

TEST(ClockChecks, ASlowClockSourceWarns) {
    const MadeUpMachine machine;
    const std::string folder = "/sys/devices/system/clocksource/clocksource0/";
    const auto check = [&] {
        const Checks checks = clockChecks(machine.tree());
        expectComplete(checks);
        return only(checks, "clock source");
    };
    EXPECT_EQ(check().state, CheckState::Info);
    machine.file(folder + "current_clocksource", "tsc");
    EXPECT_TRUE(is(check(), CheckState::Ok, "tsc"));
    machine.file(folder + "current_clocksource", "hpet");
    machine.file(folder + "available_clocksource", "hpet acpi_pm");
    EXPECT_TRUE(is(check(), CheckState::Warning, "hpet", "on the kernel's command line"));
    machine.file(folder + "available_clocksource", "tsc hpet acpi_pm");
    EXPECT_TRUE(is(check(), CheckState::Warning, "hpet", "echo tsc | sudo tee /sys"));
}

TEST(ClockChecks, PtpAndNtpAreFoundByTheirDaemons) {
    const MadeUpMachine machine;
    const auto check = [&] {
        const Checks checks = clockChecks(machine.tree());
        expectComplete(checks);
        return only(checks, "time between hosts");
    };
    machine.file("/proc/1/comm", "systemd");
    EXPECT_TRUE(is(check(), CheckState::Info, "neither PTP nor NTP", "chrony"));
    machine.file("/proc/77/comm", "chronyd");
    EXPECT_TRUE(is(check(), CheckState::Info, "chronyd running; no PTP clock"));
    machine.file("/dev/ptp0", "");
    EXPECT_TRUE(is(check(), CheckState::Info, "PTP clock /dev/ptp0", "ptp4l@"));
    machine.file("/proc/78/comm", "ptp4l");
    EXPECT_TRUE(is(check(), CheckState::Info, "chronyd, ptp4l running", "phc2sys -a -r"));
    machine.file("/proc/79/comm", "phc2sys");
    EXPECT_TRUE(is(check(), CheckState::Ok, "chronyd, phc2sys, ptp4l running"));
}

TEST(NetworkChecks, TheFastestInterfaceThatIsUpCounts) {
    const MadeUpMachine machine;
    std::string name;
    EXPECT_EQ(fastestInterface(machine.tree(), name), 0);
    for (const std::string card : {"eth0", "eth1", "eth2"}) {
        machine.file("/sys/class/net/" + card + "/device/vendor", "0x15b3");
    }
    machine.file("/sys/class/net/eth0/speed", "1000");
    machine.file("/sys/class/net/eth0/operstate", "up");
    machine.file("/sys/class/net/eth1/speed", "100000");
    machine.file("/sys/class/net/eth1/operstate", "down");
    machine.file("/sys/class/net/eth2/speed", "-1");
    machine.file("/sys/class/net/eth2/operstate", "up");
    EXPECT_DOUBLE_EQ(fastestInterface(machine.tree(), name), 1);
    EXPECT_EQ(name, "eth0");
    const auto network = [&] { return only(networkChecks(machine.tree(), 3e9, needOf()), "network"); };
    EXPECT_TRUE(is(network(), CheckState::Warning, "eth0 has 1 Gb/s", "a faster link"));
    machine.file("/sys/class/net/eth1/operstate", "up");
    EXPECT_TRUE(is(network(), CheckState::Ok, "eth1 has 100 Gb/s"));
}

// Regression: veth and docker0 say 10 Gb/s, and no warning was left.
TEST(NetworkChecks, AnInterfaceHasTheRateOfItsCard) {
    const MadeUpMachine machine;
    const auto make = [&](const std::string& name, const std::string& speed, const std::string& part) {
        machine.file("/sys/class/net/" + name + "/speed", speed);
        machine.file("/sys/class/net/" + name + "/operstate", "up");
        machine.file("/sys/class/net/" + name + "/" + part, "");
    };
    make("eth0", "1000", "device/vendor");
    make("eth1", "1000", "device/vendor");
    make("veth1", "10000", "type");
    make("docker0", "10000", "lower_veth1/type");
    make("br0", "10000", "lower_eth0/type");
    machine.file("/sys/class/net/br0/lower_veth1/type", "");
    make("bond0", "2000", "bonding/mode");
    make("bond0.7", "2000", "lower_bond0/type");
    make("loop", "9000", "lower_loop/type");
    for (const auto& [name, gigabits] : std::map<std::string, double>{{"eth0", 1},
                                                                      {"veth1", 0},
                                                                      {"docker0", 0},
                                                                      {"br0", 1},
                                                                      {"bond0", 2},
                                                                      {"bond0.7", 2},
                                                                      {"loop", 0},
                                                                      {"", 0}}) {
        EXPECT_DOUBLE_EQ(interfaceGigabits(machine.tree(), name), gigabits) << name;
    }
    std::string name;
    EXPECT_DOUBLE_EQ(fastestInterface(machine.tree(), name), 2);
    EXPECT_EQ(name, "bond0");
}

TEST(NetworkChecks, BuffersAreComparedWithARoundTrip) {
    const MadeUpMachine machine;
    const auto buffers = [&](const StreamNeed& need) {
        const Checks checks = networkChecks(machine.tree(), 3e9, need);
        expectComplete(checks);
        return only(checks, "TCP buffers");
    };
    EXPECT_EQ(buffers(needOf()).state, CheckState::Info);
    machine.file("/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456");
    machine.file("/proc/sys/net/ipv4/tcp_wmem", "4096\t16384\t4194304");
    EXPECT_TRUE(is(buffers(needOf()), CheckState::Ok, "6.0 MiB to receive and 4.0 MiB to send"));
    EXPECT_TRUE(is(buffers(needOf(7680, 4320)), CheckState::Info, "15.2 MiB keep a round trip",
                   "sudo sysctl net.ipv4.tcp_rmem='4096 131072 16777216'"));
}

TEST(NetworkChecks, LoopbackIsComparedWithTheStream) {
    const MadeUpMachine machine;
    const auto speed = [&](double rate) {
        return only(networkChecks(machine.tree(), rate, needOf()), "TCP speed");
    };
    EXPECT_TRUE(is(speed(2.5e9), CheckState::Ok, "2.50 GB/s within this machine; 1.99 GB/s needed"));
    EXPECT_TRUE(is(speed(1.5e9), CheckState::Warning, "1.50 GB/s", "shm://"));
    EXPECT_TRUE(is(speed(0), CheckState::Info, "not measured", "ip link set dev lo up"));
}

}  // namespace
}  // namespace verbcast::testing
