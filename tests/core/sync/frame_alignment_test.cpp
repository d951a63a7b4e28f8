// Aligning streams with simulated clocks: what is shown together, and when.
#include "core/sync/frame_alignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace verbcast::testing {
namespace {

constexpr TimestampNs kMs = 1'000'000;
constexpr TimestampNs kBegin = 5'000'000'000'000;  // on this host's clock

/// Frames that arrive at given times, and what is shown when it is due.
class Alignment : public ::testing::Test {
  protected:
    using StreamId = FrameAlignment::StreamId;
    struct Arrival {
        StreamId stream;
        ReceivedFrame frame;
    };
    struct Event {
        TimestampNs at;
        std::map<StreamId, TimestampNs> pictures;  // of all streams: the frame's time in ms
    };

    void align(AlignBy by, std::optional<std::chrono::milliseconds> delay = std::nullopt) {
        AlignmentOptions options{.by = by, .delay = {}};
        if (delay) {
            options.delay = *delay;
        }
        alignment_ = std::make_unique<FrameAlignment>(options);
    }
    StreamId add(std::uint32_t held = 64) { return alignment_->add(held); }

    std::shared_ptr<const VideoFormat> formatOf(int rate) const {
        auto format = std::make_shared<VideoFormat>(tightFormat(16, 16, PixelFormat::gray));
        format->frameRate = {rate, 1};
        format->timeBase = {1, 1000};
        return format;
    }
    /// `time`, in ms, is the pts and the capture time relative to the start.
    ReceivedFrame frame(TimestampNs time, int rate, std::uint64_t sequence) const {
        ReceivedFrame frame;
        frame.format = formatOf(rate);
        frame.info.pts = time;
        frame.info.sequence = sequence;
        frame.capturedAt = kBegin + time * kMs;
        frame.clockKnown = true;
        return frame;
    }
    void comes(StreamId stream, double atMs, ReceivedFrame frame) {
        const auto at = kBegin + static_cast<TimestampNs>(atMs * kMs);
        frame.arrivedAt = at;
        arrivals_.emplace(at, Arrival{stream, std::move(frame)});
    }
    /// Sends `count` frames, the first at `from`; each arrives `transit` after its time.
    template <typename Transit>
    void sendsWith(StreamId stream, int rate, int count, TimestampNs from, Transit transit) {
        double before = 0;
        for (int i = 0; i < count; ++i) {
            const TimestampNs time = from + i * 1000 / rate;
            before = std::max(before, static_cast<double>(time) + transit(i));  // no frame overtakes another
            comes(stream, before, frame(time, rate, static_cast<std::uint64_t>(i)));
        }
    }
    void sends(StreamId stream, int rate, int count, TimestampNs from, double transit) {
        sendsWith(stream, rate, count, from, [=](int) { return transit; });
    }

    /// Processes arrivals and due frames in order of time until nothing is left.
    void run() {
        int turns = 0;
        while (!arrivals_.empty() || alignment_->due()) {
            const auto due = alignment_->due();
            if (!arrivals_.empty() && (!due || arrivals_.begin()->first <= *due)) {
                auto arrival = arrivals_.extract(arrivals_.begin());
                now_ = std::max(now_, arrival.key());
                alignment_->put(arrival.mapped().stream, std::move(arrival.mapped().frame), now_);
                continue;
            }
            now_ = std::max(now_, *due);
            const auto shown = alignment_->take(now_);
            ASSERT_LT(++turns, 100'000) << "due, and nothing happens";
            for (const auto& each : shown) {
                pictures_[each.stream] = each.frame.info.pts;
                given_[each.stream].push_back(each.frame.info);
            }
            if (!shown.empty()) {
                events_.push_back({now_, pictures_});
            }
        }
    }

    std::unique_ptr<FrameAlignment> alignment_;
    std::multimap<TimestampNs, Arrival> arrivals_;
    std::map<StreamId, TimestampNs> pictures_;
    std::map<StreamId, std::vector<FrameInfo>> given_;
    std::vector<Event> events_;
    TimestampNs now_ = 0;
};

class AlignmentBy : public Alignment, public ::testing::WithParamInterface<AlignBy> {};

TEST_P(AlignmentBy, StreamsOfUnequalDelayMatchExactly) {
    align(GetParam());
    const auto near = add(), far = add();
    sends(near, 50, 300, 0, 3);
    sends(far, 50, 300, 0, 103);
    run();
    const AlignmentStats stats = alignment_->stats();
    EXPECT_EQ(stats.skew.max, 0);
    EXPECT_GE(stats.skew.count, 290U);
    const double base = GetParam() == AlignBy::Capture ? 103 : 100;  // since the fastest arrival
    EXPECT_NEAR(stats.delayMs, base + 1, 0.01);
    EXPECT_FALSE(stats.delayGiven);
    for (const Event& event : events_) {
        if (event.pictures.size() == 2) {
            EXPECT_EQ(event.pictures.at(near), event.pictures.at(far));
            EXPECT_EQ(event.at, kBegin + (event.pictures.at(near) + 104) * kMs);
        }
    }
    EXPECT_GE(given_[far].size(), 295U) << "it begins where the other one is";
    EXPECT_EQ(alignment_->statsOf(far).framesLate, 0U);
    EXPECT_TRUE(alignment_->statsOf(near).aligned);
    EXPECT_EQ(alignment_->statsOf(near).slotsNeeded, 5U + 1 + 4) << "101 ms of 20 ms each";
}

TEST_P(AlignmentBy, JitterRaisesTheDelayAndThenAllMatch) {
    align(GetParam());
    const auto a = add(), b = add(), c = add();
    std::mt19937 random(7);
    std::uniform_real_distribution<double> jitter(0, 30);
    for (const auto stream : {a, b, c}) {
        sendsWith(stream, 60, 1200, 0, [&](int) { return 5 + jitter(random); });
    }
    run();
    const AlignmentStats stats = alignment_->stats();
    ASSERT_GE(stats.skew.count, 1100U);
    EXPECT_EQ(stats.skew.p99, 0);
    EXPECT_LE(stats.delayMs, 37.5) << "a millisecond each of margin and of rounded times";
    EXPECT_GE(stats.delayMs, 30 - (GetParam() == AlignBy::Pts ? 5 : 0));
}

TEST_P(AlignmentBy, LostFramesSpoilOnlyTheirOwnSets) {
    align(GetParam());
    const auto a = add(), b = add();
    for (int i = 0; i < 400; ++i) {
        if (i % 7 != 3) {
            comes(a, i * 20 + 2, frame(i * 20, 50, static_cast<std::uint64_t>(i)));
        }
        if (i % 11 != 5) {
            comes(b, i * 20 + 40, frame(i * 20, 50, static_cast<std::uint64_t>(i)));
        }
    }
    run();
    std::size_t unequal = 0;
    for (const Event& event : events_) {
        unequal += event.pictures.size() == 2 && event.pictures.at(a) != event.pictures.at(b) ? 1 : 0;
        if (event.pictures.size() == 2) {
            EXPECT_LE(std::abs(event.pictures.at(a) - event.pictures.at(b)), 20);
        }
    }
    EXPECT_LE(unequal, 400U / 7 + 400U / 11 + 2);
    EXPECT_EQ(alignment_->skipped(a), 0U);
    EXPECT_GE(given_[b].size(), 400U - 37 - 3);
}

INSTANTIATE_TEST_SUITE_P(All, AlignmentBy, ::testing::Values(AlignBy::Capture, AlignBy::Pts),
                         [](const auto& each) { return each.param == AlignBy::Pts ? "Pts" : "Capture"; });

TEST_F(Alignment, NearestOfFreeRunningCamerasAreShownTogether) {
    align(AlignBy::Capture);
    const auto a = add(), before = add(), behind = add();
    sends(a, 25, 200, 100, 10);
    sends(before, 25, 200, 85, 10);   // 15 ms ahead of a
    sends(behind, 25, 200, 112, 10);  // 12 ms behind a
    run();
    const AlignmentStats stats = alignment_->stats();
    EXPECT_NEAR(stats.skew.p50, 27000, 27000 / 64.0);
    EXPECT_NEAR(stats.skew.p99, 27000, 27000 / 64.0);
    EXPECT_NEAR(stats.delayMs, 10 + 12 + 1, 0.01) << "the one behind has to be there when a's is due";
}

TEST_F(Alignment, TremblingCaptureTimesShowNoFrameTwice) {
    align(AlignBy::Capture);
    const auto a = add(), b = add();
    std::mt19937 random(3);
    std::uniform_int_distribution<int> tremble(-4, 4);
    for (int i = 0; i < 300; ++i) {
        for (const auto stream : {a, b}) {
            ReceivedFrame each = frame(100 + i * 40, 25, static_cast<std::uint64_t>(i));
            each.capturedAt += tremble(random) * kMs;
            comes(stream, 100 + i * 40 + 15, std::move(each));
        }
    }
    run();
    std::size_t together = 0;
    for (const Event& event : events_) {
        together += event.pictures.size() == 2 && event.pictures.at(a) == event.pictures.at(b) ? 1 : 0;
    }
    EXPECT_GE(together, 297U);
    EXPECT_LE(events_.size(), 303U) << "sets, not single pictures";
    EXPECT_LE(alignment_->stats().skew.max, 8000 * 65 / 64.0);
}

TEST_F(Alignment, HalfTheRateIsShownWithEverySecondPicture) {
    align(AlignBy::Pts);
    const auto slow = add(), fast = add();
    sends(slow, 25, 100, 0, 30);
    sends(fast, 50, 200, 0, 5);
    run();
    std::size_t equal = 0;
    for (const Event& event : events_) {
        if (event.pictures.size() == 2) {
            const TimestampNs apart = event.pictures.at(fast) - event.pictures.at(slow);
            EXPECT_TRUE(apart == 0 || apart == 20) << apart;
            equal += apart == 0 ? 1 : 0;
        }
    }
    EXPECT_GE(equal, 97U);
    EXPECT_EQ(given_[fast].size() + alignment_->skipped(fast), 200U);
    EXPECT_GE(given_[slow].size(), 99U);
}

TEST_F(Alignment, AStreamThatStopsHoldsUpNobodyAndComesBack) {
    align(AlignBy::Pts);
    const auto a = add(), b = add();
    sends(a, 50, 100, 0, 5);  // two seconds; the leader
    sends(b, 50, 1000, 0, 60);
    sends(a, 50, 400, 12'000, 5);  // resumes with the same offset after ten more
    run();
    EXPECT_GE(given_[b].size(), 990U);
    TimestampNs longest = 0;
    for (std::size_t i = 1; i < events_.size(); ++i) {
        longest = std::max(longest, events_[i].at - events_[i - 1].at);
    }
    EXPECT_LE(longest, 85 * kMs) << "no gap but that of the delay";
    EXPECT_EQ(alignment_->stats().skew.p99, 0);
    EXPECT_EQ(events_.back().pictures.at(a), events_.back().pictures.at(b));
}

TEST_F(Alignment, TheDelaySinksAgainWhenTheSlowStreamHasGone) {
    align(AlignBy::Capture);
    const auto a = add(), b = add();
    sends(a, 50, 1000, 0, 5);
    sends(b, 50, 100, 0, 155);
    run();
    EXPECT_NEAR(alignment_->stats().delayMs, 6, 1);
    EXPECT_EQ(alignment_->statsOf(a).framesLate, 0U);
}

TEST_F(Alignment, UnknownClocksAreShownAtOnceAndSaidSo) {
    align(AlignBy::Capture);
    const auto known = add(), other = add(), unknown = add();
    sends(known, 50, 100, 0, 5);
    sends(other, 50, 100, 0, 80);
    for (int i = 0; i < 100; ++i) {
        ReceivedFrame each = frame(i * 20, 50, static_cast<std::uint64_t>(i));
        each.clockKnown = false;
        comes(unknown, i * 20 + 7.5, std::move(each));
    }
    run();
    EXPECT_EQ(given_[unknown].size(), 100U);
    for (const Event& event : events_) {
        if (event.pictures.contains(unknown) && (event.at - kBegin) % kMs == kMs / 2) {
            EXPECT_EQ(event.at, kBegin + event.pictures.at(unknown) * kMs + 15 * kMs / 2);
        }
    }
    const StreamAlignment stats = alignment_->statsOf(unknown);
    EXPECT_FALSE(stats.aligned);
    EXPECT_EQ(stats.reason, "its clock is not known");
    EXPECT_EQ(alignment_->stats().skew.p99, 0) << "that of the two others";
}

TEST_F(Alignment, TimesThatAreFarFromTheOthersAreLeftOut) {
    align(AlignBy::Pts);
    const auto file = add(), a = add(), b = add();
    sends(a, 50, 200, 90'000, 5 - 90'000.0);
    sends(b, 50, 200, 90'000, 45 - 90'000.0);
    sends(file, 50, 200, 0, 5);
    run();
    EXPECT_FALSE(alignment_->statsOf(file).aligned);
    EXPECT_EQ(alignment_->statsOf(file).reason, "its times are more than 2 s from the others'");
    EXPECT_TRUE(alignment_->statsOf(a).aligned);
    EXPECT_EQ(given_[file].size(), 200U);
    EXPECT_EQ(alignment_->stats().skew.p99, 0);
    EXPECT_NEAR(alignment_->stats().delayMs, 41, 0.01);
}

TEST_F(Alignment, TheDelayThatIsGivenHolds) {
    align(AlignBy::Capture, std::chrono::milliseconds(200));
    const auto a = add(), b = add();
    sends(a, 50, 100, 0, 5);
    sends(b, 50, 100, 0, 55);
    run();
    EXPECT_EQ(alignment_->stats().skew.max, 0);
    for (const Event& event : events_) {
        EXPECT_EQ(event.at, kBegin + (event.pictures.at(a) + 200) * kMs);
    }
    EXPECT_TRUE(alignment_->stats().delayGiven);
    EXPECT_EQ(alignment_->stats().delayMs, 200);
    EXPECT_NEAR(alignment_->stats().smallestDelayMs, 56, 0.01);
}

TEST_F(Alignment, ADelayThatIsTooShortShowsLateFramesAndTheSkew) {
    align(AlignBy::Pts, std::chrono::milliseconds(0));
    const auto a = add(), b = add();
    sends(a, 50, 200, 0, 5);
    sends(b, 50, 200, 0, 105);
    run();
    EXPECT_EQ(given_[b].size(), 200U) << "late is better than never";
    EXPECT_NEAR(alignment_->stats().skew.p50, 100'000, 2'000);
    EXPECT_GE(alignment_->statsOf(b).framesLate, 195U);
    EXPECT_EQ(alignment_->statsOf(a).framesLate, 0U);
    EXPECT_NEAR(alignment_->stats().smallestDelayMs, 101, 0.01);
}

TEST_F(Alignment, FramesThatWaitAreBoundedAndThinnedOut) {
    align(AlignBy::Pts);
    const auto a = add(4), b = add(4);
    sends(a, 50, 300, 0, 5);
    sends(b, 50, 300, 0, 405);
    run();
    const StreamAlignment stats = alignment_->statsOf(a);
    EXPECT_EQ(stats.slotsNeeded, 401U / 20 + 1 + 4);
    EXPECT_GT(stats.framesThinned, 100U);
    EXPECT_GE(given_[a].size(), 4U * 6000 / 401 - 8) << "as many as four places allow";
    EXPECT_EQ(given_[a].size() + alignment_->skipped(a), 300U);
    EXPECT_EQ(alignment_->statsOf(b).framesThinned, 0U);
}

// Regression: a burst was thinned out, and the slots that it was said to need were fewer than there were.
TEST_F(Alignment, WhatFindsNoPlaceNeedsMoreSlotsThanThereAre) {
    align(AlignBy::Pts);
    const auto a = add(4), b = add(4);
    sendsWith(a, 50, 8, 0, [](int frame) { return 160.0 - 20 * frame; });
    sends(b, 50, 8, 0, 160);
    run();
    ASSERT_GT(alignment_->statsOf(a).framesThinned, 0U);
    EXPECT_GT(alignment_->statsOf(a).slotsNeeded, 4U + 4);
}

// Over shared memory the ring is the sender's and may be smaller than this side's.
TEST_F(Alignment, FourSlotsOfARingStayFree) {
    align(AlignBy::Capture, std::chrono::milliseconds(1000));
    const auto a = add(64);
    const auto pool = FramePool::create({.slotBytes = 256, .slotCount = 10});
    for (int i = 0; i < 40; ++i) {
        ReceivedFrame each = frame(i * 20, 50, static_cast<std::uint64_t>(i));
        auto lease = pool->acquire(std::chrono::nanoseconds(0));
        ASSERT_TRUE(lease) << "frame " << i << " finds no slot";
        each.lease = std::move(*lease);
        alignment_->put(a, std::move(each), kBegin + (i * 20 + 5) * kMs);
    }
    int free = 0;
    for (std::vector<FrameLease> leases; free < 10; ++free) {
        auto lease = pool->acquire(std::chrono::nanoseconds(0));
        if (!lease) {
            break;
        }
        leases.push_back(std::move(*lease));
    }
    EXPECT_EQ(free, 4);
    EXPECT_EQ(alignment_->statsOf(a).framesThinned, 34U);
}

TEST_F(Alignment, WhatChangedInSkippedFramesIsToldOfTheNext) {
    align(AlignBy::Pts);
    const auto a = add(1), b = add();
    for (int i = 0; i < 100; ++i) {
        ReceivedFrame each = frame(i * 20, 50, static_cast<std::uint64_t>(i));
        if (i > 0) {
            each.info.rectCount = 1;
            each.info.rects[0] = {static_cast<std::uint16_t>(i % 8), 0, 1, 1};
        }
        comes(a, i * 20 + 5, std::move(each));
    }
    sends(b, 50, 100, 0, 45);
    run();
    ASSERT_GT(alignment_->skipped(a), 20U);
    std::uint64_t next = 0;
    for (const FrameInfo& info : given_[a]) {
        for (std::uint64_t i = next; i <= info.sequence && info.rectCount > 0; ++i) {
            const bool told = std::any_of(
                info.rects.begin(), info.rects.begin() + info.rectCount,
                [&](const FrameRect& rect) { return rect.x <= i % 8 && i % 8 < rect.x + rect.width; });
            EXPECT_TRUE(told) << "frame " << i << " in frame " << info.sequence;
        }
        next = info.sequence + 1;
    }
}

TEST_F(Alignment, ASenderThatBeginsAnewIsAlignedAnew) {
    align(AlignBy::Pts);
    const auto a = add(), b = add();
    sends(a, 50, 200, 0, 5);
    sends(b, 50, 200, 0, 25);
    // Both restart their timestamps five seconds later.
    sends(a, 50, 200, 0, 5005);
    sends(b, 50, 200, 0, 5025);
    run();
    EXPECT_EQ(events_.back().pictures.at(a), 199 * 20);
    EXPECT_EQ(events_.back().pictures.at(b), 199 * 20);
    EXPECT_NEAR(alignment_->stats().delayMs, 21, 0.5);
    EXPECT_EQ(alignment_->stats().skew.p50, 0);
    EXPECT_LE(alignment_->skipped(a) + alignment_->skipped(b), 8U);
}

TEST_F(Alignment, ImpossibleTimesOfAPeerHarmNobody) {
    for (const AlignBy by : {AlignBy::Capture, AlignBy::Pts}) {
        align(by);
        now_ = 0;
        given_.clear();
        const auto honest = add(), liar = add();
        sends(honest, 50, 200, 0, 5);
        std::mt19937_64 random(11);
        for (int i = 0; i < 200; ++i) {
            ReceivedFrame each = frame(i * 20, 50, static_cast<std::uint64_t>(i));
            each.capturedAt = static_cast<TimestampNs>(random()) >> (i % 40);
            each.info.pts = static_cast<std::int64_t>(random()) >> (i % 40);
            comes(liar, i * 20 + 9, std::move(each));
        }
        run();
        EXPECT_GE(given_[honest].size(), 195U);
        EXPECT_GE(given_[liar].size(), 150U);
    }
}

TEST_F(Alignment, AStreamOfWhichNoFrameIsExpectedCountsNoLonger) {
    align(AlignBy::Pts);
    const auto a = add(), b = add();
    sends(a, 50, 100, 0, 5);
    sends(b, 50, 100, 0, 125);
    run();
    const auto setsOfTwo = alignment_->stats().skew.count;
    alignment_->expectNone(a);
    for (int i = 100; i < 103; ++i) {
        alignment_->put(b, frame(i * 20, 50, 100), kBegin + (i * 20 + 125) * kMs);
        EXPECT_EQ(alignment_->take(kBegin + (i * 20 + 140) * kMs).size(), 1U);
    }
    EXPECT_EQ(alignment_->stats().skew.count, setsOfTwo);
    EXPECT_EQ(alignment_->stats().skew.max, 0);
    for (int i = 103; i < 106; ++i) {
        alignment_->put(a, frame(i * 20, 50, 100), kBegin + (i * 20 + 125) * kMs);
        alignment_->put(b, frame(i * 20, 50, 100), kBegin + (i * 20 + 125) * kMs);
        EXPECT_EQ(alignment_->take(kBegin + (i * 20 + 140) * kMs).size(), 2U) << "it is back";
    }
    EXPECT_GT(alignment_->stats().skew.count, setsOfTwo);
}

TEST_F(Alignment, AStreamThatIsRemovedIsForgotten) {
    align(AlignBy::Capture);
    const auto a = add(), b = add();
    alignment_->put(a, frame(0, 50, 0), kBegin + 5 * kMs);
    alignment_->put(b, frame(0, 50, 0), kBegin + 5 * kMs);
    alignment_->remove(b);
    alignment_->put(b, frame(20, 50, 1), kBegin + 25 * kMs);
    const auto shown = alignment_->take(kBegin + 100 * kMs);
    ASSERT_EQ(shown.size(), 1U);
    EXPECT_EQ(shown.front().stream, a);
    EXPECT_FALSE(alignment_->due());
    EXPECT_NE(add(), b);
}

}  // namespace
}  // namespace verbcast::testing
