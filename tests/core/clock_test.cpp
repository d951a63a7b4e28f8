#include "core/base/clock.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
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
    ~BootId() override { static_cast<void>(std::remove(path_.c_str())); }

    HostId idOf(const std::string& text) const {
        std::ofstream(path_) << text;
        return hostIdFrom(path_);
    }

    std::string path_ = ::testing::TempDir() + "boot-id-" + std::to_string(::getpid());
};

TEST_F(BootId, IsReadAsTheKernelWritesIt) {
    const HostId id = idOf("00112233-4455-6677-8899-aAbBcCdDeEfF\n");
    for (int i = 0; i < 16; ++i) {
        EXPECT_EQ(id.bytes[i], 0x11 * i);
    }
    EXPECT_EQ(hostIdFrom(path_), id) << "two processes of one host";
    EXPECT_NE(idOf("00112233-4455-6677-8899-aabbccddeefe\n"), id);
}

TEST_F(BootId, HostsWithoutOneNeverPassForOne) {
    const HostId missing = hostIdFrom(path_);
    EXPECT_NE(missing, hostIdFrom(path_));
    EXPECT_NE(missing, HostId{});
    for (const char* unusable :
         {"", "0011", "00112233-4455-6677-8899-aabbccddeeffAA", "nobody knows this machine's id...",
          "00000000-0000-0000-0000-000000000000"}) {
        const HostId one = idOf(unusable);
        EXPECT_NE(one, idOf(unusable)) << unusable;
        EXPECT_NE(one, HostId{}) << unusable;
    }
}

TEST(HostIdOfThisProcess, StaysTheSame) {
    EXPECT_EQ(hostId(), hostId());
    EXPECT_NE(hostId(), HostId{});
}

}  // namespace
}  // namespace verbcast::testing
