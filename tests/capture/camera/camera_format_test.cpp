#include "capture/camera/camera_format.h"

#include <gtest/gtest.h>
#include <linux/videodev2.h>

#include <array>

#include "core/base/error.h"

namespace verbcast::testing {
namespace {

CameraPicture picture(std::uint32_t fourCc, std::uint32_t bytesPerLine, std::uint64_t imageBytes) {
    return {
        .fourCc = fourCc, .width = 64, .height = 32, .bytesPerLine = bytesPerLine, .imageBytes = imageBytes};
}

TEST(CameraFormat, PlanesFollowTheDriversStride) {
    struct Case {
        const char* what;
        std::uint32_t fourCc, bytesPerLine;
        std::uint64_t imageBytes;
        std::array<Plane, kMaxPlanes> planes;
        std::uint64_t payloadBytes;
    };
    const Case cases[] = {
        {"tight YUYV", V4L2_PIX_FMT_YUYV, 128, 4096, {{{0, 128}}}, 4096},
        {"padded UYVY", V4L2_PIX_FMT_UYVY, 160, 5120, {{{0, 160}}}, 160 * 31 + 128},
        {"no stride told", V4L2_PIX_FMT_RGB24, 0, 6144, {{{0, 192}}}, 6144},
        {"NV12", V4L2_PIX_FMT_NV12, 64, 3072, {{{0, 64}, {2048, 64}}}, 3072},
        {"padded NV12", V4L2_PIX_FMT_NV12, 80, 3840, {{{0, 80}, {2560, 80}}}, 2560 + 80 * 15 + 64},
        {"P010", V4L2_PIX_FMT_P010, 128, 6144, {{{0, 128}, {4096, 128}}}, 6144},
        {"YU12", V4L2_PIX_FMT_YUV420, 64, 3072, {{{0, 64}, {2048, 32}, {2560, 32}}}, 3072},
        {"YV12", V4L2_PIX_FMT_YVU420, 64, 3072, {{{0, 64}, {2560, 32}, {2048, 32}}}, 3072},
        {"padded 422P",
         V4L2_PIX_FMT_YUV422P,
         80,
         5120,
         {{{0, 80}, {2560, 40}, {3840, 40}}},
         3840 + 40 * 31 + 32},
        {"AR24", V4L2_PIX_FMT_ABGR32, 256, 8192, {{{0, 256}}}, 8192},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.what);
        const auto format =
            cameraVideoFormat(picture(c.fourCc, c.bytesPerLine, c.imageBytes), Rational{30, 1});
        EXPECT_EQ(format.planes, c.planes);
        EXPECT_EQ(format.payloadBytes, c.payloadBytes);
        EXPECT_EQ(format.pixelFormat, cameraPixelFormat(c.fourCc));
        EXPECT_EQ(format.frameRate, (Rational{30, 1}));
        EXPECT_EQ(format.timeBase, (Rational{1, 1'000'000}));
        EXPECT_EQ(formatProblem(format), std::nullopt);
    }
}

TEST(CameraFormat, NamesInMemoryOrder) {
    // The names of V4L2's 32-bit formats begin with the word's high byte, those of its old RGB formats do
    // not.
    EXPECT_EQ(cameraPixelFormat(V4L2_PIX_FMT_ABGR32), PixelFormat::bgra);
    EXPECT_EQ(cameraPixelFormat(V4L2_PIX_FMT_XBGR32), PixelFormat::bgra);
    EXPECT_EQ(cameraPixelFormat(V4L2_PIX_FMT_RGBA32), PixelFormat::rgba);
    EXPECT_EQ(cameraPixelFormat(V4L2_PIX_FMT_ARGB32), std::nullopt);
    EXPECT_EQ(cameraPixelFormat(V4L2_PIX_FMT_NV21), std::nullopt);
    EXPECT_EQ(cameraPixelFormat(V4L2_PIX_FMT_MJPEG), std::nullopt);
    EXPECT_EQ(fourCcText(V4L2_PIX_FMT_GREY), "GREY");
    EXPECT_EQ(fourCcText(V4L2_PIX_FMT_Y16), "Y16");
    EXPECT_EQ(fourCcText(0x01020304), "....");
}

Colour colour(std::uint32_t fourCc, std::uint32_t space, std::uint32_t encoding = 0, std::uint32_t range = 0,
              std::uint32_t transfer = 0) {
    CameraPicture p = picture(fourCc, 0, 1 << 20);
    p.colorspace = space;
    p.encoding = encoding;
    p.quantization = range;
    p.transfer = transfer;
    return cameraVideoFormat(p, std::nullopt).colour;
}

TEST(CameraFormat, ColoursAndTheirDefaults) {
    const auto yuv = V4L2_PIX_FMT_YUYV;
    EXPECT_EQ(colour(yuv, V4L2_COLORSPACE_DEFAULT), (Colour{2, 2, 2, false, 0}));
    EXPECT_EQ(colour(yuv, V4L2_COLORSPACE_REC709), (Colour{1, 1, 1, false, 0}));
    EXPECT_EQ(colour(yuv, V4L2_COLORSPACE_SMPTE170M), (Colour{6, 1, 6, false, 0}));
    EXPECT_EQ(colour(yuv, V4L2_COLORSPACE_SRGB), (Colour{1, 13, 6, false, 0}));
    EXPECT_EQ(colour(yuv, V4L2_COLORSPACE_JPEG), (Colour{1, 13, 6, true, 0}));
    EXPECT_EQ(colour(yuv, V4L2_COLORSPACE_BT2020, 0, 0, V4L2_XFER_FUNC_SMPTE2084),
              (Colour{9, 16, 9, false, 0}));
    EXPECT_EQ(colour(yuv, V4L2_COLORSPACE_SRGB, V4L2_YCBCR_ENC_709, V4L2_QUANTIZATION_FULL_RANGE),
              (Colour{1, 13, 1, true, 0}));
    EXPECT_EQ(colour(V4L2_PIX_FMT_RGB24, V4L2_COLORSPACE_SRGB), (Colour{1, 13, 0, true, 0}));
    EXPECT_EQ(colour(V4L2_PIX_FMT_RGB24, V4L2_COLORSPACE_SRGB, 0, V4L2_QUANTIZATION_LIM_RANGE),
              (Colour{1, 13, 0, false, 0}));
}

TEST(CameraFormat, ImpossiblePicturesAreRefused) {
    for (const CameraPicture& wrong : {
             picture(V4L2_PIX_FMT_MJPEG, 0, 4096),   // a driver that insists on another format
             picture(V4L2_PIX_FMT_YUYV, 100, 4096),  // rows shorter than their pixels
             picture(V4L2_PIX_FMT_YUYV, 128, 4095),  // a buffer that is too small
             picture(V4L2_PIX_FMT_YUYV, 1 << 28, 1ULL << 40),
         }) {
        try {
            cameraVideoFormat(wrong, std::nullopt);
            FAIL() << fourCcText(wrong.fourCc) << " with " << wrong.bytesPerLine;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Device);
        }
    }
}

TEST(CameraFormat, FieldsAreSaid) {
    EXPECT_EQ(fieldNote(V4L2_FIELD_NONE), std::nullopt);
    EXPECT_NE(fieldNote(V4L2_FIELD_INTERLACED).value_or("").find("interlaced"), std::string::npos);
    EXPECT_NE(fieldNote(V4L2_FIELD_ALTERNATE).value_or("").find("single fields"), std::string::npos);
    EXPECT_NE(fieldNote(V4L2_FIELD_SEQ_TB).value_or("").find("two fields"), std::string::npos);
    CameraPicture taken = picture(V4L2_PIX_FMT_YUYV, 128, 4096);
    EXPECT_EQ(cameraVideoFormat(taken, std::nullopt).fieldOrder, FieldOrder::Progressive);
    taken.field = V4L2_FIELD_INTERLACED_TB;
    EXPECT_EQ(cameraVideoFormat(taken, std::nullopt).fieldOrder, FieldOrder::TopFirst);
    taken.field = V4L2_FIELD_INTERLACED_BT;
    EXPECT_EQ(cameraVideoFormat(taken, std::nullopt).fieldOrder, FieldOrder::BottomFirst);
    taken.field = V4L2_FIELD_INTERLACED;
    for (const auto& [height, order] :
         {std::pair{480U, FieldOrder::BottomFirst}, std::pair{576U, FieldOrder::TopFirst}}) {
        taken.height = height;
        taken.imageBytes = std::uint64_t{128} * height;
        EXPECT_EQ(cameraVideoFormat(taken, std::nullopt).fieldOrder, order) << height;
    }
}

}  // namespace
}  // namespace verbcast::testing
