#include "capture/camera/camera_decoder.h"

#include <linux/videodev2.h>

#include <cstring>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr int kMacroblock = 16;

AVCodecID codecOf(std::uint32_t fourCc) {
    switch (fourCc) {
        case V4L2_PIX_FMT_MJPEG:
        case V4L2_PIX_FMT_JPEG:
            return AV_CODEC_ID_MJPEG;
        case V4L2_PIX_FMT_H264:
            return AV_CODEC_ID_H264;
        case V4L2_PIX_FMT_HEVC:
            return AV_CODEC_ID_HEVC;
        default:
            throw Error(ErrorKind::Device, fourCcText(fourCc) + " cannot be decoded");
    }
}

int macroblocks(int pixels) {
    return (pixels + kMacroblock - 1) / kMacroblock;
}

CodecContextPtr openFor(const CameraPicture& mode, int threads, SlotAllocator& allocator) {
    quietFfmpeg();
    const CodecParametersPtr parameters(avcodec_parameters_alloc());
    if (!parameters) {
        throw Error(ErrorKind::Resource, "no memory for a decoder");
    }
    parameters->codec_type = AVMEDIA_TYPE_VIDEO;
    parameters->codec_id = codecOf(mode.fourCc);
    parameters->width = static_cast<int>(mode.width);
    parameters->height = static_cast<int>(mode.height);
    // JPEG pictures stand alone, so a broken one is better dropped. Other codecs predict from earlier
    // pictures, so concealing errors serves them better.
    const bool standAlone = parameters->codec_id == AV_CODEC_ID_MJPEG;
    return openDecoder(*parameters,
                       {.what = "the camera's pictures",
                        .withoutDecoder = "install a complete FFmpeg, or pick another mode: verbcast devices "
                                          "lists them, --size and --fps choose",
                        .timeBase = {1, 1'000'000},
                        .threads = threads,
                        .atOnce = true,
                        .wholeOnly = standAlone},
                       allocator, {});
}

}  // namespace

CameraDecoder::CameraDecoder(const CameraPicture& mode, const std::optional<Rational>& rate, int threads,
                             SlotAllocator& allocator)
    : allocator_(allocator),
      mode_(mode),
      context_(openFor(mode, threads, allocator)),
      packet_(newPacket()),
      picture_(newFrame()),
      delivery_({.source = {}, .decoderThreads = threads}, allocator),
      traits_{.frameRate = rate.value_or(Rational{0, 1}),
              .timeBase = {1, 1'000'000},
              .pixelAspect = {1, 1},
              .rotation = 0} {
    // A broken header must not ask for a ring of giant pictures.
    context_->max_pixels = std::int64_t{kMacroblock} * kMacroblock *
                           macroblocks(static_cast<int>(mode.width)) *
                           macroblocks(static_cast<int>(mode.height));
}

/// The first picture fixes the format, if its size matches the mode's up to padding of the last macroblock.
bool CameraDecoder::isOfThisStream(const AVFrame& picture) {
    const auto width = static_cast<int>(mode_.width);
    const auto height = static_cast<int>(mode_.height);
    if (pixelFormat_ >= 0) {
        return picture.format == pixelFormat_ && picture.width == width && picture.height == height;
    }
    if (macroblocks(picture.width) != macroblocks(width) ||
        macroblocks(picture.height) != macroblocks(height)) {
        return false;
    }
    pixelFormat_ = picture.format;
    mode_.width = static_cast<std::uint32_t>(picture.width);
    mode_.height = static_cast<std::uint32_t>(picture.height);
    return true;
}

Status CameraDecoder::decode(std::span<const std::byte> compressed, const Event& cancel, CapturedFrame& frame,
                             SourceCounters& counters) {
    if (const Status room = allocator_.waitForConsumers(cancel); room != Status::Ok) {
        return room;
    }
    if (compressed.empty()) {
        return Status::Busy;  // some drivers return an empty buffer when they have no picture
    }
    if (av_new_packet(packet_.get(), static_cast<int>(compressed.size())) < 0) {
        throw Error(ErrorKind::Resource, "no memory for a compressed picture");
    }
    std::memcpy(packet_->data, compressed.data(), compressed.size());
    int code = avcodec_send_packet(context_.get(), packet_.get());
    av_packet_unref(packet_.get());
    if (code >= 0) {
        code = avcodec_receive_frame(context_.get(), picture_.get());
    }
    if (code == AVERROR(EAGAIN)) {
        return Status::Busy;  // parameter sets, or pictures before the first decodable one
    }
    if (code < 0 || !isOfThisStream(*picture_)) {
        ++counters.framesLost;
        av_frame_unref(picture_.get());
        return Status::Busy;
    }
    frame.flags = allocator_.takeDamage(*picture_) ? kFrameDamaged : 0U;
    const Status delivered = delivery_.deliver(*picture_, traits_, cancel, frame, counters);
    av_frame_unref(picture_.get());
    return delivered;
}

}  // namespace verbcast
