// Frames into a GPU's memory over every transport: written there by the sender if the path can, otherwise
// copied once, by the GPU; and what happens to a stream whose GPU fails.
#include "core/stats/stats_json.h"
#include "tests/core/gpu/gpu_streams.h"

namespace verbcast::testing {
namespace {

using GpuReceive = GpuStreams<OverADriver>;
using GpuReceiveOverTheDouble = GpuStreams<OverTheDouble>;

TEST_P(GpuReceive, FramesLieInTheGpu) {
    TestSource source(format);
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    {
        FrameReceiver viewer(intoGpu(sender));
        ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
        const Counted driver = count();
        constexpr std::uint64_t kFrames = 20;
        std::jthread sending([&] { sendAll(source, sender, kFrames); });
        EXPECT_EQ(receiveAll(viewer), kFrames);
        sending.join();
        const std::uint64_t bytes = kFrames * format.payloadBytes;
        EXPECT_EQ(viewer.stats().bytesToDevice, isDirect() ? 0 : bytes);
        if (const auto did = driver.soFar()) {
            EXPECT_EQ(did->toDevice, isDirect() ? 0 : bytes);
            EXPECT_EQ(did->pageable, 0U) << "copies are the GPU's";
            EXPECT_EQ(did->flushes, 0U) << "this GPU needs none";
        }
        EXPECT_EQ(viewer.stats().bytesCopied, GetParam() == "tcp" ? bytes : 0U) << "by the processor";
        EXPECT_TRUE(contains(statsJson(StreamEnd::Receiver, viewer.stats(), ""), "\"bytes_to_device\""));
    }
}

/// Shareable memory is allocated by other calls, and registered in the same way.
TEST_P(GpuReceiveOverTheDouble, FramesLieInMemoryThatCanBeShared) {
    setShares(2);
    TestSource source(format);
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    FrameReceiver viewer(intoGpu(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    std::jthread sending([&] { sendAll(source, sender, 5); });
    EXPECT_EQ(receiveAll(viewer), 5U);
    sending.join();
    EXPECT_EQ(viewer.stats().bytesToDevice, isDirect() ? 0 : 5 * format.payloadBytes);
}

/// From one GPU's ring into another's.
TEST_P(GpuReceive, FromAGpuFramesComeOverPcieAtMostTwice) {
    DevicePool ring = makeGpuRing(0, format.payloadBytes, 4);
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    FrameReceiver viewer(intoGpu(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    constexpr std::uint64_t kFrames = 10;
    std::jthread sending([&] {
        for (std::uint64_t number = 0; number < kFrames; ++number) {
            ASSERT_EQ(sendFromGpu(sender, ring, format, number), Status::Ok);
        }
        EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
    });
    EXPECT_EQ(receiveAll(viewer), kFrames);
    sending.join();
    const bool stays = isDirect() || viewer.status().copyReason.empty();  // a driver may share the ring
    const std::uint64_t once = stays ? 0 : kFrames * format.payloadBytes;
    EXPECT_EQ(sender.stats().bytesFromDevice, once);
    EXPECT_EQ(viewer.stats().bytesToDevice, once);
}

TEST_P(GpuReceiveOverTheDouble, WhyFramesAreCopiedIsTold) {
    setPeermem(false);
    TestSource source(format);
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    FrameReceiver viewer(intoGpu(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    ASSERT_EQ(source.send(sender), Status::Ok);
    ReceivedFrame frame;
    ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
    EXPECT_TRUE(isWholeOnGpu(frame));
    const std::string reason = viewer.status().copyReason;
    EXPECT_TRUE(contains(reason, GetParam() == "shm" ? "main memory" : "Double 0 (GPU 0)"));
    EXPECT_EQ(viewer.stats().bytesToDevice, format.payloadBytes);
    frame = {};
    ASSERT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
    EXPECT_EQ(viewer.receive(frame, kLimit), Status::Closed);
    EXPECT_EQ(viewer.status().copyReason, reason) << "for the summary";
}

/// On a GPU that does not order remote writes, a frame is delivered only once it is visible there.
TEST_P(GpuReceiveOverTheDouble, RemoteWritesAreFlushedFirst) {
    setOrder(0, 1);
    TestSource source(format);
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    FrameReceiver viewer(intoGpu(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    const CudaDoubleCounts before = counts();
    std::jthread sending([&] { sendAll(source, sender, 10); });
    EXPECT_EQ(receiveAll(viewer), 10U);
    sending.join();
    EXPECT_EQ(counts().flushes - before.flushes, isDirect() ? 10U : 0U);
}

TEST_P(GpuReceiveOverTheDouble, WhereNothingFlushesThemNobodyWritesThere) {
    setOrder(0, 0);
    TestSource source(format);
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    FrameReceiver viewer(intoGpu(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    ASSERT_EQ(source.send(sender), Status::Ok);
    ReceivedFrame frame;
    ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
    EXPECT_TRUE(isWholeOnGpu(frame));
    EXPECT_EQ(viewer.stats().bytesToDevice, format.payloadBytes);
    if (isDirect()) {
        EXPECT_TRUE(contains(viewer.status().copyReason, "does not order"));
    }
}

TEST_P(GpuReceive, WhatOnlyACopyBringsThereMayStayInMainMemory) {
    TestSource source(format);
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    ReceiverOptions options = intoGpu(sender);
    options.copiesToDevice = false;
    FrameReceiver viewer(options);
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    const Counted driver = count();
    std::jthread sending([&] { sendAll(source, sender, 5); });
    ReceivedFrame frame;
    for (int got = 0; got < 5; ++got) {
        ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
        EXPECT_TRUE(isDirect() ? isWholeOnGpu(frame) : isWhole(frame));
        EXPECT_EQ(viewer.status().copyReason.empty(), isDirect()) << "why it is not there";
        frame = {};
    }
    EXPECT_EQ(viewer.receive(frame, kLimit), Status::Closed);
    sending.join();
    EXPECT_EQ(viewer.stats().bytesToDevice, 0U);
    if (const auto did = driver.soFar()) {
        EXPECT_EQ(did->toDevice, 0U);
    }
}

TEST_P(GpuReceiveOverTheDouble, WithoutMemoryInTheGpuFramesMayStayInMainMemory) {
    TestSource source(format);
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    ReceiverOptions options = intoGpu(sender);
    options.copiesToDevice = false;
    fail("cuMemAlloc:2,cuMemCreate:2");
    FrameReceiver viewer(options);
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    ASSERT_EQ(source.send(sender), Status::Ok);
    ReceivedFrame frame;
    ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
    EXPECT_TRUE(isWhole(frame));
    EXPECT_NE(viewer.status().copyReason, "");
}

TEST_P(GpuReceive, NothingIsGivenWhileAllSlotsAreHeld) {
    TestSource source(format);
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    ReceiverOptions options = intoGpu(sender);
    options.slots = 2;
    FrameReceiver viewer(options);
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    std::jthread sending([&] { sendAll(source, sender, 5); });
    std::vector<ReceivedFrame> held(2);
    ASSERT_EQ(viewer.receive(held[0], kLimit), Status::Ok);
    ASSERT_EQ(viewer.receive(held[1], kLimit), Status::Ok);
    ReceivedFrame frame;
    EXPECT_EQ(viewer.receive(frame, 0ns), Status::TimedOut);
    {
        const std::jthread interrupting([&] { viewer.interrupt(true); });
        EXPECT_EQ(viewer.receive(frame, kLimit), Status::Cancelled);
    }
    viewer.interrupt(false);
    EXPECT_TRUE(isWholeOnGpu(held[0]) && isWholeOnGpu(held[1])) << "what is held stays";
    held.clear();
    EXPECT_EQ(receiveAll(viewer, 2), 3U);
    sending.join();
}

TEST_P(GpuReceive, LargerFramesGetARingThatHoldsThem) {
    TestSource small(format), large(tightFormat(320, 240, PixelFormat::rgba));
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    FrameReceiver viewer(intoGpu(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    std::jthread sending([&] {
        for (int frame = 0; frame < 3; ++frame) {
            ASSERT_EQ(small.send(sender), Status::Ok);
        }
        large.next = 3;
        sendAll(large, sender, 3);
    });
    EXPECT_EQ(receiveAll(viewer), 6U);
    sending.join();
    EXPECT_EQ(viewer.stats().bytesToDevice,
              isDirect() ? 0 : 3 * (small.format.payloadBytes + large.format.payloadBytes));
}

TEST_P(GpuReceive, SkippedFramesAreNotCopied) {
    TestSource source(format);
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    FrameReceiver viewer(intoGpu(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    for (int frame = 0; frame < 3; ++frame) {
        ASSERT_EQ(source.send(sender), Status::Ok);
    }
    ASSERT_TRUE(eventually([&] { return viewer.stats().framesTransferred == 3; }));
    ReceivedFrame frame;
    ASSERT_EQ(viewer.receiveNewest(frame, kLimit), Status::Ok);
    EXPECT_EQ(frame.info.sequence, 2U);
    EXPECT_TRUE(isWholeOnGpu(frame));
    EXPECT_EQ(viewer.stats().bytesToDevice, isDirect() ? 0 : format.payloadBytes);
}

TEST_P(GpuReceiveOverTheDouble, AGpuThatFailsEndsTheStreamWithItsError) {
    setOrder(0, 1);
    TestSource source(format);
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    FrameReceiver viewer(intoGpu(sender));
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    ASSERT_EQ(source.send(sender), Status::Ok);
    ReceivedFrame frame;
    ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
    const std::string call = isDirect() ? "cuFlushGPUDirectRDMAWrites" : "cuMemcpyHtoDAsync";
    fail((call + ":719").c_str());
    ASSERT_EQ(source.send(sender), Status::Ok);
    for (int again = 0; again < 2; ++again) {
        const std::string text =
            errorOf(ErrorKind::Device, [&] { static_cast<void>(viewer.receive(frame, kLimit)); });
        EXPECT_TRUE(contains(text, call + " on Double 0 (GPU 0): CUDA_ERROR_LAUNCH_FAILED"));
    }
    EXPECT_EQ(viewer.status().state, StreamState::Failed);
    EXPECT_TRUE(eventually([&] {
        return sender.stats().viewers.empty() || !sender.stats().viewers.front().connected;
    })) << "the sender has not noticed";
    EXPECT_TRUE(eventually([&] {
        return sender.lastEnd().reason.find("the viewer's device has failed: " + call +
                                            " on Double 0 (GPU 0)") != std::string::npos;
    })) << sender.lastEnd().reason;
}

TEST_P(GpuReceiveOverTheDouble, MemoryThatIsShortEndsTheStreamWithItsError) {
    TestSource source(format);
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    {
        FrameReceiver viewer(intoGpu(sender));
        ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
        fail("cuMemAlloc:2");
        std::jthread sending([&] { static_cast<void>(source.send(sender)); });
        ReceivedFrame frame;
        const std::string text =
            errorOf(ErrorKind::Resource, [&] { static_cast<void>(viewer.receive(frame, kLimit)); });
        EXPECT_TRUE(contains(text, "cuMemAlloc on Double 0 (GPU 0)"));
        EXPECT_TRUE(eventually([&] {
            return sender.lastEnd().reason.find("cuMemAlloc on Double 0 (GPU 0)") != std::string::npos;
        })) << sender.lastEnd().reason;
        fail("");
    }
    ReceiverOptions options = intoGpu(sender);
    options.maxMemory = 100'000;
    if (GetParam() == "shm") {
        return;  // the mapped ring has the same limit and reports it first
    }
    FrameReceiver viewer(options);  // receives the format as it joins
    ReceivedFrame frame;
    const std::string text =
        errorOf(ErrorKind::Resource, [&] { static_cast<void>(viewer.receive(frame, kLimit)); });
    EXPECT_TRUE(contains(text, "of the memory of Double 0 (GPU 0) than the viewer allows"));
}

TEST_P(GpuReceiveOverTheDouble, AFormatTooLargeForTheGpuKeepsNoOtherSenderOut) {
    ReceiverOptions options = receiverOptions(listenAddressFor(GetParam()));
    options.listen = true;
    options.device = gpuAllocator(0);
    FrameReceiver viewer(options);
    const auto sending = [&] {
        SenderOptions to = senderOptions(GetParam(), Policy::Lossless);
        to.url = parseUrl(viewer.listenAddresses().front());
        to.listen = false;
        to.reconnect = false;
        return to;
    };
    {
        fail("cuMemAlloc:2");
        TestSource large(tightFormat(320, 240, PixelFormat::rgba));
        Broadcast sender(sending());
        ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
        static_cast<void>(large.send(sender));
        EXPECT_TRUE(eventually([&] {
            return sender.lastEnd().reason.find("cuMemAlloc on Double 0 (GPU 0)") != std::string::npos;
        })) << sender.lastEnd().reason;
        EXPECT_TRUE(eventually([&] { return viewer.status().state == StreamState::Lost; }));
        EXPECT_TRUE(contains(viewer.status().senderReason, "cuMemAlloc on Double 0 (GPU 0)"));
    }
    fail("");
    TestSource source(format);
    Broadcast sender(sending());
    ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
    std::jthread sends([&] { sendAll(source, sender, 3); });
    EXPECT_EQ(receiveAll(viewer), 3U);
}

VERBCAST_OVER_TRANSPORTS(GpuReceive, transportsUnderTest());
VERBCAST_OVER_TRANSPORTS(GpuReceiveOverTheDouble, transportsUnderTest());

}  // namespace
}  // namespace verbcast::testing
