// A process that shares a GPU's ring is killed: frames that the other one holds stay intact, every slot is
// returned, the reason is reported, and nothing leaks in the driver.
#include "tests/core/gpu/gpu_streams.h"
#include "tests/support/forked_child.h"
#include "tests/support/reserved_address.h"

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kRing = 2;

/// Over the double alone: NVIDIA's driver serves no child of a process that has called it (scripts/gpu kills
/// programs).
class GpuKilled : public GpuStreams<OverTheDouble> {
  protected:
    void SetUp() override {
        GpuStreams<OverTheDouble>::SetUp();
        if (!IsSkipped()) {
            setShares(2);
        }
    }
    Url url() const { return parseUrl(address_.url()); }

    /// Receives frames into the GPU and keeps as many as it can.
    void hoard() const {
        ReceiverOptions options;
        options.url = url();
        options.listen = true;
        options.device = gpuAllocator(0);
        options.peerTimeout = kLimit;
        FrameReceiver viewer(options);
        std::vector<ReceivedFrame> held;
        for (;;) {
            ReceivedFrame frame;
            if (viewer.receive(frame, kLimit) == Status::Ok) {
                held.push_back(std::move(frame));
            }
        }
    }

    /// Sends one frame from a ring in the GPU, and then waits.
    void sendOne() const {
        DevicePool ring = makeGpuRing(0, format.payloadBytes, kRing);
        SenderOptions options;
        options.url = url();
        options.peerTimeout = kLimit;
        Broadcast sender(options);
        const Event never;
        static_cast<void>(sender.waitForReceiver(kLimit, never));
        static_cast<void>(sendFromGpu(sender, ring, format, 7));
        waitReadable({never.descriptor()}, kLimit);
    }

    const ReservedAddress address_{GetParam()};
};

TEST_P(GpuKilled, AReceiverThatIsKilledGivesItsSlotsBack) {
    ForkedChild receiver([this] { hoard(); });
    DevicePool ring = makeGpuRing(0, format.payloadBytes, kRing);
    SenderOptions options;
    options.url = url();
    options.listen = false;
    options.peerTimeout = kLimit;
    Broadcast sender(options);
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    for (std::uint32_t number = 0; number < kRing; ++number) {
        ASSERT_EQ(sendFromGpu(sender, ring, format, number), Status::Ok);
    }
    ASSERT_TRUE(eventually([&] { return sender.stats().framesTransferred == kRing; }));
    EXPECT_FALSE(ring.tryAcquire()) << "the receiver holds all of them";
    EXPECT_EQ(sender.stats().bytesFromDevice, 0U) << "the ring is shared";
    receiver.kill();
    EXPECT_TRUE(eventually([&] { return sender.receiverCount() == 0; }));
    EXPECT_TRUE(sender.lastEnd().isLoss());
    EXPECT_FALSE(sender.lastEnd().reason.empty());
    std::vector<DeviceLease> all;
    EXPECT_TRUE(eventually([&] {
        if (auto lease = ring.tryAcquire()) {
            all.push_back(std::move(*lease));
        }
        return all.size() == kRing;
    })) << all.size()
        << " slots came back";
}

TEST_P(GpuKilled, WhatAKilledSenderHasSentStays) {
    ForkedChild child([this] { sendOne(); });
    ReceiverOptions options;
    options.url = url();
    options.device = gpuAllocator(0);
    options.peerTimeout = kLimit;
    FrameReceiver viewer(options);
    ReceivedFrame frame;
    ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
    EXPECT_EQ(viewer.stats().bytesToDevice, 0U) << "the ring is shared";
    child.kill();
    EXPECT_TRUE(eventually([&] { return viewer.status().state == StreamState::Lost; }));
    EXPECT_FALSE(viewer.status().text.empty());
    EXPECT_TRUE(isWholeOnGpu(frame)) << "the driver keeps the memory for who maps it";
    EXPECT_EQ(frame.info.pts, 7);
}

INSTANTIATE_TEST_SUITE_P(Over, GpuKilled, ::testing::ValuesIn(transportsThatShareMemory()), transportName);

}  // namespace
}  // namespace verbcast::testing
