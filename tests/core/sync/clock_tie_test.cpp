// Which clock two hosts share, and how accurately: the session's estimate versus PTP.
#include "core/sync/clock_tie.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "core/base/os/deadline.h"
#include "core/sync/kept_clock.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

constexpr TimestampNs kTieUs = 1000;

/// A peer whose clock is ahead by this much, with an uncertainty of 40 us.
PeerClock estimateOf(TimestampNs ahead) {
    PeerClock clock;
    clock.addSample(1'000'000, 1'000'000 + ahead + 40 * kTieUs, 1'000'000 + ahead + 40 * kTieUs,
                    1'000'000 + 80 * kTieUs);
    return clock;
}

TEST(ClockTie, TheSessionsEstimateServesWhereNoClockIsKept) {
    const PeerClock estimate = estimateOf(5'000'000);
    ClockTie tie;
    EXPECT_EQ(tie.by(estimate), ClockBy::Session);
    EXPECT_EQ(tie.toLocal(estimate, 9'000'000), 4'000'000);
    EXPECT_EQ(tie.errorNs(estimate), 40 * kTieUs);
    tie.setWallOffsets(77, 0);
    EXPECT_EQ(tie.by(estimate), ClockBy::Session) << "the peer's is not kept";
}

TEST(ClockTie, PtpServesWhereItAgreesWithTheEstimate) {
    const PeerClock estimate = estimateOf(5'000'000);
    ClockTie tie;
    // The peer's monotonic clock is ahead, so its wall offset is smaller by that amount.
    tie.setWallOffsets(1'000'000'000'000, 1'000'000'000'000 - 5'010'000);
    EXPECT_EQ(tie.by(estimate), ClockBy::Ptp);
    EXPECT_EQ(tie.toLocal(estimate, 9'000'000), 9'000'000 - 5'010'000);
    EXPECT_EQ(tie.errorNs(estimate), 50 * kTieUs);
}

TEST(ClockTie, PtpThatTheEstimateContradictsIsNotBelieved) {
    const PeerClock estimate = estimateOf(5'000'000);
    ClockTie tie;
    tie.setWallOffsets(1'000'000'000'000, 1'000'000'000'000 - 6'000'000);
    EXPECT_EQ(tie.by(estimate), ClockBy::Session);
    tie.setWallOffsets(1'000'000'000'000, std::numeric_limits<TimestampNs>::min());
    EXPECT_EQ(tie.by(estimate), ClockBy::Session);
    tie.setWallOffsets(1'000'000'000'000, std::numeric_limits<TimestampNs>::max());
    EXPECT_EQ(tie.by(estimate), ClockBy::Session);
}

TEST(ClockTie, OnOneHostThereIsOneClock) {
    PeerClock estimate;
    ClockTie tie;
    EXPECT_EQ(tie.by(estimate), ClockBy::Unknown);
    estimate.setSameHost();
    tie.setWallOffsets(5, 7);
    EXPECT_EQ(tie.by(estimate), ClockBy::SameHost);
    EXPECT_EQ(tie.toLocal(estimate, 123), 123);
    EXPECT_EQ(tie.errorNs(estimate), 0);
}

class Kept : public ::testing::Test {
  protected:
    void runs(const std::string& name) {
        std::filesystem::create_directories(std::filesystem::path(folder_.path()) / "4711");
        std::ofstream(std::filesystem::path(folder_.path()) / "4711" / "comm") << name << "\n";
    }
    KeptClock clock() {
        return KeptClock(folder_.path(), [this] { return synchronised_; });
    }
    /// Waits for the expected verdict, since processes are scanned in the background. Returns the last
    /// verdict.
    static bool isKept(KeptClock& clock, TimestampNs at, bool expected) {
        const Deadline limit = Deadline::in(std::chrono::seconds(20));
        while ((clock.wallOffset(at) != 0) != expected && !limit.passed()) {
            std::this_thread::yield();
        }
        return clock.wallOffset(at) != 0;
    }
    TemporaryFolder folder_;
    bool synchronised_ = true;
};

TEST_F(Kept, ByLinuxptpWhileTheKernelAgrees) {
    runs("phc2sys");
    KeptClock kept = clock();
    EXPECT_TRUE(isKept(kept, 0, true));
    synchronised_ = false;
    EXPECT_NE(kept.wallOffset(500'000'000), 0) << "looked at once a second";
    EXPECT_EQ(kept.wallOffset(1'000'000'000), 0);
}

TEST_F(Kept, NotByAnotherProgram) {
    runs("chronyd");
    KeptClock kept = clock();
    EXPECT_EQ(kept.wallOffset(0), 0);
    const Deadline limit = Deadline::in(std::chrono::seconds(20));
    while (kept.looking() && !limit.passed()) {
        std::this_thread::yield();
    }
    EXPECT_EQ(kept.wallOffset(1), 0);
}

TEST_F(Kept, AProgramThatEndsIsNoticed) {
    runs("ptp4l");
    KeptClock kept = clock();
    EXPECT_TRUE(isKept(kept, 0, true));
    std::filesystem::remove_all(std::filesystem::path(folder_.path()) / "4711");
    EXPECT_NE(kept.wallOffset(9'000'000'000), 0);
    EXPECT_FALSE(isKept(kept, 10'000'000'000, false));
}

TEST_F(Kept, TheOffsetIsThatOfTheTwoClocks) {
    runs("ptp4l");
    KeptClock kept = clock();
    ASSERT_TRUE(isKept(kept, 0, true));
    const TimestampNs offset = kept.wallOffset(0);
    const auto wall = std::chrono::duration_cast<std::chrono::nanoseconds>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count();
    EXPECT_LE(std::abs(elapsedNs(nowNs() + offset, wall)), 5'000'000'000) << "of 50 years";
}

}  // namespace
}  // namespace verbcast::testing
