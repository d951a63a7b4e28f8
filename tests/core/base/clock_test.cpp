#include "core/base/os/clock.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace verbcast::testing {
namespace {

constexpr TimestampNs kMinTime = std::numeric_limits<TimestampNs>::min();
constexpr TimestampNs kMaxTime = std::numeric_limits<TimestampNs>::max();

TEST(ElapsedNs, IsTheDifferenceWhereItFits) {
    static_assert(elapsedNs(3, 10) == 7);
    EXPECT_EQ(elapsedNs(10, 3), -7);
    EXPECT_EQ(elapsedNs(0, kMaxTime), kMaxTime);
    EXPECT_EQ(elapsedNs(kMinTime, -1), kMaxTime);
    EXPECT_EQ(elapsedNs(0, kMinTime), kMinTime);
    EXPECT_EQ(elapsedNs(kMinTime, kMinTime), 0);
    EXPECT_EQ(elapsedNs(kMaxTime, kMaxTime), 0);
}

TEST(ElapsedNs, StopsAtTheEndsWhereItDoesNotFit) {
    EXPECT_EQ(elapsedNs(kMinTime, kMaxTime), kMaxTime);
    EXPECT_EQ(elapsedNs(kMaxTime, kMinTime), kMinTime);
    EXPECT_EQ(elapsedNs(-1, kMaxTime), kMaxTime);
    EXPECT_EQ(elapsedNs(1, kMinTime), kMinTime);
    EXPECT_EQ(elapsedNs(kMinTime, 0), kMaxTime);
}

class BootId : public ::testing::Test {
  protected:
    ~BootId() override {
        static_cast<void>(std::remove(path_.c_str()));
        static_cast<void>(std::remove(offsets_.c_str()));
    }

    HostId idOf(const std::string& text) const {
        std::ofstream(path_) << text;
        return hostIdFrom(path_, offsets_);
    }
    HostId withOffsets(const std::string& text) const {
        std::ofstream(offsets_) << text;
        return idOf("00112233-4455-6677-8899-aabbccddeeff");
    }

    std::string path_ = ::testing::TempDir() + "boot-id-" + std::to_string(::getpid());
    std::string offsets_ = path_ + "-offsets";
};

TEST_F(BootId, IsReadAsTheKernelWritesIt) {
    const HostId id = idOf("00112233-4455-6677-8899-aAbBcCdDeEfF\n");
    for (int i = 0; i < 16; ++i) {
        EXPECT_EQ(id.bytes[i], 0x11 * i);
    }
    EXPECT_EQ(hostIdFrom(path_, offsets_), id) << "two processes of one host";
    EXPECT_NE(idOf("00112233-4455-6677-8899-aabbccddeefe\n"), id);
}

TEST_F(BootId, HostsWithoutOneNeverPassForOne) {
    const HostId missing = hostIdFrom(path_, offsets_);
    EXPECT_NE(missing, hostIdFrom(path_, offsets_));
    EXPECT_NE(missing, HostId{});
    for (const char* unusable :
         {"", "0011", "00112233-4455-6677-8899-aabbccddeeffAA", "nobody knows this machine's id...",
          "00000000-0000-0000-0000-000000000000"}) {
        const HostId one = idOf(unusable);
        EXPECT_NE(one, idOf(unusable)) << unusable;
        EXPECT_NE(one, HostId{}) << unusable;
    }
}

// Regression: a viewer in a container with a clock of its own took a sender's time stamps for its own.
TEST_F(BootId, AClockOfAnotherTimeNamespaceIsAnother) {
    const HostId plain = withOffsets("monotonic           0         0\nboottime            0         0\n");
    std::filesystem::remove(offsets_);
    EXPECT_EQ(idOf("00112233-4455-6677-8899-aabbccddeeff"), plain) << "an older kernel";
    EXPECT_EQ(withOffsets("monotonic 0 0\nboottime 86400 0\n"), plain) << "a clock that we do not use";
    const HostId day = withOffsets("monotonic       86400         0\nboottime            0         0\n");
    EXPECT_NE(day, plain);
    EXPECT_EQ(withOffsets("monotonic 86400 0\nboottime 5 0\n"), day);
    EXPECT_NE(withOffsets("monotonic 86400 1\n"), day);
    EXPECT_NE(withOffsets("monotonic -86400 0\n"), day);
}

TEST(HostIdOfThisProcess, StaysTheSame) {
    EXPECT_EQ(hostId(), hostId());
    EXPECT_NE(hostId(), HostId{});
}

}  // namespace
}  // namespace verbcast::testing
