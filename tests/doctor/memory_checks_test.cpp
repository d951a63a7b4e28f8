#include "core/memory/available_memory.h"
#include "tests/doctor/made_up_machine.h"

namespace verbcast::testing {
namespace {

constexpr std::uint64_t kMebi = 1 << 20;

TEST(StreamNeed, FollowsSizeFormatAndRate) {
    const StreamNeed need = needOf();
    EXPECT_EQ(need.name, "3840x2160 rgba at 60 fps");
    EXPECT_DOUBLE_EQ(need.bytesPerSecond, 33'177'600.0 * 60);
    EXPECT_EQ(need.ringBytes, 8U * 33'177'600);  // a multiple of the page size
    EXPECT_EQ(needOf(1920, 1080, PixelFormat::nv12, 30).bytesPerSecond, 3'110'400.0 * 30);
}

TEST(StreamNeed, AdviceToSendLessShrinksThisStream) {
    EXPECT_EQ(smallerStream(needOf()), "a smaller stream: verbcast send SOURCE --format nv12 --fps 30");
    EXPECT_EQ(smallerStream(needOf(3840, 2160, PixelFormat::nv12, 60)),
              "a smaller stream: verbcast send SOURCE --fps 30");
    EXPECT_EQ(smallerStream(needOf(3840, 2160, PixelFormat::nv12, 30)),
              "a smaller stream: verbcast send SOURCE --size 1280x720");
}

TEST(LockedMemory, MustHoldTwoRings) {
    const StreamNeed need = needOf();
    const std::uint64_t two = 2 * need.ringBytes;
    EXPECT_TRUE(is(lockedMemoryCheck({two, false}, need, true), CheckState::Ok, "507 MiB needed"));
    EXPECT_TRUE(is(lockedMemoryCheck({std::nullopt, false}, need, true), CheckState::Ok, "unlimited"));
    EXPECT_TRUE(is(lockedMemoryCheck({two - 1, false}, need, true), CheckState::Warning, "507 MiB needed",
                   "/etc/security/limits.d/verbcast.conf"));
    EXPECT_TRUE(is(lockedMemoryCheck({two - 1, false}, need, true), CheckState::Warning, "",
                   "ulimit -l " + std::to_string(two / 1024)));
    EXPECT_TRUE(is(lockedMemoryCheck({8 * kMebi, true}, need, true), CheckState::Ok, "CAP_IPC_LOCK"));
}

TEST(LockedMemory, WithoutADeviceIsOnlyWorthKnowing) {
    EXPECT_EQ(lockedMemoryCheck({8 * kMebi, false}, needOf(), false).state, CheckState::Info);
}

TEST(LockedMemory, TheCapabilityIsReadFromTheKernel) {
    const MadeUpMachine machine;
    machine.file("/proc/self/status",
                 "Name:\tverbcast\nCapPrm:\t0000000000000000\nCapEff:\t0000000000004000");
    EXPECT_TRUE(lockLimit(machine.tree()).mayExceed);
    machine.file("/proc/self/status",
                 "Name:\tverbcast\nCapPrm:\t0000000000004000\nCapEff:\t0000000000000000");
    EXPECT_FALSE(lockLimit(machine.tree()).mayExceed);
    machine.remove("/proc");
    EXPECT_FALSE(lockLimit(machine.tree()).mayExceed);
}

TEST(HugePages, FewerThanARingTakesAreAHint) {
    const MadeUpMachine machine;
    const std::string folder = "/sys/kernel/mm/hugepages/hugepages-2048kB/";
    EXPECT_TRUE(is(hugePagesCheck(machine.tree(), needOf()), CheckState::Info, "no pages of 2 MiB"));
    machine.file(folder + "free_hugepages", "3");
    machine.file(folder + "nr_hugepages", "10");
    EXPECT_TRUE(is(hugePagesCheck(machine.tree(), needOf()), CheckState::Info, "3 of 2 MiB are free",
                   "sudo sysctl vm.nr_hugepages=264"));
    machine.file(folder + "free_hugepages", "127");
    EXPECT_TRUE(is(hugePagesCheck(machine.tree(), needOf()), CheckState::Ok, "a ring takes 127"));
}

TEST(FreeMemory, IsTheSmallerOfMachineAndControlGroup) {
    const MadeUpMachine machine;
    const auto available = [&] { return availableMemory(machine.tree().path("/")); };
    EXPECT_FALSE(available().has_value());
    machine.file("/proc/meminfo", "MemTotal:       24684092 kB\nMemAvailable:    1048576 kB");
    EXPECT_EQ(available(), 1024 * kMebi);
    machine.file("/proc/self/cgroup", "0::/");
    machine.file("/sys/fs/cgroup/memory.current", std::to_string(100 * kMebi));
    machine.file("/sys/fs/cgroup/memory.max", "max");
    EXPECT_EQ(available(), 1024 * kMebi);
    machine.file("/sys/fs/cgroup/memory.max", std::to_string(300 * kMebi));
    EXPECT_EQ(available(), 200 * kMebi);
    machine.file("/sys/fs/cgroup/memory.max", std::to_string(50 * kMebi));
    EXPECT_EQ(available(), 0U);
    EXPECT_TRUE(
        is(freeMemoryCheck(machine.tree(), needOf()), CheckState::Failed, "0 MiB available", "--slots 4"));
}

TEST(FreeMemory, FailsBelowOneRingAndWarnsBelowTwo) {
    const MadeUpMachine machine;
    const auto check = [&](std::uint64_t mebibytes) {
        machine.file("/proc/meminfo", "MemAvailable: " + std::to_string(mebibytes * 1024) + " kB");
        return freeMemoryCheck(machine.tree(), needOf());
    };
    EXPECT_TRUE(is(check(250), CheckState::Failed, "254 MiB for a ring", "--slots 4"));
    EXPECT_TRUE(is(check(400), CheckState::Warning, "two when sender and viewer both run here", "--slots 4"));
    EXPECT_TRUE(is(check(4000), CheckState::Ok, "4000 MiB available"));
}

TEST(MemorySpeed, IsComparedWithTheStream) {
    EXPECT_TRUE(is(memorySpeedCheck(16e9, needOf()), CheckState::Ok, "copies 16.0 GB/s, 8.0 times"));
    EXPECT_TRUE(is(memorySpeedCheck(3e9, needOf()), CheckState::Warning, "1.5 times", "--format nv12"));
    EXPECT_TRUE(is(memorySpeedCheck(1e9, needOf()), CheckState::Failed, "0.5 times", "--format nv12"));
}

}  // namespace
}  // namespace verbcast::testing
