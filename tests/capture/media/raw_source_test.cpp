#include "capture/media/raw_source.h"

#include <unistd.h>

#include <future>
#include <thread>

#include "core/base/os/unique_fd.h"
#include "core/video/frame_md5.h"
#include "tests/capture/ffmpeg_reference.h"
#include "tests/support/kernel_pipe.h"

namespace verbcast::testing {
namespace {

void writeAll(int descriptor, const std::byte* data, std::size_t bytes, std::size_t chunk) {
    while (bytes > 0) {
        const ssize_t written = ::write(descriptor, data, std::min(bytes, chunk));
        ASSERT_GT(written, 0);
        data += written;
        bytes -= static_cast<std::size_t>(written);
    }
}

std::vector<std::byte> countingBytes(std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) {
        bytes[i] = static_cast<std::byte>(i * 31 + (i >> 8));
    }
    return bytes;
}

SourceOptions rawOptions(PixelFormat format) {
    return {.source = "-", .pixelFormat = format, .width = 50, .height = 31, .slots = 2};
}

TEST(RawSource, FramesFromATricklingWriter) {
    for (const PixelFormat format : {PixelFormat::yuv420p, PixelFormat::v210, PixelFormat::rgb24}) {
        KernelPipe pipe;
        RawSource source(rawOptions(format), pipe.reading.get(), "a pipe");
        const VideoFormat layout = tightFormat(50, 31, format);
        EXPECT_EQ(source.format().payloadBytes, layout.payloadBytes);
        const auto bytes = countingBytes(layout.payloadBytes * 5);
        std::jthread writer([&] {
            writeAll(pipe.writing.get(), bytes.data(), bytes.size(), 997);
            pipe.writing.reset();
        });
        const auto sums = takeSums(source);
        ASSERT_EQ(sums.size(), 5U);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            EXPECT_EQ(sums[i].pts, static_cast<std::int64_t>(i));
            EXPECT_EQ(sums[i].md5, frameMd5(layout, bytes.data() + i * layout.payloadBytes));
        }
        EXPECT_EQ(source.counters().frames, 5U);
        EXPECT_EQ(source.counters().framesDamaged, 0U);
        EXPECT_TRUE(source.notes().empty());
    }
}

TEST(RawSource, PartialLastFrameIsReported) {
    KernelPipe pipe;
    RawSource source(rawOptions(PixelFormat::gray), pipe.reading.get(), "a pipe");
    const auto bytes = countingBytes(50 * 31 * 2 + 700);
    writeAll(pipe.writing.get(), bytes.data(), bytes.size(), bytes.size());
    pipe.writing.reset();
    EXPECT_EQ(takeSums(source).size(), 2U);
    EXPECT_EQ(source.counters().frames, 2U);
    EXPECT_EQ(source.counters().framesDamaged, 1U);
    ASSERT_EQ(source.notes().size(), 1U);
    EXPECT_EQ(source.notes()[0], "a pipe ended in the middle of frame 2: 700 of 1550 bytes");
    const Event never;
    CapturedFrame frame;
    EXPECT_EQ(source.capture(frame, never), Status::Closed);
    EXPECT_EQ(source.counters().framesDamaged, 1U);
}

TEST(RawSource, CancelWakesAndNothingIsLost) {
    KernelPipe pipe;
    RawSource source(rawOptions(PixelFormat::gray), pipe.reading.get(), "a pipe");
    const auto bytes = countingBytes(50 * 31);
    writeAll(pipe.writing.get(), bytes.data(), 700, 700);
    Event cancel;
    CapturedFrame frame;
    auto waiting = std::async(std::launch::async, [&] { return source.capture(frame, cancel); });
    EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    cancel.notify();
    EXPECT_EQ(waiting.get(), Status::Cancelled);
    cancel.clear();
    writeAll(pipe.writing.get(), bytes.data() + 700, bytes.size() - 700, bytes.size());
    ASSERT_EQ(source.capture(frame, cancel), Status::Ok);
    EXPECT_EQ(sumOf(frame).md5, frameMd5(tightFormat(50, 31, PixelFormat::gray), bytes.data()));
}

TEST(RawSource, WaitsForAFreeSlot) {
    KernelPipe pipe;
    RawSource source(rawOptions(PixelFormat::gray), pipe.reading.get(), "a pipe");
    const auto bytes = countingBytes(50 * 31 * 3);
    writeAll(pipe.writing.get(), bytes.data(), bytes.size(), bytes.size());
    Event cancel;
    CapturedFrame first, second, third;
    ASSERT_EQ(source.capture(first, cancel), Status::Ok);
    ASSERT_EQ(source.capture(second, cancel), Status::Ok);
    auto waiting = std::async(std::launch::async, [&] { return source.capture(third, cancel); });
    EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    first.lease.reset();
    EXPECT_EQ(waiting.get(), Status::Ok);
    EXPECT_EQ(third.pts, 2);
}

TEST(RawSource, WhatWasReadAheadComesFirst) {
    const VideoFormat layout = tightFormat(50, 31, PixelFormat::gray);
    const auto bytes = countingBytes(layout.payloadBytes * 3);
    // Less than a frame, whole frames, and more than whole frames.
    for (const std::size_t ahead : {std::size_t{11}, layout.payloadBytes * 2, layout.payloadBytes * 2 + 5}) {
        SCOPED_TRACE(ahead);
        KernelPipe pipe;
        const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
        RawSource source(rawOptions(PixelFormat::gray), pipe.reading.get(), "a pipe", {first, first + ahead});
        writeAll(pipe.writing.get(), bytes.data() + ahead, bytes.size() - ahead, bytes.size());
        pipe.writing.reset();
        const auto sums = takeSums(source);
        ASSERT_EQ(sums.size(), 3U);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            EXPECT_EQ(sums[i].md5, frameMd5(layout, bytes.data() + i * layout.payloadBytes));
        }
    }
}

TEST(RawSource, NeedsSizeAndFormat) {
    for (const SourceOptions& options :
         {SourceOptions{.source = "-"}, SourceOptions{.source = "-", .width = 64, .height = 48},
          SourceOptions{.source = "-", .pixelFormat = PixelFormat::rgba, .width = 64},
          SourceOptions{.source = "-", .pixelFormat = PixelFormat::rgba, .width = 64, .height = 1'000'000}}) {
        try {
            RawSource(options, -1, "a pipe");
            ADD_FAILURE() << "opened";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Usage);
        }
    }
}

}  // namespace
}  // namespace verbcast::testing
