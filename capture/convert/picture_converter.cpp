#include "capture/convert/picture_converter.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "capture/convert/format_mapping.h"
#include "capture/convert/v210.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr int kScalerFlags =
    SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT;

// Chroma rows of 4:2:0 lie half-way between two luma rows, as in FFmpeg's scale filter.
constexpr int kCentredChroma = 128;

const AVPixFmtDescriptor* describe(int format) {
    return av_pix_fmt_desc_get(static_cast<AVPixelFormat>(format));
}

bool isVerticallySubsampled(int format) {
    return describe(format) != nullptr && describe(format)->log2_chroma_h == 1;
}

/// RGB with components that can be read as integers, row by row.
bool isIntegerRgb(int format) {
    const AVPixFmtDescriptor* description = describe(format);
    constexpr auto kUnfit = AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER;
    return description != nullptr && (description->flags & AV_PIX_FMT_FLAG_RGB) != 0 &&
           (description->flags & kUnfit) == 0 && description->nb_components >= 3;
}

/// Little-endian planes of 16-bit samples, whose rows can be read in place.
bool hasPlainWords(const AVPixFmtDescriptor& description) {
    return (description.flags & AV_PIX_FMT_FLAG_PLANAR) != 0 &&
           (description.flags & AV_PIX_FMT_FLAG_BE) == 0 && description.comp[0].step == 2 &&
           description.comp[0].shift == 0;
}

using Component = std::span<const std::uint16_t>;

/// Reads one component of one row; the samples are in the picture itself or in `scratch`.
Component readComponent(const AVFrame& picture, const AVPixFmtDescriptor& description, int component, int y,
                        std::uint16_t* scratch) {
    const auto width = static_cast<std::size_t>(picture.width);
    if (hasPlainWords(description)) {
        const int plane = description.comp[component].plane;
        const std::uint8_t* row =
            picture.data[plane] + static_cast<std::ptrdiff_t>(y) * picture.linesize[plane];
        return {reinterpret_cast<const std::uint16_t*>(row), width};
    }
    const std::uint8_t* planes[4] = {picture.data[0], picture.data[1], picture.data[2], picture.data[3]};
    av_read_image_line(scratch, planes, picture.linesize, &description, 0, y, component, picture.width, 0);
    return {scratch, width};
}

void borrowNothing(void*, std::uint8_t*) {}

}  // namespace

FramePtr borrowPayload(const VideoFormat& format, std::byte* payload) {
    FramePtr frame = newFrame();
    frame->format = avPixelFormat(format.pixelFormat);
    frame->width = static_cast<int>(format.width);
    frame->height = static_cast<int>(format.height);
    for (std::size_t plane = 0; plane < pixelFormatInfo(format.pixelFormat).planeCount; ++plane) {
        frame->data[plane] = reinterpret_cast<std::uint8_t*>(payload) + format.planes[plane].offset;
        frame->linesize[plane] = static_cast<int>(format.planes[plane].stride);
    }
    frame->buf[0] = av_buffer_create(reinterpret_cast<std::uint8_t*>(payload), format.payloadBytes,
                                     borrowNothing, nullptr, 0);
    if (frame->buf[0] == nullptr) {
        throw Error(ErrorKind::Resource, "no memory for a picture");
    }
    return frame;
}

PictureConverter::PictureConverter(int threads) : threads_(std::max(1, threads)) {}

void PictureConverter::convert(const AVFrame& source, const VideoFormat& target, std::byte* payload) {
    if (target.pixelFormat == PixelFormat::v210) {
        toV210(source, target, payload);
    } else if (target.pixelFormat == PixelFormat::x2rgb10le && source.format != AV_PIX_FMT_X2RGB10LE) {
        toX2rgb10(source, target, payload);
    } else {
        const FramePtr destination = borrowPayload(target, payload);
        convert(source, target.colour, *destination);
    }
}

void PictureConverter::convert(const AVFrame& source, const Colour& colour, AVFrame& destination) {
    const Colour from = colourOf(source, static_cast<AVPixelFormat>(source.format));
    prepare({.sourceFormat = source.format,
             .sourceWidth = source.width,
             .sourceHeight = source.height,
             .sourceMatrix = conversionMatrix(from, static_cast<std::uint32_t>(source.height)),
             .targetFormat = destination.format,
             .targetWidth = destination.width,
             .targetHeight = destination.height,
             .targetMatrix = conversionMatrix(colour, static_cast<std::uint32_t>(destination.height)),
             .sourceFull = from.fullRange,
             .targetFull = colour.fullRange});
    const int code = sws_scale_frame(scaler_.get(), &destination, &source);
    if (code < 0) {
        throw Error(ErrorKind::Input, fmt::format("a picture of {} cannot be converted: {}",
                                                  avPixelFormatName(source.format), avErrorText(code)));
    }
}

void PictureConverter::prepare(const Recipe& recipe) {
    if (recipe_ == recipe) {
        return;
    }
    recipe_.reset();
    scaler_.reset(sws_alloc_context());
    SwsContext* context = scaler_.get();
    if (context == nullptr) {
        throw Error(ErrorKind::Resource, "no memory for a scaler");
    }
    const auto set = [context](const char* name, std::int64_t value) {
        av_opt_set_int(context, name, value, 0);
    };
    set("srcw", recipe.sourceWidth);
    set("srch", recipe.sourceHeight);
    set("src_format", recipe.sourceFormat);
    set("src_range", recipe.sourceFull);
    set("dstw", recipe.targetWidth);
    set("dsth", recipe.targetHeight);
    set("dst_format", recipe.targetFormat);
    set("dst_range", recipe.targetFull);
    set("sws_flags", kScalerFlags);
    set("threads", threads_);
    if (isVerticallySubsampled(recipe.sourceFormat)) {
        set("src_v_chr_pos", kCentredChroma);
    }
    if (isVerticallySubsampled(recipe.targetFormat)) {
        set("dst_v_chr_pos", kCentredChroma);
    }
    if (const int code = sws_init_context(context, nullptr, nullptr); code < 0) {
        throw Error(ErrorKind::Input, fmt::format("pictures of {} cannot be converted to {}: {}",
                                                  avPixelFormatName(recipe.sourceFormat),
                                                  avPixelFormatName(recipe.targetFormat), avErrorText(code)));
    }
    // Fails for pairs of formats without YUV, which have nothing to set.
    sws_setColorspaceDetails(context, sws_getCoefficients(recipe.sourceMatrix), recipe.sourceFull,
                             sws_getCoefficients(recipe.targetMatrix), recipe.targetFull, 0, 1 << 16,
                             1 << 16);
    recipe_ = recipe;
}

const AVFrame& PictureConverter::asPlanar(const AVFrame& source, const VideoFormat& target,
                                          AVPixelFormat planar) {
    const int width = static_cast<int>(target.width);
    const int height = static_cast<int>(target.height);
    if (source.format == planar && source.width == width && source.height == height) {
        return source;
    }
    if (!intermediate_ || intermediate_->format != planar || intermediate_->width != width ||
        intermediate_->height != height) {
        intermediate_ = newPicture(planar, width, height);
    }
    convert(source, target.colour, *intermediate_);
    return *intermediate_;
}

void PictureConverter::toV210(const AVFrame& source, const VideoFormat& target, std::byte* payload) {
    const AVFrame& planar = asPlanar(source, target, AV_PIX_FMT_YUV422P10LE);
    const std::uint32_t rowBytes = tightRowBytes(target, 0);
    for (std::uint32_t y = 0; y < target.height; ++y) {
        const auto row = [&](int plane) {
            return reinterpret_cast<const std::uint16_t*>(
                planar.data[plane] + static_cast<std::ptrdiff_t>(y) * planar.linesize[plane]);
        };
        packV210Row(row(0), row(1), row(2), target.width,
                    payload + target.planes[0].offset + std::uint64_t{y} * target.planes[0].stride, rowBytes);
    }
}

// swscale would convert RGB to RGB of another depth through YUV and lose the last bits, and its x2rgb10
// output lacks full chroma interpolation. So YUV is converted to planar RGB first, and packed here.
void PictureConverter::toX2rgb10(const AVFrame& source, const VideoFormat& target, std::byte* payload) {
    const bool sameSize =
        source.width == static_cast<int>(target.width) && source.height == static_cast<int>(target.height);
    const bool readable = isIntegerRgb(source.format) && sameSize;
    const AVFrame& picture = readable ? source : asPlanar(source, target, AV_PIX_FMT_GBRP10LE);
    const AVPixFmtDescriptor& description = *describe(picture.format);
    const std::size_t width = target.width;
    rows_.resize(width * 3);
    const std::uint16_t* tables[3];
    std::uint32_t masks[3];  // a damaged picture may hold bits above its depth
    for (int c = 0; c < 3; ++c) {
        const auto& table = tenBits(description.comp[c].depth);
        tables[c] = table.data();
        masks[c] = static_cast<std::uint32_t>(table.size() - 1);
    }
    for (std::uint32_t y = 0; y < target.height; ++y) {
        Component components[3];
        for (int c = 0; c < 3; ++c) {
            components[c] = readComponent(picture, description, c, static_cast<int>(y),
                                          rows_.data() + width * static_cast<std::size_t>(c));
        }
        std::byte* row = payload + target.planes[0].offset + std::uint64_t{y} * target.planes[0].stride;
        const auto at = [&](int c, std::size_t x) -> std::uint32_t {
            return tables[c][components[c][x] & masks[c]];
        };
        for (std::size_t x = 0; x < width; ++x) {
            const std::uint32_t word = at(0, x) << 20 | at(1, x) << 10 | at(2, x);
            std::memcpy(row + x * 4, &word, sizeof word);
        }
    }
}

const std::vector<std::uint16_t>& PictureConverter::tenBits(int depth) {
    auto& table = tenBits_.at(static_cast<std::size_t>(depth));
    if (table.empty()) {
        const std::uint64_t top = (std::uint64_t{1} << depth) - 1;
        for (std::uint64_t value = 0; value <= top; ++value) {
            table.push_back(static_cast<std::uint16_t>((value * 1023 + top / 2) / top));
        }
    }
    return table;
}

}  // namespace verbcast
