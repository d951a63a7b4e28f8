// The receiving process of `bench frames`, with a sender that breaks its promises.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <future>

#include "app/bench/workers/bench_roles.h"
#include "app/bench/workers/frame_job.h"
#include "app/bench/workers/frame_pattern.h"
#include "app/bench/workers/stream_window.h"
#include "core/stream/broadcast.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

struct Sent {
    std::uint64_t number = 0;  ///< 0: warm-up
    bool damaged = false;
};

class FramesReceive : public ::testing::Test {
  protected:
    /// Sends these frames to the role and returns its result.
    ReceiverResult receive(const std::vector<Sent>& frames, Verify verify) {
        FrameJob job;
        job.address = fmt::format("shm://roles-test-{}-{}", ::getpid(), ++runs_);
        job.size = {64, 48};
        job.verify = verify;
        auto answer = std::async(std::launch::async,
                                 [&] { return framesReceiveRole(job, [](const nlohmann::json&) {}); });
        send(job, frames);
        return answer.get().get<ReceiverResult>();
    }

  private:
    static void send(const FrameJob& job, const std::vector<Sent>& frames) {
        SenderOptions options;
        options.url = parseUrl(job.address);
        options.listen = false;
        options.reconnect = false;
        options.policy = Policy::Lossless;
        options.peerTimeout = std::chrono::seconds(20);
        Broadcast sender(options);
        const Event never;
        ASSERT_EQ(sender.waitForReceiver(30s, never), Status::Ok);
        const VideoFormat format = tightFormat(64, 48, PixelFormat::rgba);
        const auto pool = FramePool::create({.slotBytes = format.payloadBytes, .slotCount = 8});
        std::uint64_t written = 0;
        for (const Sent& frame : frames) {
            auto lease = pool->acquire(30s, &never);
            ASSERT_TRUE(lease);
            const std::span pixels(lease->data(), format.payloadBytes);
            FrameInfo info;
            info.inputSequence = frame.number;
            info.pts = static_cast<std::int64_t>(writeFrame(pixels, written++));
            if (frame.damaged) {
                pixels[pixels.size() / 2] ^= std::byte{4};
            }
            ASSERT_EQ(sender.submit(std::move(*lease), format, info, never), Status::Ok);
        }
        EXPECT_EQ(sender.finish("all sent", 30s, never), Status::Ok);
    }

    int runs_ = 0;
};

TEST_F(FramesReceive, CountsTheMeasuredFramesOnly) {
    const ReceiverResult result = receive({{0}, {0}, {1}, {2}, {3}}, Verify::Full);
    EXPECT_EQ(result.frames, 3U);
    EXPECT_EQ(result.lastNumber, 3U);
    EXPECT_EQ(result.corrupt, 0U);
    EXPECT_EQ(result.latency.count(), 3U);
    EXPECT_GT(result.seconds, 0);
    EXPECT_EQ(result.copiesPerFrame, 0);
}

TEST_F(FramesReceive, FindsDamagedFrames) {
    const std::vector<Sent> frames{{0}, {1}, {2, true}, {3}, {4, true}, {5}};
    EXPECT_EQ(receive(frames, Verify::Full).corrupt, 2U);
    EXPECT_EQ(receive(frames, Verify::Header).corrupt, 0U);  // pixels are not checked
    EXPECT_EQ(receive(frames, Verify::None).corrupt, 0U);
}

TEST_F(FramesReceive, GapsAreDropsAndStepsBackAreWrong) {
    const ReceiverResult gap = receive({{0}, {1}, {2}, {5}, {6}}, Verify::Header);
    EXPECT_EQ(gap.frames, 4U);
    EXPECT_EQ(gap.lastNumber, 6U);  // so two are missing
    EXPECT_EQ(gap.corrupt, 0U);
    EXPECT_EQ(receive({{0}, {1}, {3}, {2}, {4}}, Verify::Header).corrupt, 1U);
}

void burn(double seconds) {
    for (const double until = cpuUseNow().seconds() + seconds; cpuUseNow().seconds() < until;) {
    }
}

TEST(StreamWindow, CountsFromTheLastThatBeginsToTheFirstThatEnds) {
    StreamWindow window(2);
    window.arrived(true);
    burn(0.2);  // only one stream: does not count
    const double before = cpuUseNow().seconds();
    window.arrived(true);
    burn(0.02);
    window.arrived(false);
    window.arrived(false);
    window.ended();
    const double together = cpuUseNow().seconds() - before;
    window.arrived(false);  // the other stream, alone in the meantime
    window.ended();
    // Three frames in the window: the one that opened it and two more.
    EXPECT_LE(window.costOf(3).seconds(), 1.01 * together);
    EXPECT_GT(window.costOf(3).seconds(), 0);
    EXPECT_NEAR(window.costOf(30).seconds(), 10 * window.costOf(3).seconds(), 1e-6);
}

TEST(StreamWindow, KnowsNothingOfStreamsThatNeverRanTogether) {
    StreamWindow window(2);
    window.arrived(true);
    window.ended();
    window.arrived(true);
    window.ended();
    EXPECT_EQ(window.costOf(2).seconds(), 0);
}

}  // namespace
}  // namespace verbcast::testing
