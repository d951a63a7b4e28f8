#include "core/stream/send/patience.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;
using Viewers = std::vector<std::uint64_t>;

class PatienceTest : public ::testing::Test {
  protected:
    /// The source waits for these for so long, and is woken meanwhile; then it goes on.
    Viewers waitFor(const std::vector<Patience::Waited>& viewers, std::chrono::nanoseconds time) {
        Viewers exhausted = patience_.wait(viewers, now_);
        for (std::chrono::nanoseconds waited = 0ns; waited < time && exhausted.empty(); waited += 50ms) {
            now_ += std::chrono::nanoseconds(50ms).count();
            exhausted = patience_.wait(viewers, now_);
        }
        patience_.wait({}, now_);
        return exhausted;
    }

    Patience patience_{3s};
    TimestampNs now_ = 1'000'000'000;
};

TEST_F(PatienceTest, FourFramesASecondAreFastEnough) {
    for (int frame = 0; frame < 1000; ++frame) {
        ASSERT_EQ(waitFor({{1, "slow"}}, 250ms), Viewers{});
    }
    EXPECT_FALSE(patience_.spent("slow", now_));
}

TEST_F(PatienceTest, IsSpentByAPeerOverAllOfItsConnections) {
    EXPECT_EQ(waitFor({{1, "host"}, {2, "other"}}, 2s), Viewers{});
    EXPECT_EQ(waitFor({{3, "host"}}, 2s), Viewers{3});
    EXPECT_TRUE(patience_.spent("host", now_));
    EXPECT_FALSE(patience_.spent("other", now_));
    EXPECT_EQ(waitFor({{4, "other"}, {5, "host"}}, 1s), Viewers{5}) << "after its own tenth";
}

TEST_F(PatienceTest, AViewerGoesForWhatItHasUsedItself) {
    EXPECT_EQ(waitFor({{1, "host"}}, 5s), Viewers{1});
    for (int frame = 0; frame < 20; ++frame) {
        EXPECT_EQ(waitFor({{2, "host"}}, 200ms), Viewers{}) << "an honest one that was there before";
    }
    EXPECT_EQ(waitFor({{3, "host"}}, 500ms), Viewers{});
    EXPECT_EQ(waitFor({{3, "host"}}, 500ms), Viewers{3});
}

TEST_F(PatienceTest, OneFrameEveryTwentySecondsSpendsIt) {
    Viewers exhausted;
    std::chrono::nanoseconds waited = 0ns;
    for (int frame = 0; frame < 5 && exhausted.empty(); ++frame, waited += 20s) {
        exhausted = waitFor({{1, "host"}}, 20s);
    }
    EXPECT_EQ(exhausted, Viewers{1});
    EXPECT_EQ(waited, 20s) << "within the first frame";
}

TEST_F(PatienceTest, CostsTheOthersNoMoreThanItsLimitAndAHundredthOfTheirTime) {
    std::chrono::nanoseconds heldUp = 0ns, passed = 0ns;
    while (passed < 1000s) {
        if (!patience_.spent("host", now_)) {  // it is let in, and takes nothing
            const TimestampNs before = now_;
            waitFor({{1, "host"}}, 30s);
            heldUp += std::chrono::nanoseconds(now_ - before);
            passed += std::chrono::nanoseconds(now_ - before);
        }
        now_ += std::chrono::nanoseconds(100ms).count();
        passed += 100ms;
        patience_.wait({}, now_);
    }
    EXPECT_GT(heldUp, 3s) << "it gets its right back";
    EXPECT_LT(heldUp, 3s + passed / 80);
}

TEST_F(PatienceTest, NobodyIsChargedWhileNobodyWatched) {
    EXPECT_EQ(patience_.wait({{1, "host"}}, now_), Viewers{});
    now_ += 60'000'000'000;  // the source came back later
    EXPECT_EQ(patience_.wait({{1, "host"}}, now_), Viewers{});
}

TEST(Holder, IsTheKeyThatOnlyThePeerHasOrItsHost) {
    ConnectionDescription far;
    far.peer = "10.0.0.7:4000";
    EXPECT_EQ(holderOf(far, {.keyName = "f00"}), "key f00");
    EXPECT_EQ(holderOf(far, {.keyName = kSharedKeyName}), "10.0.0.7") << "others have that, too";
    EXPECT_EQ(holderOf(far, {}), "10.0.0.7");
    ConnectionDescription here;
    here.peer = "127.0.0.9:4000";
    here.place = PeerPlace::ThisUser;
    EXPECT_EQ(holderOf(here, {}), "this machine") << "which has many addresses";
}

}  // namespace
}  // namespace verbcast::testing
