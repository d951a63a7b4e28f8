#include "core/multicast/frame_assembly.h"

#include <gtest/gtest.h>

#include <cstring>

namespace verbcast::testing {
namespace {

using multicast::ChunkRange;
using multicast::DatagramHead;

constexpr std::uint32_t kChunk = 1024;
constexpr std::uint64_t kFrameBytes = 10 * kChunk - 100;
constexpr RingId kRing = 3;
constexpr TimestampNs kMs = 1'000'000;

/// Frames of ten chunks, into a ring of four slots; the sender is given `given` of them.
class Assembly {
  public:
    explicit Assembly(bool lossless = false, std::uint32_t given = 4)
        : frames(kChunk, lossless),
          pool(FramePool::create({.slotBytes = kFrameBytes, .slotCount = 4, .hugePages = false})) {
        for (std::uint32_t i = given; i < 4; ++i) {
            kept_.push_back(std::move(*pool->tryAcquire()));
        }
        pool->slots().takeFree([](std::uint32_t) {});
        frames.useRing(kRing, pool);
    }

    void tell(std::uint64_t number, std::uint64_t bytes = kFrameBytes, RingId ring = kRing) {
        FrameInfo info;
        info.sequence = number;
        info.payloadBytes = bytes;
        frames.tell(number, ring, info, now);
    }
    /// Whether the chunk had a place.
    bool come(std::uint64_t number, std::uint32_t chunk, std::uint32_t chunks = 10) {
        DatagramHead head;
        head.frame = number;
        head.chunk = chunk;
        head.chunks = chunks;
        const std::size_t bytes = chunk == 9 ? kChunk - 100 : kChunk;
        ComingFrame* const frame = frames.place(head, bytes);
        if (frame != nullptr) {
            std::memset(frame->data() + frames.offsetOf(chunk), static_cast<int>(number), bytes);
            frames.add(*frame, chunk, now);
        }
        return frame != nullptr;
    }
    void comeAllBut(std::uint64_t number, std::initializer_list<std::uint32_t> missing) {
        for (std::uint32_t chunk = 0; chunk < 10; ++chunk) {
            if (std::ranges::find(missing, chunk) == missing.end()) {
                EXPECT_TRUE(come(number, chunk)) << number << " " << chunk;
            }
        }
    }
    /// Finishes the complete frame and returns its number.
    std::optional<std::uint64_t> take() {
        ComingFrame* const frame = frames.ready();
        if (frame == nullptr) {
            return std::nullopt;
        }
        const std::uint64_t number = frame->number;
        frames.finish();
        return number;
    }
    ComingFrame* ask() {
        TimestampNs wakeAt = 0;
        return frames.ask(now, wakeAt);
    }
    /// Advances the clock until a request is due.
    ComingFrame* askWhenDue() {
        for (int i = 0; i < 100; ++i) {
            TimestampNs wakeAt = 0;
            if (ComingFrame* const frame = frames.ask(now, wakeAt)) {
                return frame;
            }
            if (wakeAt == 0) {
                return nullptr;
            }
            now = std::max(now, wakeAt);
        }
        return nullptr;
    }
    void answer(const ComingFrame& frame, std::vector<ChunkRange> written) {
        GroupRepaired answer{frame.number, frame.request, {}};
        for (const ChunkRange& range : written) {
            answer.written.push(range);
        }
        frames.answered(answer, now);
    }

    FrameAssembly frames;
    std::shared_ptr<FramePool> pool;
    TimestampNs now = 1'000 * kMs;

  private:
    std::vector<FrameLease> kept_;
};

TEST(FrameAssembly, AFrameIsWholeOnceAllHasComeAndItWasToldOf) {
    Assembly a;
    a.comeAllBut(1, {});
    EXPECT_EQ(a.take(), std::nullopt) << "the session has not told of it";
    a.tell(1);
    EXPECT_EQ(a.take(), 1U);
    a.tell(2);
    a.comeAllBut(2, {4});
    EXPECT_EQ(a.take(), std::nullopt);
    EXPECT_FALSE(a.come(2, 3)) << "it is there";
    EXPECT_TRUE(a.come(2, 4));
    EXPECT_EQ(a.take(), 2U);
    EXPECT_FALSE(a.come(2, 4)) << "it is over";
}

TEST(FrameAssembly, FramesAreOverInOrder) {
    Assembly a;
    a.tell(1);
    a.tell(2);
    a.comeAllBut(2, {});
    a.comeAllBut(1, {0});
    EXPECT_EQ(a.take(), std::nullopt) << "the second is whole, the first is not";
    a.come(1, 0);
    EXPECT_EQ(a.take(), 1U);
    EXPECT_EQ(a.take(), 2U);
}

TEST(FrameAssembly, AsksForWhatTheGroupHasGonePast) {
    Assembly a;
    a.tell(1);
    a.comeAllBut(1, {2, 3, 7});
    EXPECT_EQ(a.ask(), nullptr) << "it may be out of order";
    ComingFrame* const frame = a.askWhenDue();
    ASSERT_NE(frame, nullptr);
    EXPECT_LT(a.now, 1'010 * kMs) << "milliseconds, not more";
    EXPECT_EQ(frame->asked, (std::vector<ChunkRange>{{2, 2}, {7, 1}}));
    EXPECT_EQ(a.askWhenDue(), nullptr) << "one request at a time";
    a.answer(*frame, {{2, 2}, {7, 1}});
    EXPECT_EQ(a.take(), std::nullopt) << "what is written has not come";
    a.frames.wrote(a.frames.repaired(kRing, frame->slot, frame->request), a.now);
    EXPECT_EQ(a.take(), 1U);
}

TEST(FrameAssembly, AsksForAllWhenTheGroupIsSilent) {
    Assembly a;
    a.tell(1);
    ComingFrame* const frame = a.askWhenDue();
    ASSERT_NE(frame, nullptr);
    EXPECT_EQ(frame->asked, (std::vector<ChunkRange>{{0, 10}}));
}

TEST(FrameAssembly, AsksAgainForWhatWasSentAgainAndDidNotCome) {
    Assembly a;
    a.tell(1);
    a.comeAllBut(1, {5});
    ComingFrame* frame = a.askWhenDue();
    ASSERT_NE(frame, nullptr);
    const std::uint64_t first = frame->request;
    a.answer(*frame, {});  // arrives from the group
    EXPECT_EQ(a.ask(), nullptr) << "it is on its way";
    frame = a.askWhenDue();
    ASSERT_NE(frame, nullptr);
    EXPECT_GT(frame->request, first);
    a.come(1, 5);
    EXPECT_EQ(a.take(), std::nullopt) << "its slot may still be written into";
    a.answer(*frame, {});
    EXPECT_EQ(a.take(), 1U);
}

TEST(FrameAssembly, WhatComesTooLateIsGivenUpWhenANewerOneIsThere) {
    Assembly a;
    a.tell(1);
    a.comeAllBut(1, {5});
    ComingFrame* const frame = a.askWhenDue();
    ASSERT_NE(frame, nullptr);
    a.tell(2);
    a.comeAllBut(2, {});
    a.now += 10'000 * kMs;
    EXPECT_EQ(a.frames.late(a.now), nullptr) << "not while its slot may be written into";
    a.answer(*frame, {});
    ASSERT_NE(a.frames.late(a.now), nullptr);
    EXPECT_EQ(a.frames.late(a.now)->number, 1U);
    a.frames.finish();
    EXPECT_EQ(a.take(), 2U);
}

TEST(FrameAssembly, TheLastPictureIsWaitedFor) {
    Assembly a;
    a.tell(1);
    a.comeAllBut(1, {5});
    EXPECT_EQ(a.frames.late(a.now + 10'000 * kMs), nullptr) << "there is no newer one";
}

TEST(FrameAssembly, LosslessGivesNothingUp) {
    Assembly a(true);
    a.tell(1);
    a.tell(2);
    a.comeAllBut(2, {});
    EXPECT_EQ(a.frames.late(a.now + 100'000 * kMs), nullptr);
}

TEST(FrameAssembly, FramesOfOthersGiveTheirSlotsBack) {
    Assembly a;
    for (std::uint64_t number = 1; number <= 4; ++number) {
        EXPECT_TRUE(a.come(number, 0));
    }
    EXPECT_FALSE(a.come(5, 0)) << "all four slots are in use";
    a.tell(4);  // the first three belong to others
    EXPECT_FALSE(a.come(2, 1));
    EXPECT_TRUE(a.come(4, 1));
    EXPECT_TRUE(a.come(5, 0));
}

TEST(FrameAssembly, AFrameThatWasToldOfTakesTheSlotOfOneThatWasNot) {
    Assembly a;
    for (std::uint64_t number = 2; number <= 5; ++number) {
        EXPECT_TRUE(a.come(number, 0));
    }
    a.tell(1);
    a.comeAllBut(1, {});
    EXPECT_EQ(a.take(), 1U);
}

TEST(FrameAssembly, OnlySlotsThatTheSenderWasGivenAreFilled) {
    Assembly a(false, 1);
    EXPECT_TRUE(a.come(1, 0));
    EXPECT_FALSE(a.come(2, 0));
}

TEST(FrameAssembly, ManyGapsAreAskedForOneRequestAfterTheOther) {
    constexpr std::uint32_t kChunks = 301;
    FrameAssembly frames(kChunk, true);
    const auto pool = FramePool::create({.slotBytes = kChunks * kChunk, .slotCount = 1, .hugePages = false});
    pool->slots().takeFree([](std::uint32_t) {});
    frames.useRing(kRing, pool);
    TimestampNs now = 1'000 * kMs, wakeAt = 0;
    FrameInfo info;
    info.payloadBytes = kChunks * kChunk;
    frames.tell(1, kRing, info, now);
    for (std::uint32_t chunk = 0; chunk < kChunks; chunk += chunk < 200 ? 2 : 1) {  // a hundred gaps
        DatagramHead head;
        head.frame = 1;
        head.chunk = chunk;
        head.chunks = kChunks;
        ComingFrame* const frame = frames.place(head, kChunk);
        ASSERT_NE(frame, nullptr);
        frames.add(*frame, chunk, now);
    }
    now += 1'000 * kMs;
    for (const std::size_t ranges : {64U, 36U}) {
        ComingFrame* const frame = frames.ask(now, wakeAt);
        ASSERT_NE(frame, nullptr) << "it waits, although the answer before brought what it asked for";
        EXPECT_EQ(frame->asked.size(), ranges);
        GroupRepaired answer{1, frame->request, {}};
        for (const ChunkRange& range : frame->asked) {
            answer.written.push(range);
        }
        frames.answered(answer, now);
        frames.wrote(frames.repaired(kRing, frame->slot, frame->request), now);
    }
    EXPECT_NE(frames.ready(), nullptr);
}

TEST(FrameAssembly, OthersChunksDoNotPutOffWhatIsAskedForAgain) {
    Assembly a;
    a.tell(1);
    a.comeAllBut(1, {5});
    ComingFrame* frame = a.askWhenDue();
    ASSERT_NE(frame, nullptr);
    a.answer(*frame, {});
    TimestampNs wakeAt = 0;
    EXPECT_EQ(a.frames.ask(a.now, wakeAt), nullptr);
    const TimestampNs due = wakeAt;
    a.now += kMs;
    EXPECT_TRUE(a.come(2, 0));
    EXPECT_EQ(a.frames.ask(a.now, wakeAt), nullptr);
    EXPECT_EQ(wakeAt, due);
}

TEST(FrameAssembly, RepairsAreWhatWasAskedForAndEndBeforeTheFrame) {
    Assembly a;
    a.tell(1);
    a.comeAllBut(1, {5});
    ComingFrame* const frame = a.askWhenDue();
    ASSERT_NE(frame, nullptr);
    EXPECT_THROW(a.answer(*frame, {{4, 1}}), Error) << "that is there";
    EXPECT_THROW(a.answer(*frame, {{5, 2}}), Error) << "a part of it is there";
    a.frames.beginRepair(kRing, frame->slot);
    EXPECT_TRUE(a.come(1, 5));
    EXPECT_THROW(a.answer(*frame, {}), Error) << "nothing is written, it says while it writes";
    a.answer(*frame, {{5, 1}});
    EXPECT_EQ(a.take(), std::nullopt) << "its slot is being written into";
    a.frames.wrote(a.frames.repaired(kRing, frame->slot, frame->request), a.now);
    EXPECT_EQ(a.take(), 1U);
    EXPECT_THROW(a.frames.beginRepair(kRing, 0), Error) << "it is over";
}

TEST(FrameAssembly, MoreFramesThanSlotsThatWereGivenAreRefused) {
    Assembly a(false, 1);
    a.tell(1);
    EXPECT_THROW(a.tell(2), Error) << "the viewer still shows three of the four slots";
    EXPECT_EQ(a.frames.waiting(), 1U);
    a.comeAllBut(1, {});
    EXPECT_EQ(a.take(), 1U);
    a.tell(3);
    a.comeAllBut(3, {});
    EXPECT_EQ(a.take(), 3U);
}

TEST(FrameAssembly, HostileNumbersHaveNoPlace) {
    Assembly a;
    a.tell(1);
    EXPECT_FALSE(a.come(1, 0, 11)) << "cut in another way";
    EXPECT_FALSE(a.come(1'000'000, 0)) << "far ahead";
    EXPECT_FALSE(a.come(2, 0, multicast::kMaxChunks)) << "larger than a slot";
    DatagramHead head;
    head.frame = 1;
    head.chunk = 9;
    head.chunks = 10;
    EXPECT_EQ(a.frames.place(head, kChunk), nullptr) << "a last chunk that is too long";
    EXPECT_NE(a.frames.place(head, kChunk - 100), nullptr);
}

TEST(FrameAssembly, RefusesAPeerThatBreaksTheRules) {
    Assembly a;
    a.tell(5);
    EXPECT_THROW(a.tell(5), Error) << "twice";
    EXPECT_THROW(a.tell(4), Error) << "falling";
    EXPECT_THROW(a.tell(6, 0), Error) << "nothing";
    EXPECT_THROW(a.tell(6, a.pool->slotBytes() + 1), Error) << "larger than a slot";
    EXPECT_THROW(a.tell(6, kFrameBytes, kRing + 1), Error) << "another ring";
    for (std::uint64_t number = 6; number < 9; ++number) {
        a.tell(number);
    }
    EXPECT_THROW(a.tell(9), Error) << "more than there are slots";
    EXPECT_THROW(a.frames.answered({5, 1, {}}, a.now), Error) << "nothing was asked";
    EXPECT_THROW(a.frames.repaired(kRing, 0, 1), Error);
    ComingFrame* const frame = a.askWhenDue();
    ASSERT_NE(frame, nullptr);
    EXPECT_THROW(a.answer(*frame, {{0, 11}}), Error) << "beyond the frame";
    EXPECT_THROW(a.frames.repaired(kRing, frame->slot + 1, frame->request), Error) << "another slot";
    EXPECT_THROW(a.frames.repaired(kRing, frame->slot, frame->request + 1), Error) << "another request";
    a.answer(*frame, {{0, 10}});
    EXPECT_THROW(a.answer(*frame, {{0, 10}}), Error) << "answered twice";
}

TEST(FrameAssembly, OutsideTheGroupAllIsAskedForAtOnce) {
    Assembly viewer;
    EXPECT_TRUE(viewer.come(1, 0));
    viewer.frames.leaveGroup();
    EXPECT_EQ(viewer.frames.waiting(), 0U) << "what was not announced does not come any more";
    viewer.tell(1);
    TimestampNs wakeAt = 0;
    const ComingFrame* const frame = viewer.frames.ask(viewer.now, wakeAt);
    ASSERT_NE(frame, nullptr);
    EXPECT_EQ(frame->asked, (std::vector<ChunkRange>{{0, 10}}));
}

}  // namespace
}  // namespace verbcast::testing
