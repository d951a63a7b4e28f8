#include "capture/camera/camera_mode.h"

#include <gtest/gtest.h>
#include <linux/videodev2.h>

#include "capture/camera/camera_format.h"
#include "core/base/error.h"

namespace verbcast::testing {
namespace {

constexpr std::uint32_t kMjpeg = V4L2_PIX_FMT_MJPEG;

CameraMode mode(std::uint32_t fourCc, std::uint32_t width, std::uint32_t height,
                std::vector<Rational> rates) {
    return {fourCc, cameraPixelFormat(fourCc), CameraSizes::single(width, height), std::move(rates), false};
}

/// The modes that a webcam lists.
std::vector<CameraMode> webcam() {
    return {
        mode(kMjpeg, 3840, 2160, {{30, 1}}),
        mode(V4L2_PIX_FMT_YUYV, 640, 480, {{15, 1}, {30, 1}}),
        mode(V4L2_PIX_FMT_YUYV, 1280, 720, {{10, 1}, {30000, 1001}}),
        mode(V4L2_PIX_FMT_YUYV, 1920, 1080, {{5, 1}}),
        mode(V4L2_PIX_FMT_NV12, 640, 480, {{60, 1}, {30, 1}}),
        mode(V4L2_PIX_FMT_GREY, 1920, 1080, {{60, 1}}),
    };
}

/// "yuyv422 640x480 30"
std::string text(const CameraChoice& choice) {
    return (choice.pixelFormat ? std::string(pixelFormatName(*choice.pixelFormat))
                               : fourCcText(choice.fourCc)) +
           " " + std::to_string(choice.width) + "x" + std::to_string(choice.height) + " " +
           (choice.rate ? std::to_string(static_cast<int>(choice.rate->value() * 100)) : "?");
}

TEST(CameraModeChoice, WithoutWishesTheLargestFluentOne) {
    const auto choice = chooseCameraMode(webcam(), {});
    EXPECT_EQ(text(choice), "yuyv422 1280x720 2997");
    EXPECT_EQ(choice.rate, (Rational{30000, 1001}));
    EXPECT_EQ(choice.notes, std::vector<std::string>{"compressed (MJPG) the camera reaches 3840x2160 at 30 "
                                                     "fps: --size 3840x2160 takes that"});
}

TEST(CameraModeChoice, WithoutAFluentOneTheFastest) {
    const std::vector<CameraMode> slow{mode(V4L2_PIX_FMT_YUYV, 1920, 1080, {{5, 1}}),
                                       mode(V4L2_PIX_FMT_YUYV, 1280, 720, {{10, 1}, {25, 1}}),
                                       mode(V4L2_PIX_FMT_YUYV, 640, 480, {{25, 1}})};
    EXPECT_EQ(text(chooseCameraMode(slow, {})), "yuyv422 1280x720 2500");
}

TEST(CameraModeChoice, ExactWishesAreMetWithoutANote) {
    struct Case {
        CameraWish wish;
        const char* expected;
    };
    for (const Case& c : {Case{{640, 480, {}, {}}, "nv12 640x480 6000"},
                          {{640, 480, {}, PixelFormat::yuyv422}, "yuyv422 640x480 3000"},
                          {{640, 480, Rational{15, 1}, {}}, "yuyv422 640x480 1500"},
                          {{1920, 1080, {}, {}}, "yuyv422 1920x1080 500"},
                          {{1920, 1080, {}, PixelFormat::gray}, "gray 1920x1080 6000"},
                          {{{}, {}, Rational{60, 1}, {}}, "nv12 640x480 6000"},
                          {{{}, {}, Rational{30000, 1001}, {}}, "yuyv422 1280x720 2997"},
                          {{{}, {}, {}, PixelFormat::nv12}, "nv12 640x480 6000"}}) {
        const auto choice = chooseCameraMode(webcam(), c.wish);
        EXPECT_EQ(text(choice), c.expected);
        EXPECT_TRUE(choice.notes.empty()) << c.expected << ": " << choice.notes.front();
    }
}

TEST(CameraModeChoice, UnmetWishesTakeTheNearestAndSayWhatThereIs) {
    const auto choice = chooseCameraMode(webcam(), {1300, 700, Rational{24, 1}, PixelFormat::rgba});
    EXPECT_EQ(text(choice), "yuyv422 1280x720 2997");
    ASSERT_EQ(choice.notes.size(), 3U);
    EXPECT_EQ(
        choice.notes[0],
        "the camera does not offer rgba, it is sent as yuyv422 (offered: MJPG (decoded), yuyv422, nv12, "
        "gray)");
    EXPECT_EQ(
        choice.notes[1],
        "the camera does not offer 1300x700, it is sent as 1280x720 (offered: 640x480, 1280x720, 1920x1080)");
    EXPECT_EQ(choice.notes[2],
              "the camera does not offer 24 fps at 1280x720, it is sent at 29.97 (offered: 10, 29.97 fps)");
}

TEST(CameraModeChoice, RangesAreStepped) {
    CameraMode scaler{
        V4L2_PIX_FMT_UYVY, PixelFormat::uyvy422, {16, 16, 4096, 2160, 8, 2}, {{1, 1}, {60, 1}}, true};
    const std::vector<CameraMode> modes{scaler};
    const auto choice = chooseCameraMode(modes, {1003, 601, Rational{24000, 1001}, {}});
    EXPECT_EQ(choice.width, 1000U);
    EXPECT_EQ(choice.height, 602U);
    EXPECT_EQ(choice.rate, (Rational{24000, 1001}));
    EXPECT_EQ(choice.notes.size(), 1U);
    const auto bounds = chooseCameraMode(modes, {9000, 8, Rational{120, 1}, {}});
    EXPECT_EQ(text(bounds), "uyvy422 4096x16 6000");
    EXPECT_EQ(text(chooseCameraMode(modes, {})), "uyvy422 4096x2160 6000");
}

TEST(CameraModeChoice, UnknownRatesAreTaken) {
    const std::vector<CameraMode> modes{mode(V4L2_PIX_FMT_RGB24, 800, 600, {})};
    const auto choice = chooseCameraMode(modes, {{}, {}, Rational{50, 1}, {}});
    EXPECT_EQ(text(choice), "rgb24 800x600 ?");
    EXPECT_TRUE(choice.notes.empty());
}

/// Like most USB cameras: smooth large pictures only when compressed.
std::vector<CameraMode> usbCamera() {
    return {
        mode(V4L2_PIX_FMT_YUYV, 640, 480, {{30, 1}}),
        mode(V4L2_PIX_FMT_YUYV, 1920, 1080, {{5, 1}}),
        mode(kMjpeg, 640, 480, {{30, 1}}),
        mode(kMjpeg, 1920, 1080, {{30, 1}, {60, 1}}),
        mode(V4L2_PIX_FMT_H264, 1920, 1080, {{30, 1}}),
    };
}

TEST(CameraModeChoice, CompressedWhereNoOtherModeReachesWhatWasAsked) {
    struct Case {
        CameraWish wish;
        const char* expected;
    };
    for (const Case& c : {Case{{640, 480, {}, {}}, "yuyv422 640x480 3000"},
                          {{640, 480, Rational{30, 1}, {}}, "yuyv422 640x480 3000"},
                          {{1920, 1080, Rational{5, 1}, {}}, "yuyv422 1920x1080 500"},
                          {{1920, 1080, {}, {}}, "MJPG 1920x1080 6000"},
                          {{1920, 1080, Rational{30, 1}, {}}, "MJPG 1920x1080 3000"},
                          {{1920, 1080, Rational{60, 1}, {}}, "MJPG 1920x1080 6000"},
                          {{{}, {}, Rational{60, 1}, {}}, "MJPG 1920x1080 6000"},
                          {{640, 480, {}, PixelFormat::yuv422p}, "MJPG 640x480 3000"},
                          {{1920, 1080, {}, PixelFormat::yuyv422}, "yuyv422 1920x1080 500"}}) {
        EXPECT_EQ(text(chooseCameraMode(usbCamera(), c.wish)), c.expected);
    }
    const auto choice = chooseCameraMode(usbCamera(), {1920, 1080, Rational{60, 1}, {}});
    EXPECT_EQ(choice.notes,
              std::vector<std::string>{"the camera compresses its pictures as MJPG, they are decoded: "
                                       "uncompressed it reaches 1920x1080 at 5 fps"});
}

TEST(CameraModeChoice, ACameraThatComesBackKeepsItsCompression) {
    const CameraWish wish{640, 480, Rational{30, 1}, PixelFormat::yuv422p, kMjpeg};
    EXPECT_EQ(text(chooseCameraMode(usbCamera(), wish)), "MJPG 640x480 3000");
    EXPECT_TRUE(chooseCameraMode(usbCamera(), wish).notes.empty());
}

TEST(CameraModeChoice, CamerasThatOnlyCompressAreTaken) {
    const std::vector<CameraMode> modes{mode(V4L2_PIX_FMT_H264, 1920, 1080, {{30, 1}}),
                                        mode(kMjpeg, 1280, 720, {{30, 1}})};
    const auto choice = chooseCameraMode(modes, {});
    EXPECT_EQ(text(choice), "H264 1920x1080 3000");
    EXPECT_EQ(choice.notes, std::vector<std::string>{"the camera compresses its pictures as H264, they are "
                                                     "decoded: it has no other modes"});
}

TEST(CameraModeChoice, ModesThatCannotBeSentAreRefusedByName) {
    const std::vector<CameraMode> modes{mode(V4L2_PIX_FMT_VP8, 1920, 1080, {{30, 1}}),
                                        mode(V4L2_PIX_FMT_SBGGR8, 1920, 1080, {{30, 1}})};
    try {
        chooseCameraMode(modes, {});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Device);
        EXPECT_STREQ(error.what(), "the camera has no mode that can be sent, only VP80, BA81");
        EXPECT_NE(error.remedy(), "");
    }
    EXPECT_THROW(chooseCameraMode({}, {}), Error);
}

TEST(CameraModes, ALineForEachFormat) {
    auto modes = webcam();
    modes.push_back(mode(V4L2_PIX_FMT_YUYV, 320, 240, {{1, 1}, {2, 1}, {5, 1}, {60, 1}, {30, 1}}));
    modes.push_back(mode(V4L2_PIX_FMT_VP8, 640, 480, {}));
    EXPECT_EQ(describeCameraModes(modes),
              (std::vector<std::string>{
                  "MJPG (decoded): 3840x2160 (30 fps)",
                  "YUYV as yuyv422: 640x480 (15, 30 fps), 1280x720 (10, 29.97 fps), 1920x1080 (5 fps), "
                  "320x240 (1 to 60 fps)",
                  "NV12 as nv12: 640x480 (30, 60 fps)", "GREY as gray: 1920x1080 (60 fps)",
                  "cannot be sent: VP80"}));
}

}  // namespace
}  // namespace verbcast::testing
