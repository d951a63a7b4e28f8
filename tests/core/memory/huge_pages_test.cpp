#include "core/memory/available_memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace verbcast::testing {
namespace {

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
