#include "core/memory/available_memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
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

}  // namespace
}  // namespace verbcast::testing
