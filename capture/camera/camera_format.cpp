#include "capture/camera/camera_format.h"

#include <fmt/format.h>
#include <linux/videodev2.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "core/base/error.h"

namespace verbcast {
namespace {

/// V4L2 leaves the order of one kind to the video standard: bottom first with 525 lines, else top first.
FieldOrder fieldOrderOf(const CameraPicture& picture) {
    constexpr std::uint32_t kRowsOf525Lines = 486;
    switch (picture.field) {
        case V4L2_FIELD_INTERLACED_TB:
            return FieldOrder::TopFirst;
        case V4L2_FIELD_INTERLACED_BT:
            return FieldOrder::BottomFirst;
        case V4L2_FIELD_INTERLACED:
            return picture.height <= kRowsOf525Lines ? FieldOrder::BottomFirst : FieldOrder::TopFirst;
        default:
            return FieldOrder::Progressive;
    }
}

constexpr const char* kTryAnother =
    "try another mode: verbcast devices lists them, --size and --format choose";

// V4L2 names 32-bit formats starting at the high byte of the word: ABGR32 is B, G, R, A in memory.
constexpr std::array<std::pair<std::uint32_t, PixelFormat>, 14> kSameBytes{{
    {V4L2_PIX_FMT_YUYV, PixelFormat::yuyv422},
    {V4L2_PIX_FMT_UYVY, PixelFormat::uyvy422},
    {V4L2_PIX_FMT_NV12, PixelFormat::nv12},
    {V4L2_PIX_FMT_P010, PixelFormat::p010le},
    {V4L2_PIX_FMT_YUV420, PixelFormat::yuv420p},
    {V4L2_PIX_FMT_YVU420, PixelFormat::yuv420p},
    {V4L2_PIX_FMT_YUV422P, PixelFormat::yuv422p},
    {V4L2_PIX_FMT_RGB24, PixelFormat::rgb24},
    {V4L2_PIX_FMT_ABGR32, PixelFormat::bgra},
    {V4L2_PIX_FMT_XBGR32, PixelFormat::bgra},
    {V4L2_PIX_FMT_BGR32, PixelFormat::bgra},
    {V4L2_PIX_FMT_RGBA32, PixelFormat::rgba},
    {V4L2_PIX_FMT_RGBX32, PixelFormat::rgba},
    {V4L2_PIX_FMT_GREY, PixelFormat::gray},
}};

// Code points of H.273.
using CodePoints = std::initializer_list<std::pair<std::uint32_t, std::uint8_t>>;

constexpr CodePoints kPrimaries{
    {V4L2_COLORSPACE_REC709, 1},       {V4L2_COLORSPACE_SRGB, 1},          {V4L2_COLORSPACE_JPEG, 1},
    {V4L2_COLORSPACE_470_SYSTEM_M, 4}, {V4L2_COLORSPACE_470_SYSTEM_BG, 5}, {V4L2_COLORSPACE_SMPTE170M, 6},
    {V4L2_COLORSPACE_SMPTE240M, 7},    {V4L2_COLORSPACE_BT2020, 9},        {V4L2_COLORSPACE_DCI_P3, 11}};
constexpr CodePoints kTransfers{{V4L2_XFER_FUNC_709, 1},        {V4L2_XFER_FUNC_SMPTE240M, 7},
                                {V4L2_XFER_FUNC_NONE, 8},       {V4L2_XFER_FUNC_SRGB, 13},
                                {V4L2_XFER_FUNC_SMPTE2084, 16}, {V4L2_XFER_FUNC_DCI_P3, 17}};
constexpr CodePoints kMatrices{{V4L2_YCBCR_ENC_709, 1},
                               {V4L2_YCBCR_ENC_XV709, 1},
                               {V4L2_YCBCR_ENC_601, 6},
                               {V4L2_YCBCR_ENC_XV601, 6},
                               {V4L2_YCBCR_ENC_SMPTE240M, 7},
                               {V4L2_YCBCR_ENC_BT2020, 9},
                               {V4L2_YCBCR_ENC_BT2020_CONST_LUM, 10}};

std::uint8_t codePoint(CodePoints table, std::uint32_t theirs) {
    constexpr std::uint8_t kUnspecified = 2;
    const auto found = std::ranges::find(table, theirs, &CodePoints::value_type::first);
    return found != table.end() ? found->second : kUnspecified;
}

/// What the driver says, or what its colour space implies if it says nothing (0).
std::uint32_t given(std::uint32_t said, int implied) {
    return said != 0 ? said : static_cast<std::uint32_t>(implied);
}

Colour colourOfPicture(const CameraPicture& picture, PixelFormat pixelFormat) {
    const bool rgb = pixelFormatInfo(pixelFormat).rgb;
    Colour colour;
    if (rgb) {
        colour.matrix = 0;
        colour.fullRange = picture.quantization != V4L2_QUANTIZATION_LIM_RANGE;
    }
    if (picture.colorspace == V4L2_COLORSPACE_DEFAULT || picture.colorspace == V4L2_COLORSPACE_RAW) {
        return colour;  // the driver does not know, so neither do we
    }
    const auto space = static_cast<v4l2_colorspace>(picture.colorspace);
    colour.primaries = codePoint(kPrimaries, picture.colorspace);
    colour.transfer = codePoint(kTransfers, given(picture.transfer, V4L2_MAP_XFER_FUNC_DEFAULT(space)));
    if (!rgb) {
        const std::uint32_t encoding = given(picture.encoding, V4L2_MAP_YCBCR_ENC_DEFAULT(space));
        colour.matrix = codePoint(kMatrices, encoding);
        colour.fullRange =
            given(picture.quantization, V4L2_MAP_QUANTIZATION_DEFAULT(false, space, encoding)) ==
            V4L2_QUANTIZATION_FULL_RANGE;
    }
    return colour;
}

/// V4L2 stores all planes of a buffer back to back. In planar formats the chroma stride, padding included, is
/// the luma stride divided by the horizontal subsampling.
void layOutAsDriver(VideoFormat& format, const CameraPicture& picture) {
    const PixelFormatInfo& info = pixelFormatInfo(format.pixelFormat);
    const std::uint32_t luma = picture.bytesPerLine != 0 ? picture.bytesPerLine : tightRowBytes(format, 0);
    std::uint64_t offset = 0;
    format.payloadBytes = 0;
    for (std::size_t plane = 0; plane < info.planeCount; ++plane) {
        const bool separateChroma = plane > 0 && info.planeCount == 3;
        const std::uint32_t stride = separateChroma ? luma >> info.chromaShiftX : luma;
        format.planes[plane] = {offset, stride};
        format.payloadBytes =
            offset + std::uint64_t{stride} * (planeRows(format, plane) - 1) + tightRowBytes(format, plane);
        offset += std::uint64_t{stride} * planeRows(format, plane);
    }
    if (picture.fourCc == V4L2_PIX_FMT_YVU420) {
        std::swap(format.planes[1], format.planes[2]);
    }
}

}  // namespace

std::optional<PixelFormat> cameraPixelFormat(std::uint32_t fourCc) {
    const auto found = std::ranges::find(kSameBytes, fourCc, &decltype(kSameBytes)::value_type::first);
    return found != kSameBytes.end() ? std::optional(found->second) : std::nullopt;
}

bool isCompressed(std::uint32_t fourCc) {
    return fourCc == V4L2_PIX_FMT_MJPEG || fourCc == V4L2_PIX_FMT_JPEG || fourCc == V4L2_PIX_FMT_H264 ||
           fourCc == V4L2_PIX_FMT_HEVC;
}

std::string fourCcText(std::uint32_t fourCc) {
    std::string text;
    for (int i = 0; i < 4; ++i) {
        const auto letter = static_cast<char>(fourCc >> (8 * i) & 0x7F);
        text += letter >= ' ' && letter <= '~' ? letter : '.';
    }
    while (text.ends_with(' ')) {
        text.pop_back();
    }
    return text;
}

VideoFormat cameraVideoFormat(const CameraPicture& picture, const std::optional<Rational>& rate) {
    const auto pixelFormat = cameraPixelFormat(picture.fourCc);
    if (!pixelFormat) {
        throw Error(ErrorKind::Device,
                    fmt::format("the camera insists on {}, which cannot be sent", fourCcText(picture.fourCc)),
                    kTryAnother);
    }
    VideoFormat format;
    format.width = picture.width;
    format.height = picture.height;
    format.pixelFormat = *pixelFormat;
    format.frameRate = rate.value_or(Rational{0, 1});
    format.timeBase = {1, 1'000'000};
    format.colour = colourOfPicture(picture, *pixelFormat);
    format.fieldOrder = fieldOrderOf(picture);
    layOutAsDriver(format, picture);
    auto problem = formatProblem(format);
    if (!problem && format.payloadBytes > picture.imageBytes) {
        problem =
            fmt::format("a picture of {} bytes in a buffer of {}", format.payloadBytes, picture.imageBytes);
    }
    if (problem) {
        throw Error(ErrorKind::Device, "the camera's driver describes impossible pictures: " + *problem,
                    kTryAnother);
    }
    return format;
}

std::optional<std::string> fieldNote(std::uint32_t field) {
    switch (field) {
        case V4L2_FIELD_ANY:
        case V4L2_FIELD_NONE:
            return std::nullopt;
        case V4L2_FIELD_INTERLACED:
        case V4L2_FIELD_INTERLACED_TB:
        case V4L2_FIELD_INTERLACED_BT:
            return "the camera's pictures are interlaced; they are sent as they are";
        case V4L2_FIELD_SEQ_TB:
        case V4L2_FIELD_SEQ_BT:
            return "the camera's pictures hold two fields, one above the other; they are sent as they are";
        default:
            return "the camera's pictures are single fields; they are sent as they are";
    }
}

}  // namespace verbcast
