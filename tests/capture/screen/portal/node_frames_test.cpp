// Pictures of a PipeWire node that lie in dma-bufs: agreed on, passed on where they lie, copied where that
// cannot be, given back. In the guest with buffers of its virtual graphics card; elsewhere with a stand-in
// for them.
#include "capture/screen/portal/node_frames.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <stop_token>
#include <thread>

#include "core/memory/dma_buf.h"
#include "core/stream/broadcast.h"
#include "core/stream/frame_receiver.h"
#include "tests/capture/capture_next.h"
#include "tests/capture/screen/portal/buffer_maker.h"
#include "tests/capture/screen/portal/picture_producer.h"
#include "tests/capture/screen/portal/pipewire_daemon.h"
#include "tests/support/patience.h"
#include "tests/support/required_package.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/transport_under_test.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

// Nothing but the time that a test takes depends on it.
constexpr auto kNudge = 500ms;

/// "" if the frame is the producer's picture.
std::string difference(const CapturedFrame& frame, std::uint32_t seed) {
    const VideoFormat& format = frame.format;
    for (std::uint32_t y = 0; y < format.height; ++y) {
        for (std::uint32_t x = 0; x < format.width; ++x) {
            std::uint32_t pixel = 0;
            std::memcpy(&pixel,
                        frame.lease.data() + std::size_t{y} * format.planes[0].stride + std::size_t{x} * 4,
                        sizeof pixel);
            if ((pixel & 0xFFFFFFU) != PictureProducer::pixel(seed, x, y)) {
                return fmt::format("picture {} differs at {},{}: {:#x}", seed, x, y, pixel);
            }
        }
    }
    return {};
}

std::uint64_t inodeOf(const FrameLease& lease) {
    struct stat status {};
    ::fstat(lease.pool()->memory()->buffers()[lease.slot()].get(), &status);
    return status.st_ino;
}

bool liesInDmaBuf(const CapturedFrame& frame) {
    return !frame.lease.pool()->memory()->buffers().empty();
}

Revocation notRevoked() {
    return {.happened = [] { return false; }};
}

class NodeFramesTest : public ::testing::Test {
  protected:
    void SetUp() override {
        if (const std::string missing = PipeWireDaemon::missingPrograms(); !missing.empty()) {
            SKIP_FOR_WANT_OF_A_PACKAGE() << "a PipeWire of its own needs" << missing;
        }
        for (const char* variable : {"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOME"}) {
            ::setenv(variable, folder_.path().c_str(), 1);
        }
        daemon_ = std::make_unique<PipeWireDaemon>(folder_.path());
    }
    void TearDown() override {
        source_.reset();
        producer_.reset();
        EXPECT_FALSE(drewWhatWasRead_) << "the producer got a buffer back that was being read";
        refuseToSynchronise(false);
    }

    ProducerOptions desktop() {
        ProducerOptions options;
        options.makeBuffer = &makeDmaBuf;
        options.beforeDrawing = [this](int buffer) {
            drewWhatWasRead_ = drewWhatWasRead_ || isBeingRead(buffer);
        };
        return options;
    }
    void start(const ProducerOptions& options, ScreenMemoryChoice memory = ScreenMemoryChoice::DmaBuf) {
        passedOver_ = copiesPassedOver_ = 0;
        producer_ = std::make_unique<PictureProducer>(daemon_->connect(), options);
        SourceOptions wish;
        wish.unpaced = true;
        wish.slots = 4;
        wish.screenMemory = memory;
        source_ = std::make_unique<NodeFrames>(wish, daemon_->connect(), producer_->node());
    }
    CapturedFrame capture() {
        CapturedFrame frame;
        EXPECT_EQ(captureNext(*source_, frame, never_, notRevoked()), Status::Ok);
        EXPECT_EQ(formatProblem(frame.format), std::nullopt);
        return frame;
    }
    /// As capture(); meanwhile PipeWire gets occasions to deliver what it has left on its way.
    CapturedFrame captureDrawn() {
        std::jthread nudging([this](const std::stop_token& enough) {
            std::mutex mutex;
            std::condition_variable_any stopped;
            std::unique_lock lock(mutex);
            while (!stopped.wait_for(lock, enough, kNudge, [&] { return enough.stop_requested(); })) {
                producer_->nudge();
            }
        });
        return capture();
    }
    /// Takes the picture drawn last. Draws another one whenever the previous one is repeated instead:
    /// PipeWire drops pictures in buffers that are still on their way back, as several are after a consumer
    /// that was slow has returned them at once. Each picture takes one of them back.
    CapturedFrame captureLast(std::uint32_t oldest) {
        for (int tries = 0;; ++tries) {
            CapturedFrame frame = captureDrawn();
            const bool isRepeat = frame.changed.isNone();
            if (HasFailure() || tries == 100 || (!isRepeat && difference(frame, seed_).empty())) {
                EXPECT_EQ(difference(frame, seed_), "");
                return frame;
            }
            passedOver_ += 1;
            copiesPassedOver_ += liesInDmaBuf(frame) ? 0 : 1;
            if (isRepeat) {
                EXPECT_TRUE(producer_->draw(++seed_)) << "the producer has no buffer left";
                continue;
            }
            std::uint32_t drawn = oldest;
            while (drawn < seed_ && !difference(frame, drawn).empty()) {
                ++drawn;
            }
            EXPECT_LT(drawn, seed_) << "nobody has drawn that picture: " << difference(frame, seed_);
        }
    }
    /// Draws the next picture and takes it.
    CapturedFrame next() {
        EXPECT_TRUE(producer_->draw(++seed_)) << "the producer has no buffer left";
        return captureLast(seed_);
    }
    /// Draws until a picture comes through. While the two agree on something else, pictures are lost.
    CapturedFrame first() {
        const std::uint32_t oldest = seed_;
        std::jthread drawing([this](const std::stop_token& enough) {
            while (!enough.stop_requested()) {
                producer_->draw(++seed_);
            }
        });
        const CapturedFrame any = capture();
        drawing.request_stop();
        drawing.join();
        passedOver_ += 1;
        copiesPassedOver_ += liesInDmaBuf(any) ? 0 : 1;
        EXPECT_TRUE(producer_->draw(++seed_));
        return captureLast(oldest);
    }
    /// But for pictures that no test asked for.
    std::uint64_t frames() const { return source_->counters().frames - passedOver_; }
    std::uint64_t pixelCopies() const { return source_->counters().pixelCopies - copiesPassedOver_; }
    bool tells(const std::string& text) const {
        return std::ranges::any_of(
            source_->notes(), [&](const std::string& note) { return note.find(text) != std::string::npos; });
    }
    std::string notes() const { return fmt::format("{}", fmt::join(source_->notes(), "; ")); }

    TemporaryFolder folder_;
    std::unique_ptr<PipeWireDaemon> daemon_;
    std::unique_ptr<PictureProducer> producer_;
    std::unique_ptr<NodeFrames> source_;
    std::uint32_t seed_ = 0;
    std::uint64_t passedOver_ = 0, copiesPassedOver_ = 0;  // by captureLast() and first()
    std::atomic<bool> drewWhatWasRead_{false};
    Event never_;
};

/// Of the calling thread, so far.
std::chrono::nanoseconds processorTime() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

TEST_F(NodeFramesTest, TheFirstPictureIsWaitedForAsleep) {
    start(desktop());
    CapturedFrame frame;
    const auto before = processorTime();
    EXPECT_EQ(source_->capture(frame, never_, notRevoked()), Status::TimedOut);
    EXPECT_LT(processorTime() - before, std::chrono::milliseconds(500));
}

TEST_F(NodeFramesTest, PicturesStayInTheProducersBuffers) {
    start(desktop());
    for (int i = 0; i < 30; ++i) {
        const CapturedFrame frame = next();
        ASSERT_TRUE(liesInDmaBuf(frame));
        const std::vector<std::uint64_t> inodes = producer_->inodes();
        EXPECT_GE(inodes.size(), 10U) << "as many as were asked for";
        EXPECT_NE(std::ranges::find(inodes, inodeOf(frame.lease)), inodes.end());
        if (knowsReads()) {
            const UniqueFd& buffer = frame.lease.pool()->memory()->buffers()[frame.lease.slot()];
            EXPECT_TRUE(isBeingRead(buffer.get()));
        }
    }
    EXPECT_EQ(pixelCopies(), 0U);
    EXPECT_EQ(frames(), 30U);
    EXPECT_EQ(source_->notes(),
              std::vector<std::string>{"the pictures stay in the desktop's memory, as dma-bufs"});
}

TEST_F(NodeFramesTest, PaddedRowsStayToo) {
    ProducerOptions options = desktop();
    options.padding = 192;
    start(options);
    const CapturedFrame frame = next();
    EXPECT_TRUE(liesInDmaBuf(frame));
    EXPECT_EQ(frame.format.planes[0].stride, 64U * 4 + 192);
    EXPECT_EQ(source_->format(), frame.format);
}

TEST_F(NodeFramesTest, HeldPicturesAreNotDrawnOver) {
    start(desktop());
    std::vector<std::pair<std::uint32_t, CapturedFrame>> held;
    for (int round = 0; round < 40; ++round) {
        CapturedFrame frame = next();
        ASSERT_TRUE(liesInDmaBuf(frame)) << notes();
        held.emplace_back(seed_, std::move(frame));
        if (held.size() == 4) {
            for (const auto& [seed, kept] : held) {
                EXPECT_EQ(difference(kept, seed), "");
            }
            held.erase(held.begin() + round % 4);  // in any order
        }
    }
}

TEST_F(NodeFramesTest, ProducerThatRunsShortIsLeftItsBuffers) {
    start(desktop());
    std::vector<std::pair<std::uint32_t, CapturedFrame>> held;
    for (;;) {
        CapturedFrame frame = next();
        if (!liesInDmaBuf(frame)) {
            break;
        }
        ASSERT_LT(held.size(), producer_->bufferCount());
        held.emplace_back(seed_, std::move(frame));
    }
    EXPECT_GE(held.size(), 4U);
    EXPECT_TRUE(tells("some pictures are copied once, from the desktop's dma-bufs: too few of the desktop's"))
        << notes();
    for (int i = 0; i < 20; ++i) {
        EXPECT_FALSE(liesInDmaBuf(next()));
    }
    EXPECT_EQ(pixelCopies(), 21U);
    for (const auto& [seed, kept] : held) {
        EXPECT_EQ(difference(kept, seed), "");
    }
    held.clear();
    int copied = 0;
    for (; copied < 200 && !liesInDmaBuf(next()); ++copied) {
    }
    EXPECT_LT(copied, 100) << "it has buffers again";
    EXPECT_GT(copied, 10) << "viewers would have to learn of another ring all the time";
}

/// Its pictures are then taken while they are whole.
TEST_F(NodeFramesTest, ProducerThatDrawsOverHeldPicturesIsCopiedFrom) {
    ProducerOptions options = desktop();
    options.ignoresUsers = true;
    options.beforeDrawing = [](int) {};
    start(options);
    const CapturedFrame held = next();
    const std::string note = "each picture is copied once, from the desktop's dma-bufs: the desktop may draw";
    for (int i = 0; i < 40 && !tells(note); ++i) {
        ASSERT_TRUE(producer_->draw(++seed_));
        capture();
    }
    ASSERT_TRUE(tells(note)) << notes();
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(producer_->draw(++seed_));
        EXPECT_FALSE(liesInDmaBuf(capture()));
    }
}

TEST_F(NodeFramesTest, FewBuffersAreCopiedFrom) {
    ProducerOptions options = desktop();
    options.most = 3;
    options.padding = 64;
    start(options);
    for (int i = 0; i < 10; ++i) {
        EXPECT_FALSE(liesInDmaBuf(next()));
    }
    EXPECT_EQ(producer_->bufferCount(), 3U);
    EXPECT_EQ(pixelCopies(), 10U);
    EXPECT_TRUE(tells("each picture is copied once, from the desktop's dma-bufs: the desktop has 3 buffers"))
        << notes();
}

TEST_F(NodeFramesTest, PictureThatDoesNotBeginTheBufferIsCopied) {
    ProducerOptions options = desktop();
    options.offset = 4096;
    start(options);
    EXPECT_FALSE(liesInDmaBuf(next()));
    EXPECT_TRUE(tells("a part of its buffer")) << notes();
}

TEST_F(NodeFramesTest, StillPictureIsRepeatedByACopy) {
    start(desktop());
    const CapturedFrame frame = next();
    const CapturedFrame again = capture();
    EXPECT_TRUE(again.changed.isNone());
    EXPECT_FALSE(liesInDmaBuf(again));
    EXPECT_EQ(difference(again, seed_), "");
    EXPECT_EQ(pixelCopies(), 1U);
    EXPECT_TRUE(liesInDmaBuf(next()));
}

TEST_F(NodeFramesTest, NewSizeComesInNewBuffers) {
    start(desktop());
    const CapturedFrame held = next();
    const std::uint32_t heldSeed = seed_;
    const auto ring = held.lease.pool();
    producer_->resize(80, 40);
    const CapturedFrame frame = first();
    EXPECT_EQ(frame.format.width, 80U);
    EXPECT_TRUE(liesInDmaBuf(frame));
    EXPECT_NE(frame.lease.pool(), ring);
    EXPECT_EQ(difference(held, heldSeed), "") << "its memory stays";
    for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(liesInDmaBuf(next()));
    }
}

TEST_F(NodeFramesTest, PicturesOutliveTheirProducer) {
    start(desktop());
    CapturedFrame held = next();
    producer_.reset();
    CapturedFrame frame;
    Status status = Status::Ok;
    while (status == Status::Ok) {  // the last picture may be repeated
        status = captureNext(*source_, frame, never_, notRevoked());
    }
    EXPECT_EQ(status, Status::Closed);
    EXPECT_EQ(difference(held, seed_), "");
    source_.reset();
    EXPECT_EQ(difference(held, seed_), "");
    std::jthread([&] { held.lease.reset(); }).join();
}

TEST_F(NodeFramesTest, LeasesEndOnAnyThreadWhileTheSourceEnds) {
    for (int round = 0; round < 5; ++round) {
        start(desktop());
        std::vector<CapturedFrame> held;
        for (int i = 0; i < 4; ++i) {
            held.push_back(next());
        }
        std::jthread dropping([&] { held.clear(); });
        source_.reset();
        dropping.join();
        producer_.reset();
    }
}

TEST_F(NodeFramesTest, ProducerOfSharedMemoryIsCopiedFrom) {
    ProducerOptions options = desktop();
    options.offersDmaBufs = false;
    start(options);
    EXPECT_FALSE(liesInDmaBuf(next()));
    EXPECT_EQ(pixelCopies(), 1U);
    EXPECT_EQ(source_->notes(), std::vector<std::string>{
                                    "each picture is copied once: the desktop offers no dma-bufs that can be "
                                    "read row by row"});
}

TEST_F(NodeFramesTest, TiledPicturesAreNotAskedFor) {
    ProducerOptions options = desktop();
    options.modifier = 0x0100000000000001;  // I915_FORMAT_MOD_X_TILED
    start(options);
    EXPECT_FALSE(producer_->inDmaBufs());
    EXPECT_FALSE(liesInDmaBuf(next()));
}

TEST_F(NodeFramesTest, DmaBufsAreTakenOnlyIfWanted) {
    for (const ScreenMemoryChoice memory : {ScreenMemoryChoice::Best, ScreenMemoryChoice::Copy}) {
        start(desktop(), memory);
        EXPECT_FALSE(producer_->inDmaBufs());
        EXPECT_FALSE(liesInDmaBuf(next()));
        EXPECT_EQ(tells("each picture is copied once: asked for"), memory == ScreenMemoryChoice::Copy);
        source_.reset();
        producer_.reset();
    }
}

TEST_F(NodeFramesTest, ProducerMayWithdrawItsOffer) {
    ProducerOptions options = desktop();
    options.withdraws = true;
    start(options);
    EXPECT_FALSE(liesInDmaBuf(first()));
    EXPECT_FALSE(producer_->inDmaBufs());
    EXPECT_TRUE(tells("offers no dma-bufs")) << notes();
}

/// Memory that its owner could shrink while it is read.
TEST_F(NodeFramesTest, WhatIsNoDmaBufIsRefused) {
    ProducerOptions options = desktop();
    options.makeBuffer = [](std::uint64_t bytes) {
        UniqueFd memory(::memfd_create("no-dma-buf", MFD_CLOEXEC));
        EXPECT_EQ(::ftruncate(memory.get(), static_cast<off_t>(bytes)), 0);
        return memory;
    };
    start(options);
    EXPECT_FALSE(liesInDmaBuf(first()));
    EXPECT_FALSE(producer_->inDmaBufs());
    EXPECT_TRUE(tells("the desktop's dma-bufs cannot be used: one of them is no dma-buf of this kernel"))
        << notes();
    next();
}

TEST_F(NodeFramesTest, BuffersOfAnotherSizeThanThePicturesAreRefused) {
    constexpr std::uint64_t kMuch = 32U << 20U;
    ProducerOptions options = desktop();
    options.makeBuffer = [](std::uint64_t) { return makeDmaBuf(kMuch); };
    start(options);
    EXPECT_FALSE(liesInDmaBuf(first()));
    EXPECT_TRUE(tells("they hold 33554432 bytes for pictures of 12288")) << notes();
}

TEST_F(NodeFramesTest, KernelThatDoesNotSynchroniseIsRefused) {
    if (!knowsReads()) {
        return;  // only the stand-in can refuse
    }
    refuseToSynchronise(true);
    start(desktop());
    EXPECT_FALSE(liesInDmaBuf(first()));
    EXPECT_TRUE(tells("the desktop's dma-bufs cannot be used: DMA_BUF_IOCTL_SYNC: Invalid argument"))
        << notes();
}

/// A viewer on this machine gets the same buffers.
TEST_F(NodeFramesTest, ViewersOfThisMachineGetTheProducersBuffers) {
    start(desktop());
    SenderOptions sending;
    sending.url = parseUrl(listenAddressFor("shm"));
    sending.policy = Policy::Lossless;
    sending.peerTimeout = kPatience;
    Broadcast sender(sending);
    ReceiverOptions receiving;
    receiving.url = parseUrl(sender.listenAddresses().front());
    receiving.peerTimeout = kPatience;
    FrameReceiver viewer(receiving);
    ASSERT_EQ(sender.waitForReceiver(kPatience, never_), Status::Ok);
    for (int i = 0; i < 30; ++i) {
        CapturedFrame frame = next();
        ASSERT_TRUE(liesInDmaBuf(frame)) << notes();
        const std::uint64_t sentFrom = inodeOf(frame.lease);
        ASSERT_EQ(sender.submit(std::move(frame.lease), frame.format, FrameInfo{}, never_), Status::Ok);
        ReceivedFrame received;
        ASSERT_EQ(viewer.receive(received, kPatience), Status::Ok);
        ASSERT_FALSE(received.lease.pool()->memory()->buffers().empty());
        EXPECT_EQ(inodeOf(received.lease), sentFrom);
        CapturedFrame got;
        got.format = *received.format;
        got.lease = std::move(received.lease);
        EXPECT_EQ(difference(got, seed_), "");
    }
    EXPECT_EQ(sender.stats().bytesCopied, 0U);
}

}  // namespace
}  // namespace verbcast::testing
