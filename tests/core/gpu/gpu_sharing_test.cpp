// Rings in a GPU's memory between processes of one machine: mapped instead of copied if both use the same
// GPU; and the effects of either end's death and of a hostile offer.

#include "tests/core/gpu/gpu_streams.h"

namespace verbcast::testing {
namespace {

/// The GPU under another name.
class RenamedDevice final : public DeviceAllocator {
  public:
    explicit RenamedDevice(std::string sharingId) : id_(std::move(sharingId)) {}
    const std::string& deviceName() const override { return gpu_->deviceName(); }
    std::unique_ptr<const DeviceMemory> allocate(std::uint64_t bytes) const override {
        return gpu_->allocate(bytes);
    }
    std::optional<std::uint64_t> freeBytes() const override { return gpu_->freeBytes(); }
    std::string sharingId() const override { return id_; }

  private:
    std::shared_ptr<const DeviceAllocator> gpu_ = gpuAllocator(0);
    std::string id_;
};

/// Skipped over a driver that shares no memory.
template <typename Driver>
class GpuSharingOf : public GpuStreams<Driver> {
  protected:
    void SetUp() override {
        GpuStreams<Driver>::SetUp();
        if (this->IsSkipped() || this->HasFatalFailure()) {
            return;
        }
        if (this->double_) {
            this->double_->setShares(2);
        } else if (gpuAllocator(0)->sharingId().empty()) {
            GTEST_SKIP() << this->gpuName() << " shares no memory between processes";
        }
    }
};

class GpuSharing : public GpuSharingOf<OverADriver> {
  protected:
    /// From the one's ring into the other's.
    void sendThatAreMapped(bool copiesToDevice = true) {
        DevicePool ring = makeGpuRing(0, format.payloadBytes, 4);
        Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
        ReceiverOptions options = intoGpu(sender);
        options.copiesToDevice = copiesToDevice;
        FrameReceiver viewer(options);
        ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
        const Counted driver = count();
        constexpr std::uint64_t kFrames = 20;
        std::jthread sending([&] {
            for (std::uint64_t number = 0; number < kFrames; ++number) {
                ASSERT_EQ(sendFromGpu(sender, ring, format, number), Status::Ok);
            }
            EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
        });
        EXPECT_EQ(receiveAll(viewer), kFrames);
        sending.join();
        EXPECT_EQ(sender.stats().bytesFromDevice, 0U);
        EXPECT_EQ(sender.stats().bytesCopied, 0U);
        EXPECT_EQ(viewer.stats().bytesToDevice, 0U);
        EXPECT_EQ(viewer.stats().bytesCopied, 0U);
        if (const auto did = driver.soFar()) {
            EXPECT_EQ(did->copies, kFrames) << "none but those that filled the slots";
        }
    }
};

class GpuSharingOverTheDouble : public GpuSharingOf<OverTheDouble> {
  protected:
    /// Sends one frame from a ring in the GPU; returns why the sender copied it, or "".
    std::string copyReasonFor(const ReceiverOptions& wanted) {
        DevicePool ring = makeGpuRing(0, format.payloadBytes, 4);
        Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
        ReceiverOptions options = wanted;
        options.url = receiverOptions(sender).url;
        FrameReceiver viewer(options);
        EXPECT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
        EXPECT_EQ(sendFromGpu(sender, ring, format, 0), Status::Ok);
        ReceivedFrame frame;
        EXPECT_EQ(viewer.receive(frame, kLimit), Status::Ok);
        const auto receivers = sender.receivers();
        return receivers.empty() ? "nobody is there" : receivers.front().copyReason;
    }
};

TEST_P(GpuSharing, FramesAreMapped) {
    sendThatAreMapped();
    sendThatAreMapped(false);
    if (double_) {  // a driver that cannot map read-only
        double_->setShares(1);
        sendThatAreMapped();
    }
}

TEST_P(GpuSharingOverTheDouble, WhyFramesAreCopiedIsTold) {
    ReceiverOptions options = receiverOptions("shm://none");
    EXPECT_TRUE(contains(copyReasonFor(options), "the receiver does not take it there"));
    options.device = std::make_shared<RenamedDevice>("");
    EXPECT_TRUE(contains(copyReasonFor(options), "the receiver does not take it there"));
    options.device = std::make_shared<RenamedDevice>("cuda 77");
    EXPECT_TRUE(contains(copyReasonFor(options), "the receiver uses another device (cuda 77, not cuda d0d0"));
    options.device = gpuAllocator(0);
    EXPECT_EQ(copyReasonFor(options), "");
    fail("cuMemExportToShareableHandle:801");
    EXPECT_TRUE(contains(copyReasonFor(options), "cuMemExportToShareableHandle on Double 0 (GPU 0)"));
    fail("cuMemCreate:801");
    EXPECT_TRUE(contains(copyReasonFor(options), "share memory by no descriptor"));
}

/// The stream continues with copies, over the next connection.
TEST_P(GpuSharingOverTheDouble, ARingThatCannotBeMappedIsNotOfferedAgain) {
    for (const char* call : {"cuMemImportFromShareableHandle:801", "cuMemMap:801"}) {
        DevicePool ring = makeGpuRing(0, format.payloadBytes, 4);
        Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
        FrameReceiver viewer(intoGpu(sender));
        ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
        fail(call);
        ASSERT_EQ(sendFromGpu(sender, ring, format, 0), Status::Ok);
        ASSERT_TRUE(eventually([&] { return viewer.stats().connections == 2; })) << call;
        ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
        ASSERT_EQ(sendFromGpu(sender, ring, format, 1), Status::Ok);
        ReceivedFrame frame;
        ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok) << call;
        EXPECT_EQ(frame.info.pts, 1) << "the one before is lost, and counted";
        EXPECT_TRUE(isWholeOnGpu(frame));
        EXPECT_EQ(sender.stats().framesLost, 1U);
        EXPECT_EQ(viewer.status().copyReason, "the sender's ring lies in main memory");
        frame = {};
        fail("");
    }
}

/// To whom has that GPU, without a copy; to others a few times a second.
TEST_P(GpuSharing, ThePreviewSeesFramesInTheGpu) {
    DevicePool ring = makeGpuRing(0, format.payloadBytes, 8);
    SenderOptions options = senderOptions(GetParam(), Policy::Latest);
    for (const bool inGpu : {true, false}) {
        options.preview = parseUrl(listenAddressFor("shm"));
        Broadcast sender(options);
        ReceiverOptions watching = intoGpu(sender);
        watching.url = *options.preview;
        watching.copiesToDevice = false;
        watching.device = inGpu ? watching.device : nullptr;
        FrameReceiver viewer(watching);
        ASSERT_TRUE(eventually([&] { return sender.previewWatched(); }));
        const auto submit = [&](std::uint64_t number) {
            auto lease = ring.acquire(kLimit);
            std::vector<std::byte> bytes(format.payloadBytes);
            TestSource::fill(bytes.data(), bytes.size(), number);
            lease->write(bytes);
            FrameInfo info;
            info.pts = static_cast<std::int64_t>(number);
            sender.submitPreview(std::move(*lease).release(), format, info);
        };
        ReceivedFrame frame;
        const Counted driver = count();
        submit(1);
        ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
        EXPECT_TRUE(inGpu ? isWholeOnGpu(frame) : isWhole(frame));
        frame = {};
        const auto begin = std::chrono::steady_clock::now();
        constexpr std::uint64_t kFrames = 20;
        for (std::uint64_t number = 2; number < kFrames; ++number) {
            submit(number);
        }
        const auto copies = 1 + (std::chrono::steady_clock::now() - begin) / 200ms + 1;
        if (const auto did = driver.soFar()) {
            EXPECT_LE(did->toHost, inGpu ? 0 : static_cast<std::uint64_t>(copies) * format.payloadBytes);
        }
    }
}

TEST_P(GpuSharing, WhatIsHeldStaysWhenTheSenderIsGone) {
    ReceivedFrame frame;
    std::optional<FrameReceiver> viewer;
    {
        DevicePool ring = makeGpuRing(0, format.payloadBytes, 4);
        Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
        viewer.emplace(intoGpu(sender));
        ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
        ASSERT_EQ(sendFromGpu(sender, ring, format, 7), Status::Ok);
        ASSERT_EQ(viewer->receive(frame, kLimit), Status::Ok);
    }
    EXPECT_TRUE(isWholeOnGpu(frame));
    EXPECT_EQ(frame.info.pts, 7);
    frame = {};
    viewer.reset();
}

TEST_P(GpuSharing, WhenTheReceiverIsGoneItsSlotsComeBack) {
    DevicePool ring = makeGpuRing(0, format.payloadBytes, 2);
    Broadcast sender(senderOptions(GetParam(), Policy::Lossless));
    {
        FrameReceiver viewer(intoGpu(sender));
        ASSERT_EQ(sender.waitForReceiver(kLimit, Event()), Status::Ok);
        ASSERT_EQ(sendFromGpu(sender, ring, format, 0), Status::Ok);
        ReceivedFrame frame;
        ASSERT_EQ(viewer.receive(frame, kLimit), Status::Ok);
    }
    std::vector<DeviceLease> all;
    EXPECT_TRUE(eventually([&] {
        if (auto lease = ring.tryAcquire()) {
            all.push_back(std::move(*lease));
        }
        return all.size() == 2;
    }));
}

TEST_P(GpuSharingOverTheDouble, AHostileOfferIsRefused) {
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
    struct Nobody final : FrameHandler {
        void onOfferReady(RingId, std::span<const std::byte>) override {}
        FrameTarget beginFrame(RingId, std::uint32_t, const FrameInfo&) override { return {}; }
        void onFrame(RingId, std::uint32_t, const FrameInfo&) override {}
        void onFrameSent(std::uint32_t) override {}
    } nobody;
    source.frames->setHandler(&nobody);
    const auto host = FramePool::create({.slotBytes = 4096, .slotCount = 2});
    auto offered = [&, ring = RingId{0}](std::vector<std::uint64_t> said) mutable {
        source.frames->offer(++ring, host);
        return errorOf(ErrorKind::Peer, [&] {
            static_cast<void>(
                sink.frames->accept(ring, {host->slotBytes(), 2}, std::as_bytes(std::span(said))));
        });
    };
    constexpr std::uint64_t kKind = 0x56430301;
    EXPECT_TRUE(contains(offered({kKind, 2U << 20}), "more than were asked for"));
    sink.frames->useDevice(gpuAllocator(0));
    EXPECT_TRUE(contains(offered({kKind}), "with 8 bytes more"));
    EXPECT_TRUE(contains(offered({kKind + 1, 2U << 20}), "of a device"));
    EXPECT_TRUE(contains(offered({kKind, 8191}), "2 slots of 4096 bytes in 8191"));
    EXPECT_TRUE(contains(offered({kKind, ~0ULL}), "of a device"));
    EXPECT_TRUE(contains(offered({kKind, 8192}), "no whole blocks"));
    EXPECT_TRUE(contains(offered({kKind, 2U << 20}), "cuMemImportFromShareableHandle"))
        << "a memfd is no memory of a driver";
}

INSTANTIATE_TEST_SUITE_P(Over, GpuSharing, ::testing::ValuesIn(transportsThatShareMemory()), transportName);
INSTANTIATE_TEST_SUITE_P(Over, GpuSharingOverTheDouble, ::testing::ValuesIn(transportsThatShareMemory()),
                         transportName);

}  // namespace
}  // namespace verbcast::testing
