#include "capture/convert/format_mapping.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <array>
#include <span>

#include "core/base/text/counted.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kFirstHdHeight = 720;

struct FormatPair {
    PixelFormat ours;
    AVPixelFormat theirs;
};
constexpr std::array<FormatPair, 18> kSameBytes{{
    {PixelFormat::rgba, AV_PIX_FMT_RGBA},
    {PixelFormat::bgra, AV_PIX_FMT_BGRA},
    {PixelFormat::rgb24, AV_PIX_FMT_RGB24},
    {PixelFormat::x2rgb10le, AV_PIX_FMT_X2RGB10LE},
    {PixelFormat::yuv420p, AV_PIX_FMT_YUV420P},
    {PixelFormat::nv12, AV_PIX_FMT_NV12},
    {PixelFormat::yuv422p, AV_PIX_FMT_YUV422P},
    {PixelFormat::uyvy422, AV_PIX_FMT_UYVY422},
    {PixelFormat::yuyv422, AV_PIX_FMT_YUYV422},
    {PixelFormat::yuv444p, AV_PIX_FMT_YUV444P},
    {PixelFormat::yuv420p10le, AV_PIX_FMT_YUV420P10LE},
    {PixelFormat::p010le, AV_PIX_FMT_P010LE},
    {PixelFormat::yuv422p10le, AV_PIX_FMT_YUV422P10LE},
    {PixelFormat::yuv444p10le, AV_PIX_FMT_YUV444P10LE},
    {PixelFormat::gray, AV_PIX_FMT_GRAY8},
    // Last, so that these are not found for ours:
    {PixelFormat::yuv420p, AV_PIX_FMT_YUVJ420P},
    {PixelFormat::yuv422p, AV_PIX_FMT_YUVJ422P},
    {PixelFormat::yuv444p, AV_PIX_FMT_YUVJ444P},
}};

bool isFullRangeName(AVPixelFormat format) {
    return format == AV_PIX_FMT_YUVJ420P || format == AV_PIX_FMT_YUVJ422P || format == AV_PIX_FMT_YUVJ444P ||
           format == AV_PIX_FMT_YUVJ440P || format == AV_PIX_FMT_YUVJ411P;
}

bool isRgb(const AVPixFmtDescriptor& description) {
    return (description.flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER)) != 0;
}

bool isGray(const AVPixFmtDescriptor& description) {
    return description.nb_components - ((description.flags & AV_PIX_FMT_FLAG_ALPHA) != 0 ? 1 : 0) == 1 &&
           !isRgb(description);
}

int depthOf(const AVPixFmtDescriptor& description) {
    const std::span components(description.comp, description.nb_components);
    return std::ranges::max(components, {}, &AVComponentDescriptor::depth).depth;
}

PixelFormat nearestRgb(AVPixelFormat format, bool alpha, int depth) {
    if (depth > 8) {
        return PixelFormat::x2rgb10le;
    }
    if (format == AV_PIX_FMT_BGR0) {
        return PixelFormat::bgra;
    }
    if (alpha || format == AV_PIX_FMT_PAL8 || format == AV_PIX_FMT_RGB0 || format == AV_PIX_FMT_0RGB ||
        format == AV_PIX_FMT_0BGR) {
        return PixelFormat::rgba;
    }
    return PixelFormat::rgb24;
}

PixelFormat nearestYuv(const AVPixFmtDescriptor& description, int depth) {
    const bool deep = depth > 8;
    if (description.log2_chroma_w == 0) {
        return deep ? PixelFormat::yuv444p10le : PixelFormat::yuv444p;
    }
    if (description.log2_chroma_h == 0) {
        return deep ? PixelFormat::yuv422p10le : PixelFormat::yuv422p;
    }
    return deep ? PixelFormat::yuv420p10le : PixelFormat::yuv420p;
}

std::string lossText(bool alpha, int lostBits) {
    const std::string bits = counted(lostBits, "bit") + " of depth";
    if (alpha && lostBits > 0) {
        return bits + " and alpha are lost";
    }
    return alpha ? "alpha is lost" : lostBits > 0 ? bits + (lostBits > 1 ? " are lost" : " is lost") : "";
}

}  // namespace

AVPixelFormat avPixelFormat(PixelFormat format) {
    const auto found = std::ranges::find(kSameBytes, format, &FormatPair::ours);
    return found != kSameBytes.end() ? found->theirs : AV_PIX_FMT_NONE;
}

AVPixelFormat storedPixelFormat(PixelFormat format) {
    switch (format) {
        case PixelFormat::p010le:
            return AV_PIX_FMT_YUV420P10LE;
        case PixelFormat::x2rgb10le:
            return AV_PIX_FMT_GBRP10LE;
        default:
            return avPixelFormat(format);
    }
}

std::optional<PixelFormat> directPixelFormat(AVPixelFormat format) {
    const auto found = std::ranges::find(kSameBytes, format, &FormatPair::theirs);
    return found != kSameBytes.end() ? std::optional(found->ours) : std::nullopt;
}

std::optional<NearestFormat> nearestPixelFormat(AVPixelFormat format) {
    if (const auto direct = directPixelFormat(format)) {
        return NearestFormat{*direct, {}};
    }
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    if (description == nullptr || (description->flags & AV_PIX_FMT_FLAG_HWACCEL) != 0) {
        return std::nullopt;
    }
    const bool alpha = (description->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
    const int depth = depthOf(*description);
    PixelFormat nearest;
    if (isRgb(*description)) {
        nearest = nearestRgb(format, alpha, depth);
    } else if (isGray(*description)) {
        nearest = depth > 8 ? PixelFormat::yuv420p10le : PixelFormat::gray;
    } else {
        nearest = nearestYuv(*description, depth);
    }
    const bool alphaKept = hasAlpha(nearest);
    const int lostBits = std::max(0, depth - static_cast<int>(pixelFormatInfo(nearest).bitsPerComponent));
    return NearestFormat{nearest, lossText(alpha && !alphaKept, lostBits)};
}

std::string avPixelFormatName(int format) {
    const char* name = av_get_pix_fmt_name(static_cast<AVPixelFormat>(format));
    return name != nullptr ? name : "unknown";
}

Colour colourOf(const AVFrame& picture, AVPixelFormat format) {
    const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
    Colour colour;
    colour.primaries = static_cast<std::uint8_t>(picture.color_primaries);
    colour.transfer = static_cast<std::uint8_t>(picture.color_trc);
    colour.matrix = static_cast<std::uint8_t>(picture.colorspace);
    colour.fullRange = picture.color_range == AVCOL_RANGE_JPEG || isFullRangeName(format);
    if (description == nullptr) {
        return colour;
    }
    if (isRgb(*description)) {
        colour.matrix = AVCOL_SPC_RGB;
        colour.fullRange = true;
        return colour;
    }
    if (isGray(*description)) {
        colour.fullRange = picture.color_range != AVCOL_RANGE_MPEG;
    } else if (description->log2_chroma_w != 0 || description->log2_chroma_h != 0) {
        colour.chromaLocation = static_cast<std::uint8_t>(picture.chroma_location);
    }
    if (colour.matrix == AVCOL_SPC_RGB) {
        colour.matrix = AVCOL_SPC_UNSPECIFIED;  // wrongly tagged: these planes are not RGB
    }
    return colour;
}

FieldOrder fieldOrderFrom(AVFieldOrder order) {
    switch (order) {
        case AV_FIELD_TT:
        case AV_FIELD_TB:
            return FieldOrder::TopFirst;
        case AV_FIELD_BB:
        case AV_FIELD_BT:
            return FieldOrder::BottomFirst;
        default:
            return FieldOrder::Progressive;
    }
}

AVFieldOrder toAv(FieldOrder order) {
    return order == FieldOrder::TopFirst      ? AV_FIELD_TB
           : order == FieldOrder::BottomFirst ? AV_FIELD_BT
                                              : AV_FIELD_PROGRESSIVE;
}

int conversionMatrix(const Colour& colour, std::uint32_t height) {
    if (colour.matrix != AVCOL_SPC_UNSPECIFIED && colour.matrix != AVCOL_SPC_RGB) {
        return colour.matrix;
    }
    // As render's colour plan has it.
    if (colour.matrix == AVCOL_SPC_UNSPECIFIED &&
        (colour.transfer == AVCOL_TRC_SMPTE2084 || colour.transfer == AVCOL_TRC_ARIB_STD_B67)) {
        return AVCOL_SPC_BT2020_NCL;
    }
    return height >= kFirstHdHeight ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
}

}  // namespace verbcast
