// A sender's records of viewers that connect, leave and return, and frames kept for those that were lost.
#include "core/stream/send/viewer_list.h"

#include <gtest/gtest.h>

#include "core/stream/send/backlogs.h"

namespace verbcast::testing {
namespace {

FrameInfo frame(std::uint64_t sequence) {
    FrameInfo info;
    info.sequence = sequence;
    info.payloadBytes = 10;
    return info;
}

/// As the audience does when a connection ends.
void leave(ViewerList& list, std::uint64_t connection, const ViewerAccount& account, const char* reason) {
    ViewerStats last;
    list.describe(connection, last);
    account.addTo(last);
    last.endReason = reason;
    list.leave(connection, last);
}

TEST(ViewerList, AViewerThatIsBackIsOneViewer) {
    ViewerList list;
    const auto first = list.join(1, 77);
    first->ofTrack(kMainTrack).countSent(frame(0));
    first->ofTrack(kMainTrack).countSent(frame(1));
    leave(list, 1, *first, "lost");
    const auto second = list.join(2, 77);
    EXPECT_EQ(first, second);
    EXPECT_TRUE(list.ended().empty());
    second->ofTrack(kMainTrack).countSent(frame(1));  // again: it may not have arrived
    second->ofTrack(kMainTrack).countSent(frame(2));
    leave(list, 2, *second, "stopped");
    ASSERT_EQ(list.ended().size(), 1U);
    const ViewerStats viewer = list.ended().front();
    EXPECT_EQ(viewer.framesSent, 3U);
    EXPECT_EQ(viewer.bytes, 30U);
    EXPECT_EQ(viewer.connections, 2U);
    EXPECT_EQ(viewer.endReason, "stopped");
    EXPECT_FALSE(viewer.connected);
}

TEST(ViewerList, TwoOfOneNameAtATimeAreTwo) {
    ViewerList list;
    EXPECT_NE(list.join(1, 77), list.join(2, 77));
    EXPECT_NE(list.join(3, 0), list.join(4, 0));
}

TEST(ViewerList, ThoseThatComeAndGoAreBoundedAndStaySummedUp) {
    ViewerList list;
    constexpr std::uint64_t kViewers = ViewerList::kMaxEnded + 10;
    for (std::uint64_t i = 1; i <= kViewers; ++i) {
        const auto account = list.join(i, i);
        account->ofTrack(kMainTrack).countSent(frame(i));
        ++account->ofTrack(kMainTrack).counters[&ViewerStats::framesDropped];
        account->report({.received = 1, .shown = i, .skipped = 0, .latency = {}, .clockErrorUs = 0});
        leave(list, i, *account, "stopped");
    }
    EXPECT_EQ(list.ended().size(), ViewerList::kMaxEnded);
    EXPECT_EQ(list.earlierCount(), 10U);
    ViewerStats sum = list.earlier();
    for (const ViewerStats& viewer : list.ended()) {
        addCounts(sum, viewer);
    }
    EXPECT_EQ(sum.framesSent, kViewers);
    EXPECT_EQ(sum.framesDropped, kViewers);
    EXPECT_EQ(sum.framesShown, kViewers * (kViewers + 1) / 2);
}

TEST(ViewerList, AConnectionThatCameToNothingLeavesNoTrace) {
    ViewerList list;
    static_cast<void>(list.join(1, 77));
    list.abandon(1);
    EXPECT_TRUE(list.ended().empty());
    const auto account = list.join(2, 77);
    leave(list, 2, *account, "lost");
    static_cast<void>(list.join(3, 77));
    list.abandon(3);
    ASSERT_EQ(list.ended().size(), 1U);
    EXPECT_EQ(list.ended().front().connections, 1U);
    EXPECT_EQ(list.ended().front().endReason, "lost");
}

TEST(ViewerList, FramesGivenUpLaterAreLostToo) {
    ViewerList list;
    const auto account = list.join(1, 77);
    leave(list, 1, *account, "lost");
    account->countLost(kMainTrack, 3);
    EXPECT_EQ(list.ended().front().framesLost, 3U);
}

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
