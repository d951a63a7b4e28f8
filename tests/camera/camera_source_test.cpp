// Cameras with a real driver: layouts, leases, and unplugging.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <thread>

#include "capture/camera/v4l2_device.h"
#include "capture/camera/v4l2_source.h"
#include "core/video/frame_md5.h"
#include "tests/camera/camera_bars.h"
#include "tests/camera/virtual_cameras.h"
#include "tests/capture/capture_next.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kWidth = 320;
constexpr std::uint32_t kHeight = 180;

SourceOptions small(const std::string& path, std::optional<PixelFormat> format = {}) {
    return {.source = path, .pixelFormat = format, .width = kWidth, .height = kHeight, .slots = 4};
}

/// Captures the next frame; fails the test if there is none.
CapturedFrame next(FrameSource& source) {
    const Event never;
    CapturedFrame frame;
    EXPECT_EQ(captureNext(source, frame, never), Status::Ok);
    return frame;
}

bool says(const FrameSource& source, const std::string& text) {
    const std::vector<std::string> notes = source.notes();
    return std::any_of(notes.begin(), notes.end(),
                       [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

std::string contentOf(const CapturedFrame& frame) {
    return frameMd5(frame.format, frame.lease.data());
}

/// Captures a picture in the current mode and copies it out of the device's memory. The stream ends with the
/// device.
std::vector<std::byte> takePicture(V4l2Device& device, const Event& never) {
    EXPECT_GT(device.requestBuffers(CameraMemory::Mapped, 2), 1U);
    EXPECT_TRUE(device.queue(0) && device.queue(1) && device.startStreaming()) << device.problem().what();
    FilledBuffer filled;
    Status status;
    while ((status = device.dequeue(filled)) == Status::TimedOut) {
        waitReadable({device.descriptor(), never.descriptor()}, Deadline::never());
    }
    EXPECT_EQ(status, Status::Ok) << device.problem().what();
    EXPECT_FALSE(filled.damaged);
    const auto memory = device.mapped(filled.index);
    std::vector<std::byte> picture(memory.begin(), memory.end());
    return picture;
}

TEST(CameraDevice, EveryFormatShowsTheBarsAsItsDriverDrawsThem) {
    const Event never;
    for (const VirtualCamera& camera : virtualCameras()) {
        std::set<std::uint32_t> seen;
        std::set<PixelFormat> formats;
        for (const CameraMode& mode : V4l2Device(camera.path).modes()) {
            if (!mode.pixelFormat || !seen.insert(mode.fourCc).second) {
                continue;
            }
            SCOPED_TRACE(camera.bus + " " + fourCcText(mode.fourCc));
            formats.insert(*mode.pixelFormat);
            V4l2Device device(camera.path);
            const CameraPicture set =
                device.setMode({mode.fourCc, *mode.pixelFormat, kWidth, kHeight, Rational{30, 1}, {}});
            ASSERT_EQ(set.width, kWidth);
            const VideoFormat format = cameraVideoFormat(set, device.rate());
            std::vector<std::byte> picture = takePicture(device, never);
            ASSERT_GE(picture.size(), format.payloadBytes);
            picture.resize(picture.size() + PictureConverter::kOverrunBytes);
            expectBars(format, picture.data());
        }
        for (const PixelFormat format : {PixelFormat::yuyv422, PixelFormat::uyvy422, PixelFormat::nv12,
                                         PixelFormat::yuv420p, PixelFormat::yuv422p, PixelFormat::rgb24,
                                         PixelFormat::bgra, PixelFormat::rgba, PixelFormat::gray}) {
            EXPECT_TRUE(formats.contains(format)) << pixelFormatName(format) << " was not tried";
        }
    }
}

TEST(CameraSource, PicturesLieInTheRingAndCarryTheCamerasTime) {
    bool direct = false;
    bool shared = false;
    for (const VirtualCamera& camera : virtualCameras()) {
        SCOPED_TRACE(camera.bus);
        SourceOptions options = small(camera.path, PixelFormat::uyvy422);
        options.frameRate = Rational{30, 1};
        const auto source = openSource(options);
        EXPECT_TRUE(source->isLive());
        EXPECT_TRUE(source->pacesItself());
        EXPECT_EQ(source->format().width, kWidth);
        EXPECT_EQ(source->format().height, kHeight);
        EXPECT_EQ(source->format().pixelFormat, PixelFormat::uyvy422);
        EXPECT_EQ(source->format().frameRate.value(), 30);
        const TimestampNs begin = nowNs();
        std::vector<std::int64_t> pts;
        for (int i = 0; i < 10; ++i) {
            CapturedFrame frame = next(*source);
            expectBars(frame.format, frame.lease.data());
            EXPECT_GE(frame.capturedAt, begin - 1'000'000'000);
            EXPECT_LE(frame.capturedAt, nowNs());
            EXPECT_EQ(frame.flags, 0U);
            EXPECT_TRUE(pts.empty() || frame.pts > pts.back());
            pts.push_back(frame.pts);
        }
        // Not faster than the nominal rate: pictures may be late but not early.
        EXPECT_EQ(pts.front(), 0);
        EXPECT_GE(pts.back(), 8 * 1'000'000 / 30);
        const SourceCounters counters = source->counters();
        EXPECT_EQ(counters.frames, 10U);
        EXPECT_EQ(counters.framesDamaged, 0U);
        EXPECT_EQ(counters.pixelCopies, 0U);
        const bool inDmaBufs = says(*source, "as dma-bufs");
        EXPECT_EQ(!next(*source).lease.pool()->memory()->buffers().empty(), inDmaBufs);
        (inDmaBufs ? shared : direct) = true;
    }
    EXPECT_TRUE(direct);
    // The second camera of the guest cannot write into our memory.
    EXPECT_EQ(shared, virtualCameras().size() > 1);
}

TEST(CameraSource, HeldFramesStayAsTheyAre) {
    for (const VirtualCamera& camera : virtualCameras()) {
        SCOPED_TRACE(camera.bus);
        const auto source = openSource(small(camera.path));
        std::vector<CapturedFrame> held;
        std::vector<std::string> contents;
        for (int i = 0; i < 3; ++i) {
            held.push_back(next(*source));
            contents.push_back(contentOf(held.back()));
        }
        for (int i = 0; i < 8; ++i) {
            next(*source);
        }
        for (std::size_t i = 0; i < held.size(); ++i) {
            EXPECT_EQ(contentOf(held[i]), contents[i]);
        }
    }
}

TEST(CameraSource, GoesOnWhenAllFramesWereHeld) {
    for (const VirtualCamera& camera : virtualCameras()) {
        SCOPED_TRACE(camera.bus);
        const auto source = openSource(small(camera.path));
        std::vector<CapturedFrame> held;
        held.push_back(next(*source));
        while (held.size() < held.front().lease.pool()->slotCount()) {
            held.push_back(next(*source));
        }
        CapturedFrame frame;
        Event cancel;
        std::jthread canceller([&] { cancel.notify(); });
        EXPECT_EQ(source->capture(frame, cancel), Status::Cancelled);
        // A few pictures find no free buffer; the camera's sequence numbers show how many.
        std::this_thread::sleep_for(300ms);
        held.clear();
        for (int i = 0; i < 6; ++i) {
            next(*source);  // starts with those that fitted into the driver's own memory
        }
        EXPECT_GE(source->counters().framesLost, 1U);
    }
}

TEST(CameraSource, WhatWaitedThroughAPauseIsNotShown) {
    const auto source = openSource(small(virtualCameras().front().path));
    next(*source);
    // The device's buffers fill up long before the pause ends.
    std::this_thread::sleep_for(2s);
    const TimestampNs end = nowNs();
    EXPECT_GT(next(*source).capturedAt, end - 700'000'000);
}

TEST(CameraSource, ReturnsInTheSameModeAfterItWasUnplugged) {
    const std::string path = virtualCameras().front().path;
    const auto source = openSource(small(path, PixelFormat::nv12));
    const VideoFormat before = next(*source).format;
    const Event never;
    CapturedFrame frame;
    Unplugged plug;
    Status status = Status::Ok;
    for (int i = 0; i < 100 && status == Status::Ok; ++i) {
        status = source->capture(frame, never);  // pictures captured before unplugging
    }
    ASSERT_EQ(status, Status::TimedOut);
    ASSERT_FALSE(source->notes().empty());
    EXPECT_NE(source->notes().back().find(path), std::string::npos);
    EXPECT_NE(source->notes().back().find("waiting for it to come back"), std::string::npos);
    {
        Event cancel;
        std::jthread canceller([&] { cancel.notify(); });
        EXPECT_EQ(source->capture(frame, cancel), Status::Cancelled);
    }
    std::jthread helper([&] { plug.plugIn(); });
    ASSERT_EQ(captureNext(*source, frame, never), Status::Ok);
    EXPECT_EQ(frame.format, before);
    EXPECT_NE(source->notes().back().find("is back after"), std::string::npos);
    expectBars(frame.format, frame.lease.data());
}

TEST(CameraSource, OneInUseIsRefusedInWords) {
    const std::string path = virtualCameras().front().path;
    const auto first = openSource(small(path));
    next(*first);
    try {
        openSource(small(path));
        FAIL() << "two programs had the camera";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Device);
        EXPECT_NE(std::string(error.what()).find(path + " is in use by another program"), std::string::npos)
            << error.what();
        EXPECT_NE(error.remedy().find("fuser"), std::string::npos);
    }
    next(*first);
}

TEST(CameraSource, RefusedPermissionNamesTheGroup) {
    const std::string path = virtualCameras().front().path;
    ASSERT_EQ(::geteuid(), 0U);
    ASSERT_EQ(::seteuid(65534), 0);
    std::optional<Error> refused;
    try {
        openSource(small(path));
    } catch (const Error& error) {
        refused = error;
    }
    ASSERT_EQ(::seteuid(0), 0);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->kind(), ErrorKind::Device);
    EXPECT_NE(std::string(refused->what()).find("permission to use the camera " + path), std::string::npos);
    EXPECT_NE(refused->remedy().find("usermod -aG video"), std::string::npos);
}

TEST(CameraSource, FirstCameraIsTakenWhenNoneIsNamed) {
    const auto source = openSource(small("v4l2"));
    EXPECT_NE(source->describe().find(virtualCameras().front().path), std::string::npos);
    next(*source);
}

}  // namespace
}  // namespace verbcast::testing
