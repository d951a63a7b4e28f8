// Where camera pictures are stored: in our ring, in the driver's dma-bufs, or copied; and what viewers get.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "capture/camera/v4l2_source.h"
#include "core/memory/dma_buf.h"
#include "core/stream/broadcast.h"
#include "core/stream/frame_receiver.h"
#include "core/video/frame_md5.h"
#include "tests/camera/camera_bars.h"
#include "tests/camera/virtual_cameras.h"
#include "tests/capture/capture_next.h"
#include "tests/support/patience.h"
#include "tests/support/transport_under_test.h"

namespace verbcast::testing {
namespace {

SourceOptions placed(const std::string& path, CameraMemoryChoice memory) {
    return {.source = path,
            .pixelFormat = PixelFormat::yuyv422,
            .width = 320,
            .height = 180,
            .cameraMemory = memory,
            .slots = 4};
}

CapturedFrame captured(FrameSource& source) {
    const Event never;
    CapturedFrame frame;
    EXPECT_EQ(captureNext(source, frame, never), Status::Ok);
    return frame;
}

std::string sumOf(const CapturedFrame& frame) {
    return frameMd5(frame.format, frame.lease.data());
}

bool tells(const FrameSource& source, const std::string& text) {
    const std::vector<std::string> notes = source.notes();
    return std::any_of(notes.begin(), notes.end(),
                       [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

TEST(CameraBuffers, PicturesLieWhereAskedForOrAreCopiedWithTheReason) {
    const bool second = virtualCameras().size() > 1;
    for (const VirtualCamera& camera : virtualCameras()) {
        SCOPED_TRACE(camera.bus);
        const bool writesIntoOurs = !second || camera.path != virtualCameras()[1].path;
        for (const CameraMemoryChoice choice :
             {CameraMemoryChoice::Ring, CameraMemoryChoice::DmaBuf, CameraMemoryChoice::Copy}) {
            const auto source = openSource(placed(camera.path, choice));
            for (int i = 0; i < 10; ++i) {
                const CapturedFrame frame = captured(*source);
                expectBars(frame.format, frame.lease.data());
            }
            const bool copies =
                choice == CameraMemoryChoice::Copy || (choice == CameraMemoryChoice::Ring && !writesIntoOurs);
            EXPECT_EQ(source->counters().pixelCopies, copies ? 10U : 0U);
            EXPECT_EQ(tells(*source, "each picture is copied once: asked for"),
                      choice == CameraMemoryChoice::Copy);
            EXPECT_EQ(tells(*source, "copied once: the driver vivid cannot write into the frame ring"),
                      choice == CameraMemoryChoice::Ring && !writesIntoOurs);
            EXPECT_EQ(tells(*source, "stay in the memory of the driver vivid, as dma-bufs"),
                      choice == CameraMemoryChoice::DmaBuf);
        }
    }
}

TEST(CameraBuffers, DmaBufsOutliveTheCameraAndItsNextStream) {
    const SourceOptions options = placed(virtualCameras().front().path, CameraMemoryChoice::DmaBuf);
    auto source = openSource(options);
    const CapturedFrame kept = captured(*source);
    const std::string before = sumOf(kept);
    ASSERT_TRUE(dmaBufBytes(kept.lease.pool()->memory()->buffers()[kept.lease.slot()].get()));
    for (int i = 0; i < 20; ++i) {
        captured(*source);
    }
    EXPECT_EQ(sumOf(kept), before) << "the device does not write into a slot that is held";
    source.reset();
    source = openSource(options);
    captured(*source);
    EXPECT_EQ(sumOf(kept), before);
}

/// A sender and its viewer.
struct Stream {
    explicit Stream(const std::string& transport) : sender(sending(transport)), viewer(receiving(sender)) {
        EXPECT_EQ(sender.waitForReceiver(kPatience, never), Status::Ok);
    }
    static SenderOptions sending(const std::string& transport) {
        SenderOptions options;
        options.url = parseUrl(listenAddressFor(transport));
        options.policy = Policy::Lossless;
        options.peerTimeout = kPatience;
        return options;
    }
    static ReceiverOptions receiving(const Broadcast& sender) {
        ReceiverOptions options;
        options.url = parseUrl(sender.listenAddresses().front());
        options.peerTimeout = kPatience;
        return options;
    }
    ReceivedFrame pass(CapturedFrame frame) {
        EXPECT_EQ(sender.submit(std::move(frame.lease), frame.format, FrameInfo{}, never), Status::Ok);
        ReceivedFrame received;
        EXPECT_EQ(viewer.receive(received, kPatience), Status::Ok);
        return received;
    }

    const Event never;
    Broadcast sender;
    FrameReceiver viewer;
};

/// A viewer on this machine gets the same buffers, identified by their inodes.
TEST(CameraBuffers, DmaBufsReachViewersOfThisMachine) {
    const auto source = openSource(placed(virtualCameras().back().path, CameraMemoryChoice::DmaBuf));
    Stream stream("shm");
    const auto inode = [](const FrameLease& lease) {
        struct stat status {};
        ::fstat(lease.pool()->memory()->buffers()[lease.slot()].get(), &status);
        return status.st_ino;
    };
    for (int i = 0; i < 10; ++i) {
        CapturedFrame frame = captured(*source);
        const std::string sent = sumOf(frame);
        const ino_t sentFrom = inode(frame.lease);
        const ReceivedFrame received = stream.pass(std::move(frame));
        ASSERT_TRUE(received.lease);
        ASSERT_FALSE(received.lease.pool()->memory()->buffers().empty());
        EXPECT_EQ(inode(received.lease), sentFrom);
        EXPECT_EQ(frameMd5(*received.format, received.lease.data()), sent);
    }
    EXPECT_EQ(stream.sender.stats().bytesCopied, 0U);
}

/// For dma-bufs made of pages (vmalloc), and for physical memory without pages that the kernel could pin
/// (dma-contig).
TEST(CameraBuffers, DmaBufsArriveWholeOverEveryTransport) {
    for (const std::string& transport : schemesUnderTest()) {
        for (const VirtualCamera& camera : virtualCameras()) {
            SCOPED_TRACE(transport + " " + camera.bus);
            const auto source = openSource(placed(camera.path, CameraMemoryChoice::DmaBuf));
            Stream stream(transport);
            for (int i = 0; i < 3; ++i) {
                CapturedFrame frame = captured(*source);
                const std::string sent = sumOf(frame);
                const ReceivedFrame received = stream.pass(std::move(frame));
                ASSERT_TRUE(received.lease);
                EXPECT_EQ(frameMd5(*received.format, received.lease.data()), sent);
            }
        }
    }
}

}  // namespace
}  // namespace verbcast::testing
