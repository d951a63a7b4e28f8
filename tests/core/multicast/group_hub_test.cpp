// What is sent when, and with which key: viewers from the hub's point of view.
#include "core/multicast/group_hub.h"

#include <gtest/gtest.h>

#include "tests/core/multicast/stage_session.h"

namespace verbcast::testing {
namespace {

/// Slot `sequence` modulo 4 of those frames.
OutgoingFrame hubFrame(const std::shared_ptr<FramePool>& frames, std::uint64_t sequence) {
    OutgoingFrame frame;
    frame.pool = frames;
    frame.localSlot = static_cast<std::uint32_t>(sequence % 4);
    frame.info.sequence = sequence;
    frame.info.payloadBytes = kBytes;
    return frame;
}

TEST(GroupHub, NumbersRiseForAViewerThatIsLate) {
    GroupHub hub(options());
    const GroupHub::Viewer first = hub.join(0), late = hub.join(0);
    const auto frames = noise();
    const std::uint64_t four = hub.submit(first, hubFrame(frames, 4)).number;
    const std::uint64_t five = hub.submit(first, hubFrame(frames, 5)).number;
    hub.release(first, four, 0);
    const std::uint64_t lateFour = hub.submit(late, hubFrame(frames, 4)).number;
    EXPECT_GT(lateFour, five);
    ASSERT_TRUE(happens([&] { return hub.stats().datagrams >= 5; })) << "the queue has room";
    const auto lateFive = hub.submit(late, hubFrame(frames, 5));
    EXPECT_GT(lateFive.number, lateFour);
    EXPECT_FALSE(lateFive.leaves);
}

TEST(GroupHub, AFrameThatOneViewerHasDroppedLeavesForTheOthers) {
    GroupHub hub(options(true));
    const GroupHub::Viewer a = hub.join(0), b = hub.join(0);
    const auto frames = noise();
    for (const GroupHub::Viewer viewer : {a, b}) {
        hub.submit(viewer, hubFrame(frames, 5));
    }
    hub.submit(b, hubFrame(frames, 6));
    EXPECT_EQ(hub.stats().frames, 1U) << "the second has to have room";
    hub.submit(a, hubFrame(frames, 7));
    EXPECT_EQ(hub.stats().frames, 2U) << "who takes 7 does not take 6 any more";
    hub.submit(b, hubFrame(frames, 7));
    EXPECT_EQ(hub.stats().frames, 3U);
}

TEST(GroupHub, ItKnowsWhoWaitsAndWhoIsWaitedFor) {
    GroupHub hub(options(true));
    const GroupHub::Viewer slow = hub.join(0), quick = hub.join(0);
    const auto frames = noise();
    for (const GroupHub::Viewer viewer : {slow, quick}) {
        hub.submit(viewer, hubFrame(frames, 5));
    }
    const std::uint64_t next = hub.submit(quick, hubFrame(frames, 6)).number;
    EXPECT_FALSE(hub.waitsForOthers(quick)) << "it has not finished 5";
    hub.release(quick, next - 1, 0);
    EXPECT_TRUE(hub.waitsForOthers(quick));
    EXPECT_FALSE(hub.waitsForOthers(slow)) << "it holds 5";
    hub.release(slow, next - 1, 0);
    EXPECT_FALSE(hub.waitsForOthers(slow)) << "it has no room for 6";
    EXPECT_TRUE(hub.waitsForOthers(quick));
    hub.submit(slow, hubFrame(frames, 6));
    EXPECT_FALSE(hub.waitsForOthers(quick)) << "6 leaves";
    hub.leave(slow);
    hub.submit(quick, hubFrame(frames, 7));
    EXPECT_FALSE(hub.waitsForOthers(quick));
}

TEST(GroupHub, LiveFramesDoNotQueueUp) {
    GroupOptions slow = options();
    slow.address.bitRate = 80'000;  // half a minute per frame
    Event room;
    GroupHub hub(slow);
    const GroupHub::Viewer viewer = hub.join(0, &room), other = hub.join(0);
    const auto frames = noise();
    const std::uint64_t first = hub.submit(viewer, hubFrame(frames, 1)).number;
    const std::uint64_t second = hub.submit(viewer, hubFrame(frames, 2)).number;
    EXPECT_NE(second, 0U);
    EXPECT_EQ(hub.submit(viewer, hubFrame(frames, 3)).number, 0U) << "two have not left";
    EXPECT_EQ(hub.submit(other, hubFrame(frames, 2)).number, second) << "what waits anyway, others take, too";
    EXPECT_FALSE(room.isSet());
    hub.release(viewer, first, 0);
    EXPECT_TRUE(room.isSet()) << "the first is not needed any more";
    EXPECT_NE(hub.submit(viewer, hubFrame(frames, 3)).number, 0U);
}

TEST(GroupHub, WhoWaitsIsWokenWhenAFrameHasLeft) {
    GroupOptions slow = options();
    slow.address.bitRate = 80'000'000;
    Event room;
    GroupHub hub(slow);
    const GroupHub::Viewer viewer = hub.join(0, &room);
    const auto frames = noise();
    bool waited = false;
    for (std::uint64_t sequence = 1; sequence <= 4; ++sequence) {
        while (hub.submit(viewer, hubFrame(frames, sequence)).number == 0) {
            waited = true;
            ASSERT_TRUE(waitReadable({room.descriptor()}, kPatience));
            room.clear();
        }
    }
    EXPECT_TRUE(waited || hub.stats().frames == 4) << "a test that is kept from the processor need not wait";
}

TEST(GroupHub, LosslessFramesMayQueueUp) {
    GroupOptions slow = options(true);
    slow.address.bitRate = 80'000;
    GroupHub hub(slow);
    const GroupHub::Viewer viewer = hub.join(0);
    const auto frames = noise();
    for (std::uint64_t sequence = 1; sequence <= 4; ++sequence) {
        EXPECT_NE(hub.submit(viewer, hubFrame(frames, sequence)).number, 0U);
    }
}

TEST(GroupHub, AViewerThatDoesNotAnswerStopsNoKey) {
    GroupHub hub(options(false, true));
    const GroupHub::Viewer here = hub.join(0), leaving = hub.join(0);
    hub.join(0);  // never confirms that it has a key
    const std::uint16_t first = hub.newestKey();
    hub.leave(leaving);
    const std::uint16_t second = hub.key().keyId;
    EXPECT_NE(second, first);
    hub.keyTaken(here, second);
    hub.renewKey();  // follows once the second is used
    EXPECT_EQ(hub.newestKey(), second) << "it has some time for it";
    EXPECT_TRUE(happens([&] { return hub.newestKey() != second; }));
}

TEST(GroupHub, OneKeyAtATimeIsOnItsWay) {
    GroupHub hub(options(false, true));
    const GroupHub::Viewer here = hub.join(0), one = hub.join(0), other = hub.join(0);
    hub.leave(one);
    const GroupKeyMessage second = hub.key();
    hub.leave(other);  // it may know the second key
    EXPECT_EQ(hub.newestKey(), second.keyId) << "viewers keep two: the one in use and this";
    hub.keyTaken(here, second.keyId);
    EXPECT_NE(hub.newestKey(), second.keyId) << "it is in use: now the third follows";
    EXPECT_NE(hub.key().key, second.key);
}

TEST(GroupHub, RequestsOfViewersRepeatLittleForTheOthers) {
    GroupHub hub(options());
    const GroupHub::Viewer one = hub.join(0), other = hub.join(0);
    const auto frames = noise();
    const std::uint32_t chunks = multicast::chunksOf(kBytes, hub.chunkBytes());
    const std::vector<multicast::ChunkRange> all{{0, chunks}};
    constexpr std::uint64_t kFrames = 16;
    for (std::uint64_t sequence = 1; sequence <= kFrames; ++sequence) {
        const std::uint64_t before = hub.stats().bytes;
        const std::uint64_t number = hub.submit(one, hubFrame(frames, sequence)).number;
        ASSERT_EQ(hub.submit(other, hubFrame(frames, sequence)).number, number);
        ASSERT_TRUE(happens([&] { return hub.stats().bytes >= before + kBytes; }));
        EXPECT_EQ(hub.repair(one, number, all).alone, all);
        const auto alone = hub.repair(other, number, all).alone;
        EXPECT_TRUE(sequence == 1 || !alone.empty()) << "what is not repeated is written";
        EXPECT_TRUE(hub.repair(one, number, all, false).alone.empty());
        hub.release(one, number, 0);
        hub.release(other, number, 0);
    }
    EXPECT_LE(hub.stats().repeatedBytes, 2 * kBytes);
}

TEST(GroupHub, AnAbsurdRateOfAViewerIsNotBelieved) {
    GroupHub hub(options());
    hub.join(1);
    EXPECT_GT(hub.bytesPerSecond(), 1'000'000U);
}

}  // namespace
}  // namespace verbcast::testing
