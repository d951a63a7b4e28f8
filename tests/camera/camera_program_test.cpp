// The program with a camera: listing, sending, refusing, unplugging.
#include <cstdlib>

#include "tests/camera/virtual_cameras.h"
#include "tests/support/transport_under_test.h"
#include "tests/support/verbcast_program.h"

namespace verbcast::testing {
namespace {

class CameraProgram : public ProgramTest {
  protected:
    Arguments sendArguments(const Arguments& more) const {
        Arguments arguments{"send",        virtualCameras().front().path,
                            "--listen",    listenAddressFor("shm"),
                            "--once",      "--policy",
                            "lossless",    "--frame-md5",
                            file("sent"),  "--stats-json",
                            file("sender")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    Arguments viewArguments(const std::string& address) const {
        return {"view",        "--headless",     address,        "--once",
                "--frame-md5", file("received"), "--stats-json", file("viewer")};
    }
};

TEST_F(CameraProgram, DevicesAreListedWithTheirModes) {
    Verbcast program({"devices"}, home_);
    EXPECT_TRUE(endsWith(program, 0));
    for (const auto& camera : virtualCameras()) {
        EXPECT_TRUE(
            holds(program.output(), "\n  " + camera.path + "  vivid  (driver vivid, " + camera.bus + ")\n"));
    }
    EXPECT_TRUE(holds(program.output(), "\n    YUYV as yuyv422: 320x180 (1 to "));
    EXPECT_TRUE(holds(program.output(), "1920x1080 ("));
    EXPECT_TRUE(holds(program.output(), "\n    cannot be sent: "));
    // Output and metadata nodes of the same driver are not cameras.
    std::size_t cameras = 0;
    for (std::size_t at = 0; (at = program.output().find("/dev/video", at)) != std::string::npos; ++at) {
        ++cameras;
    }
    EXPECT_EQ(cameras, virtualCameras().size());
}

TEST_F(CameraProgram, ArrivesWhole) {
    Verbcast sender(
        sendArguments({"--size", "320x180", "--format", "uyvy422", "--fps", "30", "--frames", "20"}), home_);
    Verbcast viewer(viewArguments(sender.listenAddress()), home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    const auto sent = frameSums(file("sent"));
    EXPECT_EQ(sent.size(), 20U);
    EXPECT_EQ(frameSums(file("received")), sent);
    const auto json = readJson(file("viewer"));
    EXPECT_EQ(json["width"], 320);
    EXPECT_EQ(json["height"], 180);
    EXPECT_EQ(json["pixel_format"], "uyvy422");
    EXPECT_EQ(json["frames_received"], 20);
    EXPECT_TRUE(holds(sender.errors(), "sending 320x180 uyvy422 30 fps"));
}

TEST_F(CameraProgram, ArrivesWholeFromItsDriversMemory) {
    Verbcast sender(
        sendArguments({"--size", "320x180", "--format", "uyvy422", "--memory", "dmabuf", "--frames", "20"}),
        home_);
    Verbcast viewer(viewArguments(sender.listenAddress()), home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    const auto sent = frameSums(file("sent"));
    EXPECT_EQ(sent.size(), 20U);
    EXPECT_EQ(frameSums(file("received")), sent);
    EXPECT_TRUE(
        holds(sender.errors(), "note: the pictures stay in the memory of the driver vivid, as dma-bufs"));
}

/// One process with a stream for each camera and a common clock: at equal rates, frames are captured at most
/// one frame time apart.
TEST_F(CameraProgram, SeveralAreStreamsOfOneClock) {
    const auto cameras = virtualCameras();
    if (cameras.size() < 2) {
        GTEST_SKIP() << "there is one camera";
    }
    const std::string address = listenAddressFor("shm");
    Verbcast sender({"send",        cameras[0].path, cameras[1].path, "--name",      "left",     "--name",
                     "right",       "--size",        "320x180",       "--fps",       "30",       "--frames",
                     "30",          "--policy",      "lossless",      "--once",      "--listen", address,
                     "--frame-md5", file("sent-%n"), "--stats-json",  file("sender")},
                    home_);
    ASSERT_TRUE(sender.waitForError("stream 2: waiting for a viewer on " + address + "-2"));
    Verbcast viewer(
        {"view", "--headless", address, address + "-2", "--once", "--frame-md5", file("received-%n")}, home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    for (const std::string number : {"1", "2"}) {
        EXPECT_EQ(frameSums(file("sent-" + number)).size(), 30U);
        EXPECT_EQ(frameSums(file("received-" + number)), frameSums(file("sent-" + number)));
    }
    const auto json = readJson(file("sender"));
    EXPECT_EQ(json["streams"][0]["name"], "left");
    EXPECT_EQ(json["streams"][1]["name"], "right");
    const auto left = frameSums(file("sent-1")), right = frameSums(file("sent-2"));
    constexpr std::int64_t kFrameTime = 1'000'000 / 30;
    std::size_t paired = 0;
    for (const FrameSum& one : left) {
        for (const FrameSum& other : right) {
            paired += std::abs(one.pts - other.pts) <= kFrameTime / 2 + 1000 ? 1 : 0;
        }
    }
    EXPECT_GE(paired, 15U) << "pictures that were taken together have times together";
}

TEST_F(CameraProgram, SizeThatIsNotOfferedBecomesTheNearestAndSaysWhichAre) {
    Verbcast sender(sendArguments({"--size", "700x400", "--format", "v210", "--frames", "3"}), home_);
    Verbcast viewer(viewArguments(sender.listenAddress()), home_);
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_TRUE(endsWith(sender, 0));
    EXPECT_TRUE(holds(sender.errors(), "note: the camera does not offer 700x400, it is sent as 640x360"));
    EXPECT_TRUE(holds(sender.errors(), "320x180, 640x360, "));
    EXPECT_TRUE(
        holds(sender.errors(), "note: the camera does not offer v210, it is sent as yuyv422 (offered: "));
    EXPECT_EQ(readJson(file("viewer"))["width"], 640);
}

TEST_F(CameraProgram, GoesOnAfterItWasUnplugged) {
    Verbcast sender(sendArguments({"--size", "320x180"}), home_);
    Verbcast viewer(viewArguments(sender.listenAddress()), home_);
    ASSERT_TRUE(viewer.waitForError("receiving 320x180"));
    {
        Unplugged plug;
        ASSERT_TRUE(sender.waitForError("waiting for it to come back"));
        EXPECT_TRUE(sender.running());
        plug.plugIn();
    }
    ASSERT_TRUE(sender.waitForError("is back after"));
    EXPECT_TRUE(viewer.running());
    sender.signal(SIGINT);
    EXPECT_TRUE(endsWith(sender, 130));
    EXPECT_TRUE(endsWith(viewer, 0));
    EXPECT_EQ(readJson(file("viewer"))["connections"], 1);
}

TEST_F(CameraProgram, InterruptEndsTheWaitForAnUnpluggedCamera) {
    Verbcast sender(sendArguments({"--size", "320x180"}), home_);
    Verbcast viewer(viewArguments(sender.listenAddress()), home_);
    ASSERT_TRUE(viewer.waitForError("receiving 320x180"));
    const Unplugged plug;
    ASSERT_TRUE(sender.waitForError("waiting for it to come back"));
    sender.signal(SIGINT);
    EXPECT_TRUE(endsWith(sender, 130));
    EXPECT_TRUE(endsWith(viewer, 0));
}

TEST_F(CameraProgram, OneInUseIsRefused) {
    Verbcast first(sendArguments({"--size", "320x180"}), home_);
    first.listenAddress();
    Verbcast second({"send", "v4l2", "--listen", listenAddressFor("shm")}, home_);
    EXPECT_TRUE(endsWith(second, 7));
    EXPECT_TRUE(holds(second.errors(), "is in use by another program"));
    EXPECT_TRUE(holds(second.errors(), "try: end the other program"));
    first.signal(SIGINT);
    EXPECT_TRUE(endsWith(first, 130));
}

}  // namespace
}  // namespace verbcast::testing
