// The two stages against each other over loopback, and against peers that break the rules.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "core/base/log/peer_log.h"
#include "tests/core/multicast/stage_session.h"
#include "tests/core/session/log_text.h"
#include "tests/support/expectations.h"

namespace verbcast::testing {
namespace {

class GroupStagesTags : public ::testing::TestWithParam<bool> {};

TEST_P(GroupStagesTags, FramesComeByTheGroupAndAreCountedOnce) {
    const auto hub = std::make_shared<GroupHub>(options(false, GetParam()));
    Session one(hub), other(hub);
    one.turn();
    other.turn();  // both listen
    const auto frames = noise();
    ASSERT_TRUE(one.until([&] { return one.out->send(one.frame(frames, 2, 7)) == Status::Ok; }));
    ASSERT_TRUE(other.until([&] { return other.out->send(other.frame(frames, 2, 7)) == Status::Ok; }));
    for (Session* session : {&one, &other}) {
        ASSERT_TRUE(session->until([&] { return !session->viewer.arrived.empty(); }));
        EXPECT_EQ(session->viewer.arrived[0].sequence, 7U);
        EXPECT_EQ(std::memcmp(session->viewer.pool->slotData(session->viewer.slots[0]), frames->slotData(2),
                              kBytes),
                  0);
        ASSERT_TRUE(session->until([&] { return !session->sender.sent.empty(); }));
        EXPECT_EQ(session->sender.sent[0], 2U);
    }
    EXPECT_EQ(hub->stats().frames, 1U) << "it was sent once";
    EXPECT_EQ(one.out->payloadBytesMoved() + other.out->payloadBytesMoved(), kBytes);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutTags, GroupStagesTags, ::testing::Bool());

TEST(GroupStages, ChunksThatSeveralLackAreSentAgainOnce) {
    const auto hub = std::make_shared<GroupHub>(options());
    const GroupHub::Viewer first = hub->join(0), second = hub->join(0), third = hub->join(0);
    const auto frames = noise();
    OutgoingFrame frame;
    frame.pool = frames;
    frame.info.payloadBytes = kBytes;
    const std::uint64_t number = hub->submit(first, frame).number;
    EXPECT_EQ(hub->submit(second, frame).number, number);
    EXPECT_FALSE(hub->submit(third, frame).leaves);
    const Deadline end = Deadline::in(kPatience);
    const std::uint32_t chunks = multicast::chunksOf(kBytes, hub->offer().chunkBytes);
    while (hub->stats().datagrams < chunks && !end.passed()) {
        std::this_thread::yield();
    }
    ASSERT_EQ(hub->stats().datagrams, chunks);
    using AskedRanges = std::vector<multicast::ChunkRange>;
    const AskedRanges asked{{1, 2}};
    EXPECT_EQ(hub->repair(first, number, asked).alone, asked) << "written to the first alone";
    EXPECT_EQ(hub->repair(second, number, asked).alone, AskedRanges{}) << "by the group for the second";
    EXPECT_EQ(hub->repair(third, number, asked).alone, AskedRanges{}) << "which the third hears, too";
    while (hub->stats().datagrams < chunks + 2 && !end.passed()) {
        std::this_thread::yield();
    }
    EXPECT_EQ(hub->stats().datagrams, chunks + 2);
    EXPECT_EQ(hub->repair(third, number, asked).alone, asked) << "who lost that as well is written to";
    EXPECT_EQ(hub->repair(99, number, asked).alone, AskedRanges{}) << "nobody";
}

TEST(GroupStages, AFrameOfThePastIsForOneViewerAlone) {
    const auto hub = std::make_shared<GroupHub>(options());
    const GroupHub::Viewer first = hub->join(0), late = hub->join(0);
    const auto frames = noise();
    OutgoingFrame frame;
    frame.pool = frames;
    frame.info.payloadBytes = kBytes;
    frame.info.sequence = 5;
    const std::uint64_t number = hub->submit(first, frame).number;
    hub->release(first, number, 0);
    const auto again = hub->submit(late, frame);
    EXPECT_NE(again.number, number);
    EXPECT_FALSE(again.leaves) << "the others do not pay for who is late";
}

TEST(GroupStages, RefusesAViewerThatBreaksTheRules) {
    const auto hub = std::make_shared<GroupHub>(options());
    Session session(hub);
    ASSERT_TRUE(session.until([&] { return session.out->send(session.frame(noise(), 0, 1)) == Status::Ok; }));
    const auto missing = [](std::uint64_t frame, std::uint64_t request, RingId ring, std::uint16_t slot,
                            multicast::ChunkRange range) {
        GroupMissing message{frame, request, ring, slot, {}};
        message.ranges.push(range);
        return message;
    };
    EXPECT_THROW(session.sayToSender(GroupJoined{}), Error) << "twice";
    EXPECT_THROW(session.sayToSender(missing(9, 1, kStageRing, 0, {0, 1})), Error)
        << "a frame that was not sent";
    EXPECT_THROW(session.sayToSender(missing(0, 1, kStageRing, 0, {0, 1})), Error);
    EXPECT_THROW(session.sayToSender(missing(1, 1, kStageRing + 1, 0, {0, 1})), Error) << "another ring";
    EXPECT_THROW(session.sayToSender(missing(1, 1, kStageRing, 4, {0, 1})), Error)
        << "a slot beyond the ring";
    EXPECT_THROW(session.sayToSender(missing(1, 1, kStageRing, 0, {0, 0})), Error) << "nothing";
    EXPECT_THROW(session.sayToSender(missing(1, 1, kStageRing, 0, {0, 0xffff'ffff})), Error)
        << "beyond the frame";
    EXPECT_THROW(session.sayToSender(GroupMissing{1, 1, kStageRing, 0, {}}), Error) << "no range";
    EXPECT_THROW(session.sayToSender(GroupDone{9, false}), Error);
    session.sayToSender(missing(1, 5, kStageRing, 0, {0, 1}));
    EXPECT_THROW(session.sayToSender(missing(1, 5, kStageRing, 0, {0, 1})), Error)
        << "the same request again";
    session.sayToSender(GroupDone{1, false});
    EXPECT_THROW(session.sayToSender(GroupDone{1, false}), Error) << "done twice";
}

TEST(GroupStages, OneViewersRepairsAreBounded) {
    GroupOptions slow = options();
    slow.address.bitRate = 8'000'000;  // 1 MB/s, half of it for repairs
    const auto hub = std::make_shared<GroupHub>(slow);
    Session session(hub);
    const auto frames = noise();
    ASSERT_TRUE(session.until([&] { return session.out->send(session.frame(frames, 0, 1)) == Status::Ok; }));
    ASSERT_TRUE(session.until([&] { return hub->stats().bytes >= kBytes; }));
    const std::uint32_t chunks = multicast::chunksOf(kBytes, hub->offer().chunkBytes);
    session.ours->in->clear();  // the viewer itself may have finished
    const TimestampNs began = nowNs();
    const std::size_t before = session.source->sent.size();  // what the viewer itself had missed
    for (std::uint64_t request = 1; request <= 50; ++request) {
        GroupMissing message{1, 1'000 + request, kStageRing, 0, {}};
        message.ranges.push({0, chunks});
        try {
            session.sayToSender(message);
        } catch (const Error&) {
            break;  // the previous request still waits: it may not ask again
        }
    }
    // Two frames immediately, and the excess of the last one.
    const double most = 4.0 * kBytes + 0.5e6 * static_cast<double>(nowNs() - began) * 1e-9;
    EXPECT_LE(static_cast<double>((session.source->sent.size() - before) * kBytes), most);
    EXPECT_GE(session.source->sent.size(), 2U);
}

TEST(GroupStages, AViewerSaysWhyItTakesNothing) {
    const auto hub = std::make_shared<GroupHub>(options());
    const auto says = [](Session& session, const std::string& part) {
        return contains(thrownBy([&] { session.turn(); }).what(), part);
    };
    Session keyed(hub, Protection::Proven);
    EXPECT_TRUE(says(keyed, "no tags"));
    const auto tagged = std::make_shared<GroupHub>(options(false, true));
    Session encrypted(tagged, Protection::Encrypted);
    EXPECT_TRUE(says(encrypted, "not encrypted"));
    const multicast::GroupAddress elsewhere = anyGroup();
    Session other(hub, Protection::None, &elsewhere);
    EXPECT_TRUE(says(other, "sends to " + hub->options().address.text()));
}

bool saysMoved(const Session& session) {
    return std::ranges::any_of(*session.theirs->in, [](const auto& message) {
        return MessageType{std::to_integer<std::uint8_t>(message.front())} == MessageType::GroupMoved;
    });
}

TEST(GroupStages, WhoClaimsASlowInterfaceIsMovedAndGetsAllFrames) {
    for (const bool lossless : {false, true}) {
        const auto hub = std::make_shared<GroupHub>(options(lossless));
        Session others(hub), slow(hub);
        others.turn();
        const std::uint64_t full = hub->bytesPerSecond();
        while (slow.viewing->process() == Progress::Worked) {
        }
        slow.ours->in->clear();  // what it says of its interface
        slow.sayToSender(GroupJoined{100'000'000});
        EXPECT_EQ(hub->bytesPerSecond(), full);
        const auto frames = noise();
        for (std::uint32_t i = 0; i < 3; ++i) {
            for (Session* session : {&others, &slow}) {
                ASSERT_TRUE(session->until(
                    [&] { return session->out->send(session->frame(frames, i, i)) == Status::Ok; }));
            }
            for (Session* session : {&others, &slow}) {
                ASSERT_TRUE(session->until([&] { return session->sender.sent.size() == i + 1; }));
                ASSERT_EQ(session->viewer.arrived.size(), i + 1);
                EXPECT_EQ(session->viewer.arrived.back().sequence, i);
                EXPECT_EQ(std::memcmp(session->viewer.pool->slotData(session->viewer.slots.back()),
                                      frames->slotData(i), kBytes),
                          0);
            }
        }
        EXPECT_GT(hub->bytesPerSecond(), full / 2);
        EXPECT_GE(slow.source->sent.size(), 3U) << "over its own session";
        EXPECT_EQ(slow.in->groupStats().requests, 3U);
        EXPECT_GE(hub->stats().repairedBytes, 3 * kBytes);
    }
}

TEST(GroupStages, WhoClaimsToLoseMuchIsMovedAndSlowsNobody) {
    const auto hub = std::make_shared<GroupHub>(options());
    Session honest(hub), liar(hub);
    honest.turn();
    liar.sayToSender(GroupJoined{});
    const std::uint64_t full = hub->bytesPerSecond();
    const auto frames = noise();
    std::uint64_t sequence = 0;
    while (!saysMoved(liar) && sequence < 60) {
        ++sequence;
        const auto slot = static_cast<std::uint32_t>(sequence % 4);
        ASSERT_EQ(liar.out->send(liar.frame(frames, slot, sequence)), Status::Ok);
        ASSERT_TRUE(honest.until(
            [&] { return honest.out->send(honest.frame(frames, slot, sequence)) == Status::Ok; }));
        if (!saysMoved(liar)) {
            liar.sayToSender(GroupDone{sequence, true});
        }
        ASSERT_TRUE(honest.until([&] { return honest.sender.sent.size() == sequence; }));
        EXPECT_EQ(honest.viewer.arrived.size(), sequence);
    }
    // On a busy machine the honest one loses some datagrams, too; the liar alone would have brought it to an
    // eighth.
    EXPECT_GT(hub->bytesPerSecond(), full / 4);
    EXPECT_TRUE(saysMoved(liar));
}

TEST(GroupStages, AGroupThatFallsSilentIsNamedAndItsFramesStillCome) {
    LosingPort::Fate fate;
    const auto hub = losingHub(fate);
    Session session(hub);
    session.turn();
    const auto frames = noise();
    std::uint64_t sequence = 0;
    const auto deliver = [&] {
        const auto slot = static_cast<std::uint32_t>(++sequence % 4);
        ASSERT_TRUE(session.until(
            [&] { return session.out->send(session.frame(frames, slot, sequence)) == Status::Ok; }));
        ASSERT_TRUE(session.until([&] { return session.sender.sent.size() == sequence; }));
        ASSERT_EQ(session.viewer.arrived.size(), sequence);
    };
    ASSERT_NO_FATAL_FAILURE(deliver());
    ASSERT_GT(session.in->groupStats().datagrams, 0U);
    summarizeAllPeers();  // what tests before this one have left out
    LogText told;
    fate.arrives = false;
    while (sequence < 20) {
        ASSERT_NO_FATAL_FAILURE(deliver());
    }
    EXPECT_TRUE(contains(told.end(), "nothing arrives from the group"));
}

// Regression: it counted as sent.
TEST(GroupStages, WhatTheNetworkRefusesIsNotSentAndTheErrorIsNamed) {
    LosingPort::Fate fate;
    fate.sent = multicast::GroupPort::Sent::Lost;
    GroupOptions slow = options();
    slow.address.bitRate = 8'000'000;  // 60 ms per burst
    const auto hub = losingHub(fate, slow);
    const GroupHub::Viewer viewer = hub->join(0);
    OutgoingFrame frame;
    frame.pool = noise();
    frame.info.payloadBytes = kBytes;
    summarizeAllPeers();
    LogText told;
    ASSERT_NE(hub->submit(viewer, frame).number, 0U);
    ASSERT_TRUE(happens([&] { return fate.lost >= 4; }));
    EXPECT_EQ(hub->stats().datagrams, 0U);
    EXPECT_EQ(hub->stats().bytes, 0U);
    EXPECT_TRUE(contains(told.end(), "by a port that loses: the network is down"));
}

// Regression: the thread never slept again.
TEST(GroupStages, RoomThatWasUsedDoesNotKeepTheStageAwake) {
    GroupOptions slow = options();
    slow.address.bitRate = 80'000'000;
    const auto hub = std::make_shared<GroupHub>(slow);
    Session session(hub);
    session.sayToSender(GroupJoined{});
    const auto frames = noise();
    std::uint64_t sequence = 0;
    const auto send = [&] {
        const auto slot = static_cast<std::uint32_t>(sequence % 4);
        const Status status = session.out->send(session.frame(frames, slot, sequence));
        sequence += status == Status::Ok ? 1 : 0;
        return status;
    };
    while (send() == Status::Ok) {
        ASSERT_LT(sequence, 1000U);
    }
    session.out->poll();
    ASSERT_TRUE(waitReadable({session.out->waitDescriptor()}, kPatience)) << "a frame has left";
    ASSERT_EQ(send(), Status::Ok);
    session.out->poll();
    EXPECT_FALSE(session.out->readyToSleep()) << "there may be room for another";
    session.out->poll();
    EXPECT_TRUE(session.out->readyToSleep());
    EXPECT_FALSE(waitReadable({session.out->waitDescriptor()}, std::chrono::nanoseconds(0)));
}

TEST(GroupStages, ARequestThatWaitsForRoomIsDecidedOnce) {
    const auto hub = std::make_shared<GroupHub>(options());
    const GroupHub::Viewer other = hub->join(0);
    Session session(hub);
    session.sayToSender(GroupJoined{});
    const OutgoingFrame frame = session.frame(noise(), 0, 1);
    const std::uint64_t number = hub->submit(other, frame).number;
    ASSERT_EQ(session.out->send(frame), Status::Ok);
    ASSERT_TRUE(happens([&] { return hub->stats().bytes >= kBytes; }));
    const std::uint64_t datagrams = hub->stats().datagrams;
    const std::vector<multicast::ChunkRange> second{{1, 1}};
    EXPECT_EQ(hub->repair(other, number, second).alone, second);
    session.source->held = true;
    session.source->busy = 3;
    GroupMissing message{number, 1, kStageRing, 0, {}};
    message.ranges.push({0, 2});
    session.sayToSender(message);
    ASSERT_TRUE(happens([&] {
        session.out->poll();
        return !session.source->sent.empty();
    }));
    EXPECT_EQ(hub->stats().requests, 2U) << "one of each viewer";
    EXPECT_EQ(hub->stats().repairedBytes, hub->chunkBytes()) << "the first chunk";
    ASSERT_TRUE(happens([&] { return hub->stats().datagrams > datagrams; })) << "the second";
    EXPECT_EQ(hub->stats().datagrams, datagrams + 1);
}

TEST(GroupStages, WhoDeclinesTheTrackHoldsUpNobody) {
    const auto hub = std::make_shared<GroupHub>(options(true));
    Session staying(hub), declining(hub);
    staying.turn();
    declining.turn();
    const auto frames = noise();
    for (std::uint32_t i = 0; i < 2; ++i) {
        ASSERT_TRUE(declining.until(
            [&] { return declining.out->send(declining.frame(frames, i, 1 + i)) == Status::Ok; }));
    }
    declining.sayToSender(Accept{kMainTrack, 1, kStageRing, false, 0});
    EXPECT_EQ(declining.sender.sent.size(), 2U) << "it holds no slot of the source any more";
    declining.sayToSender(GroupDone{1, false});  // it had said so already: no fault
    for (std::uint32_t i = 0; i < 3; ++i) {
        ASSERT_TRUE(
            staying.until([&] { return staying.out->send(staying.frame(frames, i, 1 + i)) == Status::Ok; }));
        ASSERT_TRUE(staying.until([&] { return staying.sender.sent.size() == i + 1; }));
    }
    EXPECT_TRUE(saysMoved(declining));
}

TEST(GroupStages, WhoDeclinesBeforeItJoinsTakesNoPart) {
    const auto hub = std::make_shared<GroupHub>(options());
    Session session(hub);
    const std::uint64_t full = hub->bytesPerSecond();
    session.sayToSender(Accept{kMainTrack, 1, kStageRing, false, 0});
    session.sayToSender(GroupJoined{100'000'000});
    EXPECT_EQ(hub->bytesPerSecond(), full);
    while (session.viewing->process() == Progress::Worked) {
    }  // and it is told of nothing that it does not understand
}

TEST(GroupStages, TheSenderKnowsWhatWasGivenUp) {
    const auto hub = std::make_shared<GroupHub>(options());
    Session session(hub);
    session.sayToSender(GroupJoined{});
    const auto frames = noise();
    for (const std::uint32_t slot : {0U, 1U}) {
        ASSERT_EQ(session.out->send(session.frame(frames, slot, slot)), Status::Ok);
    }
    session.sayToSender(GroupDone{1, false});
    EXPECT_EQ(session.sender.givenUp, 0);
    session.sayToSender(GroupDone{2, true});
    EXPECT_EQ(session.sender.givenUp, 1);
    EXPECT_EQ(session.sender.sent, (std::vector<std::uint32_t>{0, 1}));
}

TEST(GroupStages, WhatWasWrittenIsNotWrittenAgainAndAgain) {
    const auto hub = std::make_shared<GroupHub>(options());
    Session session(hub);
    session.sayToSender(GroupJoined{});
    ASSERT_EQ(session.out->send(session.frame(noise(), 0, 1)), Status::Ok);
    ASSERT_TRUE(happens([&] { return hub->stats().bytes >= kBytes; }));
    const std::uint32_t chunks = multicast::chunksOf(kBytes, hub->chunkBytes());
    session.source->held = true;  // nobody takes it
    const auto ask = [&](std::uint64_t request) {
        GroupMissing message{1, request, kStageRing, 0, {}};
        message.ranges.push({0, chunks});
        const std::size_t before = session.theirs->in->size();
        session.sayToSender(message);
        return happens([&] {
            session.out->poll();
            return session.theirs->in->size() > before;
        });
    };
    EXPECT_TRUE(ask(1));
    EXPECT_TRUE(ask(2)) << "it may have another ring";
    EXPECT_THROW(ask(3), Error);
    EXPECT_EQ(session.source->sent.size(), 2U);
}

TEST(GroupStages, RequestsAreNoProgressUntilTheirFrameIsOver) {
    const auto hub = std::make_shared<GroupHub>(options(true));
    Session session(hub);
    session.sayToSender(GroupJoined{});
    ASSERT_EQ(session.out->send(session.frame(noise(), 0, 1)), Status::Ok);
    const std::uint64_t before = session.out->payloadBytesMoved();
    session.source->moved = 1'000;
    EXPECT_EQ(session.out->payloadBytesMoved(), before) << "it may hold up others, and is to blame";
    session.sayToSender(GroupDone{1, false});
    EXPECT_EQ(session.out->payloadBytesMoved(), before + 1'000);
}

TEST(GroupStages, WhoLeavesKnowsNotTheNextKey) {
    const auto hub = std::make_shared<GroupHub>(options(false, true));
    const auto first = hub->key();
    auto leaving = std::make_unique<Session>(hub);
    Session staying(hub);
    leaving->turn();
    staying.turn();
    leaving.reset();
    EXPECT_NE(hub->newestKey(), first.keyId);
    EXPECT_NE(hub->key().key, first.key);
    const auto frames = noise();
    ASSERT_TRUE(staying.until([&] { return staying.out->send(staying.frame(frames, 0, 1)) == Status::Ok; }));
    EXPECT_TRUE(staying.until([&] { return staying.viewer.arrived.size() == 1; })) << "who stays has it";
}

TEST(GroupStages, AKeyThatWasTakenBeforeJoiningCounts) {
    const auto hub = std::make_shared<GroupHub>(options(false, true));
    const GroupHub::Viewer here = hub->join(0), leaving = hub->join(0);
    hub->leave(leaving);
    Session session(hub);  // receives the second key
    const std::uint16_t second = hub->newestKey();
    session.sayToSender(GroupKeyTaken{second});
    session.sayToSender(GroupJoined{});
    hub->renewKey();  // follows once the second is used
    EXPECT_EQ(hub->newestKey(), second);
    hub->keyTaken(here, second);
    EXPECT_NE(hub->newestKey(), second) << "it waits for a viewer that has it";
}

}  // namespace
}  // namespace verbcast::testing
