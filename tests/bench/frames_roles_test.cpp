// The receiving process of `bench frames`, against a sender that does not keep its word.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <future>

#include "app/bench/bench_roles.h"
#include "app/bench/frame_job.h"
#include "app/bench/frame_pattern.h"
#include "core/stream/broadcast.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

struct Sent {
    std::uint64_t number = 0;  ///< 0: warming up
    bool damaged = false;
};

class FramesReceive : public ::testing::Test {
  protected:
    /// Sends those frames to the role and gives what it answers.
    ReceiverResult receive(const std::vector<Sent>& frames, Verify verify) {
        FrameJob job;
        job.address = fmt::format("shm://roles-test-{}-{}", ::getpid(), ++runs_);
        job.size = {64, 48};
        job.verify = verify;
        auto answer = std::async(
            std::launch::async, [&] { return framesReceiveRole(toJson(job), [](const nlohmann::json&) {}); });
        send(job, frames);
        return receiverResultFromJson(answer.get());
    }

  private:
    static void send(const FrameJob& job, const std::vector<Sent>& frames) {
        SenderOptions options;
        options.url = parseUrl(job.address);
        options.listen = false;
        options.reconnect = false;
        options.policy = Policy::Lossless;
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
    EXPECT_EQ(receive(frames, Verify::Header).corrupt, 0U);  // pixels are not its business
    EXPECT_EQ(receive(frames, Verify::None).corrupt, 0U);
}

TEST_F(FramesReceive, GapsAreDropsAndStepsBackAreWrong) {
    const ReceiverResult gap = receive({{0}, {1}, {2}, {5}, {6}}, Verify::Header);
    EXPECT_EQ(gap.frames, 4U);
    EXPECT_EQ(gap.lastNumber, 6U);  // so two are missing
    EXPECT_EQ(gap.corrupt, 0U);
    EXPECT_EQ(receive({{0}, {1}, {3}, {2}, {4}}, Verify::Header).corrupt, 1U);
}

}  // namespace
}  // namespace verbcast
