// Frames from a GPU's memory over every transport: directly if the path can, otherwise through one counted
// copy; and what happens to a stream whose GPU fails.
#include "tests/core/gpu/gpu_streams.h"

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kGpuSlots = 4;

using GpuFrames = GpuStreams<OverADriver>;
using GpuFramesOverTheDouble = GpuStreams<OverTheDouble>;

TEST_P(GpuFrames, ArriveWhole) {
    DevicePool ring = makeGpuRing(0, format.payloadBytes, kGpuSlots);
    {
        Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
        FrameReceiver viewer(receiverOptions(sender));
        ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
        const Counted driver = count();
        constexpr std::uint64_t kFrames = 20;
        std::jthread sending([&] {
            for (std::uint64_t number = 0; number < kFrames; ++number) {
                ASSERT_EQ(sendFromGpu(sender, ring, format, number), Status::Ok);
            }
            EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
        });
        ReceivedFrame frame;
        std::uint64_t count = 0;
        while (viewer.receive(frame, kLimit) == Status::Ok) {
            ASSERT_EQ(frame.info.sequence, count);
            ASSERT_TRUE(isWhole(frame));
            frame = {};
            ++count;
        }
        sending.join();
        EXPECT_EQ(count, kFrames);
        const std::uint64_t bytes = kFrames * format.payloadBytes;
        EXPECT_EQ(sender.stats().bytesFromDevice, isDirect() ? 0 : bytes);
        EXPECT_EQ(sender.stats().bytesCopied, GetParam() == "tcp" ? bytes : 0U) << "by the processor";
        if (const auto did = driver.soFar()) {
            EXPECT_EQ(did->toHost, isDirect() ? 0 : bytes);
            EXPECT_EQ(did->pageable, bytes) << "none but those that filled the slots";
        }
    }
}

/// As a program lends its own: not of whole blocks, nor even of whole pages, and never shared.
TEST_P(GpuFrames, InLentMemoryArriveWhole) {
    DevicePool ring = makeGpuRing(0, format.payloadBytes, kGpuSlots);
    {
        Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
        FrameReceiver viewer(receiverOptions(sender));
        ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
        constexpr std::int64_t kFrames = 8;
        for (std::int64_t number = 0; number < kFrames; ++number) {
            auto owner = ring.acquire(kLimit);
            ASSERT_TRUE(owner);
            std::vector<std::byte> bytes(format.payloadBytes);
            TestSource::fill(bytes.data(), bytes.size(), static_cast<std::uint64_t>(number));
            owner->write(bytes);
            const auto pool = FramePool::single(
                Memory::ofDevice(lentGpuMemory(0, owner->address(), format.payloadBytes)), {});
            FrameInfo info;
            info.pts = number;
            ASSERT_EQ(sender.submit(std::move(*pool->adopt(0)), format, info, Event()), Status::Ok);
            ReceivedFrame frame;
            ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
            ASSERT_TRUE(isWhole(frame));
        }
        const std::uint64_t bytes = kFrames * format.payloadBytes;
        EXPECT_EQ(sender.stats().bytesFromDevice, isDirect() ? 0 : bytes);
        EXPECT_EQ(sender.stats().bytesCopied, GetParam() == "tcp" ? bytes : 0U) << "by the processor";
    }
}

/// Each path reports a reason that names the GPU.
TEST_P(GpuFramesOverTheDouble, ThatCannotLeaveAsTheyLieSayWhy) {
    setPeermem(false);
    DevicePool ring = makeGpuRing(0, 4096, 2);
    const Url address = parseUrl(listenAddressFor(GetParam()));
    const auto listener = transportFor(address).listen(address, {});
    Connection source, sink;
    std::jthread connecting([&] {
        const Url url = parseUrl(listener->address());
        source = transportFor(url).connect(url, {}, Deadline::in(kLimit), Event());
    });
    ASSERT_TRUE(eventually([&] { return static_cast<bool>(sink = listener->accept()); }));
    connecting.join();
    ASSERT_TRUE(source);
    const FrameLease lease = std::move(*ring.tryAcquire()).release();
    const Import import = source.frames->import(lease.pool()->memory());
    EXPECT_FALSE(import.direct);
    EXPECT_TRUE(contains(import.reason, "Double 0 (GPU 0)"));
}

TEST_P(GpuFramesOverTheDouble, OfAGpuThatFailsEndWithItsError) {
    if (isDirect()) {
        return;  // nothing asks the GPU
    }
    DevicePool ring = makeGpuRing(0, format.payloadBytes, kGpuSlots);
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    FrameReceiver viewer(receiverOptions(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    ASSERT_EQ(sendFromGpu(sender, ring, format, 0), Status::Ok);
    ReceivedFrame frame;
    ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
    fail("cuMemcpyDtoHAsync:719");
    const Error error = thrownBy([&] { static_cast<void>(sendFromGpu(sender, ring, format, 1)); });
    EXPECT_EQ(error.kind(), ErrorKind::Device);
    EXPECT_TRUE(contains(error.what(), "CUDA_ERROR_LAUNCH_FAILED"));
    EXPECT_TRUE(eventually([&] {
        return viewer.status().senderReason.find(
                   "the sender's device has failed: cuMemcpyDtoHAsync on Double 0 (GPU 0)") !=
               std::string::npos;
    })) << viewer.status().senderReason;
}

VERBCAST_OVER_TRANSPORTS(GpuFrames, transportsUnderTest());
VERBCAST_OVER_TRANSPORTS(GpuFramesOverTheDouble, transportsUnderTest());

}  // namespace
}  // namespace verbcast::testing
