#include "core/memory/available_memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

/// A machine with 1000 KiB of available memory, simulated by files.
class AvailableMemory : public ::testing::Test {
  protected:
    AvailableMemory() { write("proc/meminfo", "MemTotal: 4000 kB\nMemAvailable:    1000 kB\n"); }
    void write(const std::string& name, const std::string& text) const {
        const std::filesystem::path path = folder_.file(name);
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }
    std::optional<std::uint64_t> available() const { return availableMemory(folder_.path()); }

    TemporaryFolder folder_;
};

TEST_F(AvailableMemory, IsWhatTheMachineSays) {
    EXPECT_EQ(available(), 1000U << 10);
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/memory.max", "max\n");
    write("sys/fs/cgroup/memory.current", "5000000\n");
    EXPECT_EQ(available(), 1000U << 10) << "a group without a limit";
}

TEST_F(AvailableMemory, IsWhatTheTightestGroupAroundLeaves) {
    write("proc/self/cgroup", "1:name=systemd:/a/b\n0::/a/b\n");
    write("sys/fs/cgroup/a/memory.max", "500000\n");
    write("sys/fs/cgroup/a/memory.current", "200000\n");
    write("sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 50000\nactive_file 7\n");
    write("sys/fs/cgroup/a/b/memory.max", "400000\n");
    write("sys/fs/cgroup/a/b/memory.current", "10000\n");
    EXPECT_EQ(available(), 350'000U);
    write("sys/fs/cgroup/a/b/memory.current", "500000\n");
    EXPECT_EQ(available(), 0U) << "more in use than allowed";
}

TEST_F(AvailableMemory, KnowsTheFirstVersionOfGroups) {
    write("proc/self/cgroup", "5:cpu,memory:/box\n3:memoryless:/box\n");
    write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "300000\n");
    write("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "100000\n");
    write("sys/fs/cgroup/memory/box/memory.stat", "inactive_file 1\ntotal_inactive_file 20000\n");
    EXPECT_EQ(available(), 220'000U);
}

TEST_F(AvailableMemory, IsNotKnownWhereNothingIsTold) {
    std::filesystem::remove_all(folder_.file("proc"));
    EXPECT_EQ(available(), std::nullopt);
}

std::string meminfo(std::uint64_t free, std::uint64_t reserved, std::uint64_t pageKib = 2048) {
    return fmt::format(
        "MemTotal:       16314560 kB\nMemAvailable:   12345678 kB\nAnonHugePages:     10240 kB\n"
        "HugePages_Total:     100\nHugePages_Free:  {:>7}\nHugePages_Rsvd:  {:>7}\nHugePages_Surp:        0\n"
        "Hugepagesize:    {:>7} kB\nHugetlb:          204800 kB\n",
        free, reserved, pageKib);
}

TEST(HugePages, FreeOnesThatAreReservedDoNotCount) {
    EXPECT_TRUE(enoughHugePages(meminfo(10, 0), 10 * kHugePageBytes));
    EXPECT_FALSE(enoughHugePages(meminfo(10, 10), 1));
    EXPECT_TRUE(enoughHugePages(meminfo(10, 9), kHugePageBytes));
    EXPECT_FALSE(enoughHugePages(meminfo(10, 9), kHugePageBytes + 1));
    EXPECT_FALSE(enoughHugePages(meminfo(9, 10), 1)) << "read while it changed";
}

TEST(HugePages, ABeginningPageIsNeededWhole) {
    EXPECT_TRUE(enoughHugePages(meminfo(3, 0), 2 * kHugePageBytes + 1));
    EXPECT_FALSE(enoughHugePages(meminfo(2, 0), 2 * kHugePageBytes + 1));
    EXPECT_FALSE(enoughHugePages(meminfo(100, 0), std::numeric_limits<std::uint64_t>::max()));
}

TEST(HugePages, OfAnotherSizeOrUntoldAreNotUsed) {
    EXPECT_FALSE(enoughHugePages(meminfo(10, 0, 1 << 20), kHugePageBytes)) << "pages of 1 GiB";
    EXPECT_FALSE(enoughHugePages(meminfo(0, 0), 1));
    EXPECT_FALSE(enoughHugePages("", 1));
    EXPECT_FALSE(enoughHugePages("MemTotal:       16314560 kB\n", 1)) << "a kernel without huge pages";
}

TEST(MemoryInfo, NumbersAreFoundByTheirWholeName) {
    const std::string text = meminfo(7, 3);
    EXPECT_EQ(memoryInfoNumber(text, "MemAvailable"), 12345678U);
    EXPECT_EQ(memoryInfoNumber(text, "HugePages_Rsvd"), 3U);
    EXPECT_EQ(memoryInfoNumber(text, "HugePages"), 0U) << "only the beginning of a name";
    EXPECT_EQ(memoryInfoNumber("A: 1\nHugetlb:", "Hugetlb"), 0U) << "cut off";
    EXPECT_EQ(memoryInfoNumber("Active(anon):  5 kB", "Active(anon)"), 5U) << "no newline at the end";
}

}  // namespace
}  // namespace verbcast::testing
