// Streams from and into a GPU's memory.
#pragma once

#include <vector>

#include "core/gpu/gpu_memory.h"
#include "tests/core/gpu/gpu_expectations.h"
#include "tests/core/gpu/over_the_double.h"
#include "tests/core/session/core_support.h"
#include "tests/support/patience.h"

namespace verbcast::testing {

/// `Driver` is OverADriver or OverTheDouble.
template <typename Driver>
class GpuStreams : public Driver, public ::testing::WithParamInterface<TransportUnderTest> {
  protected:
    /// Whether RDMA devices reach the GPU's memory. Soft-RoCE does not accept dma-bufs: over the double that
    /// memory is accessed by its address, as with nvidia-peermem.
    bool isDirect() const { return GetParam() == "verbs" && (this->double_ || this->gpu_.directRdma); }
    void SetUp() override {
        Driver::SetUp();
        if (this->double_) {
            this->double_->setPeermem(isDirect());
        }
    }
    void TearDown() override {
        if (this->double_) {
            this->double_->setPeermem(false);
            this->double_->setOrder(100, 1);
            this->double_->setShares(0);
        }
        Driver::TearDown();
    }

    ReceiverOptions intoGpu(const Broadcast& sender) {
        ReceiverOptions options = receiverOptions(sender);
        options.device = gpuAllocator(0);
        return options;
    }

    ::testing::AssertionResult isWholeOnGpu(const ReceivedFrame& frame) const {
        if (frame.lease.pool()->memory()->device() == nullptr) {
            return ::testing::AssertionFailure() << "it lies in main memory";
        }
        const std::vector<std::byte> bytes =
            this->contentOf(DeviceLease::of(frame.lease.share()), frame.info.payloadBytes);
        for (std::uint64_t i = 0; i + 8 <= frame.info.payloadBytes; i += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, &bytes[i], 8);
            if (word != static_cast<std::uint64_t>(frame.info.pts)) {
                return ::testing::AssertionFailure()
                       << "frame " << frame.info.pts << " holds " << word << " at byte " << i;
            }
        }
        return ::testing::AssertionSuccess();
    }

    /// Receives and checks frames until the stream ends; returns how many there were.
    std::uint64_t receiveAll(FrameReceiver& viewer, std::uint64_t first = 0) {
        std::uint64_t count = 0;
        for (ReceivedFrame frame; viewer.receive(frame, kLimit) == Status::Ok; frame = {}) {
            EXPECT_EQ(frame.info.sequence, first + count);
            EXPECT_TRUE(isWholeOnGpu(frame));
            if (this->HasFailure()) {
                viewer.cancel();
            }
            ++count;
        }
        return count;
    }

    static void sendAll(TestSource& source, Broadcast& sender, std::uint64_t frames) {
        for (std::uint64_t sent = 0; sent < frames; ++sent) {
            ASSERT_EQ(source.send(sender), Status::Ok);
        }
        EXPECT_EQ(sender.finish("done", kLimit, Event()), Status::Ok);
    }

    /// Fills a slot and sends it.
    static Status sendFromGpu(Broadcast& sender, DevicePool& ring, const VideoFormat& format,
                              std::uint64_t number) {
        auto lease = ring.acquire(kLimit);
        if (!lease) {
            return Status::TimedOut;
        }
        std::vector<std::byte> bytes(format.payloadBytes);
        TestSource::fill(bytes.data(), bytes.size(), number);
        lease->write(bytes);
        FrameInfo info;
        info.pts = static_cast<std::int64_t>(number);
        return sender.submit(std::move(*lease).release(), format, info, Event());
    }

    const VideoFormat format = tightFormat(160, 120, PixelFormat::rgba);
};

}  // namespace verbcast::testing
