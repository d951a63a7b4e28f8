#include "tests/render/swscale_reference.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

namespace verbcast::testing {
namespace {

struct ContextDeleter {
    void operator()(SwsContext* context) const { sws_freeContext(context); }
};
using Context = std::unique_ptr<SwsContext, ContextDeleter>;

/// The planar FFmpeg format with the same components.
AVPixelFormat planarFormat(const VideoFormat& format) {
    const auto& info = pixelFormatInfo(format.pixelFormat);
    if (info.rgb) {
        return info.bitsPerComponent > 8 ? AV_PIX_FMT_GBRP10LE : AV_PIX_FMT_GBRP;
    }
    if (info.format == PixelFormat::gray) {
        return AV_PIX_FMT_GRAY8;
    }
    const std::string chroma = info.chromaShiftX == 0 ? "444" : info.chromaShiftY == 0 ? "422" : "420";
    return av_get_pix_fmt(("yuv" + chroma + "p" + (info.bitsPerComponent > 8 ? "10le" : "")).c_str());
}

/// Extends planes to even sizes by repeating the last column and row of the full-size planes: for odd sizes
/// swscale would scale the chroma planes by a factor other than 2.
CodePlane evenPlane(const CodePlane& plane, std::uint32_t width, std::uint32_t height) {
    CodePlane even{width, height, {}};
    even.codes.reserve(std::size_t{width} * height);
    for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) {
            even.codes.push_back(plane.at(std::min(x, plane.width - 1), std::min(y, plane.height - 1)));
        }
    }
    return even;
}

struct Planes {
    std::vector<std::uint8_t> bytes[3];
    const std::uint8_t* data[4] = {};
    int stride[4] = {};
};

Planes planarBytes(const VideoFormat& format, const CodePicture& picture, std::uint32_t width,
                   std::uint32_t height) {
    const auto& info = pixelFormatInfo(format.pixelFormat);
    Planes planes;
    for (std::size_t i = 0; i < picture.planes.size(); ++i) {
        const unsigned shiftX = i > 0 ? info.chromaShiftX : 0, shiftY = i > 0 ? info.chromaShiftY : 0;
        const auto even = evenPlane(picture.planes[i], width >> shiftX, height >> shiftY);
        const std::size_t target = info.rgb ? (i + 2) % 3 : i;  // FFmpeg's planes are G, B, R
        for (const auto code : even.codes) {
            planes.bytes[target].push_back(static_cast<std::uint8_t>(code));
            if (info.bitsPerComponent > 8) {
                planes.bytes[target].push_back(static_cast<std::uint8_t>(code >> 8));
            }
        }
        planes.data[target] = planes.bytes[target].data();
        planes.stride[target] = static_cast<int>(even.width * (info.bitsPerComponent > 8 ? 2 : 1));
    }
    return planes;
}

void setChromaPosition(SwsContext* context, const VideoFormat& format) {
    // In 1/256 of a luma pixel.
    const bool centred = format.colour.chromaLocation == 2;
    const bool top = format.colour.chromaLocation == 3;
    const auto& info = pixelFormatInfo(format.pixelFormat);
    if (info.chromaShiftX > 0) {
        av_opt_set_int(context, "src_h_chr_pos", centred ? 128 : 0, 0);
    }
    if (info.chromaShiftY > 0) {
        av_opt_set_int(context, "src_v_chr_pos", top ? 0 : 128, 0);
    }
}

Context makeContext(const VideoFormat& format, std::uint32_t width, std::uint32_t height,
                    AVPixelFormat target, bool targetFullRange) {
    Context context(sws_alloc_context());
    av_opt_set_int(context.get(), "srcw", width, 0);
    av_opt_set_int(context.get(), "srch", height, 0);
    av_opt_set_int(context.get(), "src_format", planarFormat(format), 0);
    av_opt_set_int(context.get(), "dstw", width, 0);
    av_opt_set_int(context.get(), "dsth", height, 0);
    av_opt_set_int(context.get(), "dst_format", target, 0);
    av_opt_set_int(context.get(), "sws_flags",
                   SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT,
                   0);
    setChromaPosition(context.get(), format);
    const int* matrix = sws_getCoefficients(format.colour.matrix);
    sws_setColorspaceDetails(context.get(), matrix, format.colour.fullRange, matrix, targetFullRange, 0,
                             1 << 16, 1 << 16);
    if (sws_init_context(context.get(), nullptr, nullptr) < 0) {
        throw std::runtime_error("swscale refuses " + describe(format));
    }
    sws_setColorspaceDetails(context.get(), matrix, format.colour.fullRange, matrix, targetFullRange, 0,
                             1 << 16, 1 << 16);
    return context;
}

struct CodecDeleter {
    void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
    void operator()(AVFrame* frame) const { av_frame_free(&frame); }
    void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};

std::vector<std::byte> encodeV210(const VideoFormat& format, const Planes& source) {
    const auto* codec = avcodec_find_encoder(AV_CODEC_ID_V210);
    const std::unique_ptr<AVCodecContext, CodecDeleter> encoder(avcodec_alloc_context3(codec));
    const std::unique_ptr<AVFrame, CodecDeleter> frame(av_frame_alloc());
    const std::unique_ptr<AVPacket, CodecDeleter> packet(av_packet_alloc());
    encoder->width = frame->width = static_cast<int>(format.width);
    encoder->height = frame->height = static_cast<int>(format.height);
    encoder->pix_fmt = AV_PIX_FMT_YUV422P10LE;
    frame->format = AV_PIX_FMT_YUV422P10LE;
    encoder->time_base = {1, 25};
    if (codec == nullptr || avcodec_open2(encoder.get(), codec, nullptr) < 0 ||
        av_frame_get_buffer(frame.get(), 0) < 0) {
        throw std::runtime_error("FFmpeg has no v210 encoder");
    }
    for (std::size_t i = 0; i < 3; ++i) {
        const int rowBytes = source.stride[i];
        for (int row = 0; row < frame->height; ++row) {
            std::memcpy(frame->data[i] + std::ptrdiff_t{row} * frame->linesize[i],
                        source.data[i] + std::ptrdiff_t{row} * rowBytes, static_cast<std::size_t>(rowBytes));
        }
    }
    if (avcodec_send_frame(encoder.get(), frame.get()) < 0 ||
        avcodec_receive_packet(encoder.get(), packet.get()) < 0) {
        throw std::runtime_error("FFmpeg's v210 encoder fails");
    }
    const auto* bytes = reinterpret_cast<const std::byte*>(packet->data);
    return {bytes, bytes + packet->size};
}

std::uint8_t toEightBits(unsigned value16) {
    return static_cast<std::uint8_t>((value16 * 255u + 32767u) / 65535u);
}

}  // namespace

std::vector<std::uint8_t> swscaleRgb(const VideoFormat& format, const CodePicture& picture) {
    const std::uint32_t width = (format.width + 1) & ~1u, height = (format.height + 1) & ~1u;
    const auto source = planarBytes(format, picture, width, height);
    // Planar RGB: for packed RGB at source size swscale rounds the weights of rows (a quarter becomes zero).
    std::vector<std::uint16_t> wide[3];  // G, B, R
    std::uint8_t* target[4] = {};
    int stride[4] = {};
    for (std::size_t i = 0; i < 3; ++i) {
        wide[i].resize(std::size_t{width} * height);
        target[i] = reinterpret_cast<std::uint8_t*>(wide[i].data());
        stride[i] = static_cast<int>(width * 2);
    }
    const auto context = makeContext(format, width, height, AV_PIX_FMT_GBRP16LE, true);
    sws_scale(context.get(), source.data, source.stride, 0, static_cast<int>(height), target, stride);

    std::vector<std::uint8_t> rgb;
    rgb.reserve(std::size_t{3} * format.width * format.height);
    for (std::uint32_t y = 0; y < format.height; ++y) {
        for (std::uint32_t x = 0; x < format.width; ++x) {
            for (const std::size_t plane : {2, 0, 1}) {
                rgb.push_back(toEightBits(wide[plane][std::size_t{y} * width + x]));
            }
        }
    }
    return rgb;
}

std::vector<std::byte> ffmpegPacked(const VideoFormat& format, const CodePicture& picture) {
    const auto source = planarBytes(format, picture, format.width, format.height);
    if (format.pixelFormat == PixelFormat::v210) {
        return encodeV210(format, source);
    }
    const auto target = av_get_pix_fmt(std::string(pixelFormatName(format.pixelFormat)).c_str());
    std::vector<std::byte> payload(format.payloadBytes);
    std::uint8_t* planes[4] = {};
    int strides[4] = {};
    for (std::size_t i = 0; i < pixelFormatInfo(format.pixelFormat).planeCount; ++i) {
        planes[i] = reinterpret_cast<std::uint8_t*>(payload.data() + format.planes[i].offset);
        strides[i] = static_cast<int>(format.planes[i].stride);
    }
    const auto context = makeContext(format, format.width, format.height, target, format.colour.fullRange);
    sws_scale(context.get(), source.data, source.stride, 0, static_cast<int>(format.height), planes, strides);
    return payload;
}

std::array<unsigned, 3> swscaleFirstPixel(const VideoFormat& format, const std::vector<std::byte>& payload) {
    const int width = static_cast<int>(format.width), height = static_cast<int>(format.height);
    const Context context(sws_getContext(width, height, AV_PIX_FMT_X2RGB10LE, width, height,
                                         AV_PIX_FMT_RGB48LE, SWS_BILINEAR | SWS_ACCURATE_RND, nullptr,
                                         nullptr, nullptr));
    std::vector<std::uint16_t> wide(std::size_t{3} * format.width * format.height);
    const std::uint8_t* const source[4] = {reinterpret_cast<const std::uint8_t*>(payload.data())};
    const int sourceStride[4] = {static_cast<int>(format.planes[0].stride)};
    std::uint8_t* const target[4] = {reinterpret_cast<std::uint8_t*>(wide.data())};
    const int targetStride[4] = {width * 6};
    sws_scale(context.get(), source, sourceStride, 0, height, target, targetStride);
    return {wide[0] / 64u, wide[1] / 64u, wide[2] / 64u};
}

}  // namespace verbcast::testing
