// Frames drawn by OpenGL as a source: their times, the input that they show, and what delays them.
#include "capture/gl/gl_source.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/render/gl_support.h"

namespace verbcast::testing {
namespace {

constexpr Rational kSixty{60, 1}, kUnlimited{0, 1};

class GlSourceTest : public GlTest {
  protected:
    void SetUp() override {
        GlTest::SetUp();
        closeContext();
    }

    GlSource& open(ReadbackPath path, Rational rate, std::uint32_t slots = 4) {
        return source_.emplace(GlSourceOptions{.scene = "waves",
                                               .width = 127,
                                               .height = 95,
                                               .frameRate = rate,
                                               .slots = slots,
                                               .readback = path});
    }
    CapturedFrame next() {
        CapturedFrame frame;
        EXPECT_EQ(source_->capture(frame, never_), Status::Ok);
        EXPECT_TRUE(frame.lease);
        return frame;
    }
    void press(std::uint32_t key, std::uint64_t serial) {
        const std::vector<ViewerInput> events{
            {.serial = serial, .viewer = 1, .event = {.kind = InputKind::Key, .pressed = true, .code = key}}};
        source_->inputInjector()->apply(events);
    }

    std::optional<GlSource> source_;
    const Event never_;
};

TEST_F(GlSourceTest, FramesFollowEachOtherWithTheirTimes) {
    for (const ReadbackPath path : {ReadbackPath::Direct, ReadbackPath::Ring}) {
        for (const Rational rate : {kSixty, kUnlimited}) {
            open(path, rate);
            TimestampNs last = nowNs();
            std::int64_t lastPts = -1;
            for (std::int64_t i = 0; i < 8; ++i) {
                const CapturedFrame frame = next();
                EXPECT_EQ(frame.format.width, 127U);
                EXPECT_EQ(frame.format.height, 95U);
                EXPECT_EQ(formatProblem(frame.format), std::nullopt);
                EXPECT_GT(frame.capturedAt, last);
                EXPECT_LE(frame.capturedAt, nowNs());
                last = frame.capturedAt;
                if (rate == kSixty) {
                    EXPECT_EQ(frame.pts, i);
                    EXPECT_EQ(frame.format.timeBase, (Rational{1, 60}));
                }
                EXPECT_GT(frame.pts, lastPts);
                lastPts = frame.pts;
                EXPECT_EQ(frame.inputSequence, 0U);
            }
            EXPECT_EQ(source_->counters().frames, 8U);
            EXPECT_EQ(source_->counters().pixelCopies, path == ReadbackPath::Ring ? 8U : 0U);
        }
    }
}

TEST_F(GlSourceTest, AtARateTheNextFrameShowsTheInput) {
    for (const ReadbackPath path : {ReadbackPath::Direct, ReadbackPath::Ring}) {
        open(path, {1, 10});  // slow enough for any machine: never late
        press(0x20, 3);
        EXPECT_EQ(next().inputSequence, 3U);
        EXPECT_EQ(next().inputSequence, 3U);
        press(0x20, 4);
        press(0x20, 7);
        EXPECT_EQ(next().inputSequence, 7U);
    }
}

TEST_F(GlSourceTest, InTheRingFramesKeepTheInputThatTheyShow) {
    open(ReadbackPath::Ring, kUnlimited);
    next();
    press(0x20, 5);
    EXPECT_EQ(next().inputSequence, 0U);  // two were drawn before the input
    EXPECT_EQ(next().inputSequence, 0U);
    EXPECT_EQ(next().inputSequence, 5U);
}

TEST_F(GlSourceTest, WaitsForASlotAndCanBeCancelled) {
    constexpr std::uint32_t kSlots = 2;
    open(ReadbackPath::Direct, kSixty, kSlots);
    std::vector<CapturedFrame> held;
    for (std::uint32_t i = 0; i < kSlots + FrameReadback::kDepth; ++i) {
        held.push_back(next());
    }
    Event cancel;
    cancel.notify();
    CapturedFrame frame;
    EXPECT_EQ(source_->capture(frame, cancel), Status::Cancelled);
    EXPECT_FALSE(frame.lease);
    held.pop_back();
    next();
}

TEST_F(GlSourceTest, SaysHowItReadsBackAndWhy) {
    GlSource& source = open(ReadbackPath::Measure, kSixty);
    ASSERT_EQ(source.notes().size(), 1U);
    EXPECT_NE(source.notes()[0].find("frames are read back"), std::string::npos) << source.notes()[0];
    EXPECT_NE(source.notes()[0].find(source.readbackReport().reason), std::string::npos) << source.notes()[0];
    EXPECT_NE(source.describe().find("scene waves"), std::string::npos) << source.describe();
    next();
}

}  // namespace
}  // namespace verbcast::testing
