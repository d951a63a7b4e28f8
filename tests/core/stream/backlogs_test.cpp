// Frames kept for viewers that have lost their connections.
#include "core/stream/send/backlogs.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

class BacklogsTest : public ::testing::Test {
  protected:
    std::vector<QueuedFrame> frames(std::uint64_t first, std::uint64_t last) {
        std::vector<QueuedFrame> made;
        for (std::uint64_t sequence = first; sequence <= last; ++sequence) {
            made.emplace_back().info.sequence = sequence;
            made.back().lease = *pool_->tryAcquire();
        }
        return made;
    }
    static std::shared_ptr<ViewerAccount> served() {
        auto account = std::make_shared<ViewerAccount>();
        account->markServed();
        return account;
    }
    /// Takes the backlog of a receiver that connects and is served.
    std::vector<QueuedFrame> take(std::uint64_t instance) {
        auto missed = backlogs_.missedBy(instance);
        backlogs_.servedNow(instance);
        return missed;
    }
    const std::shared_ptr<FramePool> pool_ =
        FramePool::create({.slotBytes = 4096, .slotCount = 16, .hugePages = false});
    std::atomic<std::uint64_t> lost_{0};
    Backlogs backlogs_{lost_};
};

TEST_F(BacklogsTest, AreForTheirViewerAlone) {
    backlogs_.keep(7, served(), frames(3, 5));
    EXPECT_EQ(take(7).size(), 3U);
    EXPECT_EQ(lost_, 0U);
    backlogs_.keep(7, served(), frames(6, 9));
    EXPECT_TRUE(take(8).empty());
    EXPECT_EQ(lost_, 4U);
    EXPECT_TRUE(take(7).empty());
}

TEST_F(BacklogsTest, AreKeptUntilTheirViewerIsServed) {
    backlogs_.keep(7, served(), frames(0, 2));
    EXPECT_EQ(backlogs_.missedBy(7).size(), 3U);
    EXPECT_EQ(pool_->slots().freeCount(), 13U) << "it could not be served after all";
    EXPECT_EQ(take(7).size(), 3U);
    EXPECT_EQ(pool_->slots().freeCount(), 16U);
    EXPECT_EQ(lost_, 0U);
}

TEST_F(BacklogsTest, OfAReceiverThatTookNothingAreForTheNext) {
    backlogs_.keep(7, std::make_shared<ViewerAccount>(), frames(0, 1));
    EXPECT_EQ(take(8).size(), 2U);
    backlogs_.keep(7, std::make_shared<ViewerAccount>(), frames(0, 1));
    backlogs_.giveUp();
    EXPECT_EQ(lost_, 0U);
}

TEST_F(BacklogsTest, NobodyIsRecognisedWithoutAnInstance) {
    backlogs_.keep(0, served(), frames(0, 1));
    EXPECT_TRUE(take(0).empty());
    EXPECT_EQ(lost_, 2U);
    backlogs_.keep(0, served(), frames(2, 4));
    backlogs_.giveUp();
    EXPECT_EQ(lost_, 5U) << "nobody will come back";
}

}  // namespace
}  // namespace verbcast::testing
