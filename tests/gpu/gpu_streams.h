// Streams from and into a GPU's memory, over the driver double.
#pragma once

#include <string>
#include <vector>

#include "core/gpu/gpu_memory.h"
#include "tests/gpu/double_control.h"
#include "tests/gpu/gpu_expectations.h"
#include "tests/session/core_support.h"
#include "tests/support/patience.h"

namespace verbcast::testing {

class GpuStreams : public OverTheDouble, public ::testing::WithParamInterface<TransportUnderTest> {
  protected:
    /// Soft-RoCE does not accept dma-bufs: there a GPU's memory is accessed by its address, as with
    /// nvidia-peermem.
    bool isDirect() const { return GetParam() == "verbs"; }
    void SetUp() override {
        OverTheDouble::SetUp();
        if (!IsSkipped()) {
            setPeermem(isDirect());
        }
    }
    void TearDown() override {
        if (!IsSkipped()) {
            setPeermem(false);
            setOrder(100, 1);
            setShares(0);
        }
        OverTheDouble::TearDown();
    }

    ReceiverOptions intoGpu(const Broadcast& sender) {
        ReceiverOptions options = receiverOptions(sender);
        options.device = gpuAllocator(0);
        return options;
    }

    ::testing::AssertionResult isWholeOnGpu(const ReceivedFrame& frame) {
        if (frame.lease.pool()->memory()->device() == nullptr) {
            return ::testing::AssertionFailure() << "it lies in main memory";
        }
        const std::byte* bytes = bytesAt(DeviceLease::of(frame.lease.share()).address());
        for (std::uint64_t i = 0; i + 8 <= frame.info.payloadBytes; i += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes + i, 8);
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
            if (HasFailure()) {
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
