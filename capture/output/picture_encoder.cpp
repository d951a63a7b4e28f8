#include "capture/output/picture_encoder.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include "capture/convert/format_mapping.h"
#include "capture/convert/v210.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr const char* kPixelFormat = "pix_fmt";

FramePtr unpackedV210(const VideoFormat& format, const std::byte* payload) {
    FramePtr picture =
        newPicture(AV_PIX_FMT_YUV422P10LE, static_cast<int>(format.width), static_cast<int>(format.height));
    for (std::uint32_t y = 0; y < format.height; ++y) {
        const auto row = [&](int plane) {
            return reinterpret_cast<std::uint16_t*>(picture->data[plane] + static_cast<std::ptrdiff_t>(y) *
                                                                               picture->linesize[plane]);
        };
        unpackV210Row(payload + format.planes[0].offset + std::uint64_t{y} * format.planes[0].stride,
                      format.width, row(0), row(1), row(2));
    }
    return picture;
}

std::string lossText(int loss) {
    std::string text;
    for (const auto& [flag, what] :
         {std::pair{FF_LOSS_DEPTH, "bits of depth"}, std::pair{FF_LOSS_CHROMA, "all colour"},
          std::pair{FF_LOSS_RESOLUTION, "chroma resolution"}}) {
        if ((loss & flag) != 0) {
            text += fmt::format("{}{}", text.empty() ? "" : " and ", what);
        }
    }
    return text.empty() ? "" : ": it loses " + text;
}

/// Deprecated, but what replaces it is not in FFmpeg 5.1.
const AVPixelFormat* formatsOf(const AVCodec& codec) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return codec.pix_fmts;
#pragma GCC diagnostic pop
}

/// Whether the codec's times are counted in pictures, or in few parts of a second.
bool countsCoarsely(AVCodecID codec) {
    return codec == AV_CODEC_ID_MPEG4 || codec == AV_CODEC_ID_MPEG1VIDEO || codec == AV_CODEC_ID_MPEG2VIDEO;
}

}  // namespace

// Found before a file that is to be replaced is emptied.
PictureEncoder::PictureEncoder(const std::string& asked, const AVOutputFormat& muxer)
    : choice_(chooseEncoder("--encoder", AVMEDIA_TYPE_VIDEO, asked, muxer, kPixelFormat)),
      headersApart_((muxer.flags & AVFMT_GLOBALHEADER) != 0),
      converter_(static_cast<int>(std::thread::hardware_concurrency())) {
    const AVDictionaryEntry* const format = av_dict_get(choice_.options.get(), kPixelFormat, nullptr, 0);
    if (format == nullptr) {
        return;
    }
    asked_ = av_get_pix_fmt(format->value);
    if (asked_ == AV_PIX_FMT_NONE) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--encoder {}: no pixel format {}", choice_.name, format->value),
                    fmt::format("its options: ffmpeg -hide_banner -h encoder={}", choice_.name));
    }
    AVDictionary* options = choice_.options.release();
    av_dict_set(&options, kPixelFormat, nullptr, 0);
    choice_.options.reset(options);
}

AVPixelFormat PictureEncoder::choose(AVPixelFormat from) {
    const AVPixelFormat* const formats = formatsOf(*choice_.codec);
    if (formats == nullptr && asked_ == AV_PIX_FMT_NONE) {
        return from;
    }
    const std::array<AVPixelFormat, 2> only{asked_, AV_PIX_FMT_NONE};
    int loss = 0;
    const AVPixelFormat best =
        avcodec_find_best_pix_fmt_of_list(asked_ == AV_PIX_FMT_NONE ? formats : only.data(), from, 0, &loss);
    const AVPixFmtDescriptor* const description = av_pix_fmt_desc_get(best);
    if (description == nullptr || (description->flags & AV_PIX_FMT_FLAG_HWACCEL) != 0) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--encoder {}: it takes no pictures that lie in main memory", choice_.name),
                    "choose another: ffmpeg -hide_banner -encoders");
    }
    if (best != from) {
        note_ = fmt::format("{} is converted to {}, which {} takes{}", avPixelFormatName(from),
                            avPixelFormatName(best), choice_.name, lossText(loss));
    }
    return best;
}

void PictureEncoder::open(const VideoFormat& format) {
    from_ = format.pixelFormat == PixelFormat::v210 ? AV_PIX_FMT_YUV422P10LE
                                                    : storedPixelFormat(format.pixelFormat);
    const AVPixelFormat to = choose(from_);
    target_ = format;
    const bool toRgb = (av_pix_fmt_desc_get(to)->flags & AV_PIX_FMT_FLAG_RGB) != 0;
    if (pixelFormatInfo(format.pixelFormat).rgb && !toRgb) {
        target_.colour.fullRange = false;
        target_.colour.matrix = AVCOL_SPC_BT709;
    } else if (toRgb) {
        target_.colour.fullRange = true;
        target_.colour.matrix = AVCOL_SPC_RGB;
    }
    if (choice_.codec->id == AV_CODEC_ID_MJPEG) {
        target_.colour.fullRange = true;  // it knows nothing else
    }
    context_.reset(avcodec_alloc_context3(choice_.codec));
    if (!context_) {
        throw Error(ErrorKind::Resource, "no memory for an encoder");
    }
    AVCodecContext& context = *context_;
    context.width = static_cast<int>(format.width);
    context.height = static_cast<int>(format.height);
    context.pix_fmt = to;
    context.time_base = toAv(format.timeBase);
    if (format.frameRate.numerator > 0) {
        context.framerate = toAv(format.frameRate);
        if (countsCoarsely(choice_.codec->id)) {
            context.time_base = av_inv_q(context.framerate);
        }
    }
    context.sample_aspect_ratio = toAv(format.pixelAspect);
    context.color_range = target_.colour.fullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    context.color_primaries = static_cast<AVColorPrimaries>(target_.colour.primaries);
    context.color_trc = static_cast<AVColorTransferCharacteristic>(target_.colour.transfer);
    context.colorspace = static_cast<AVColorSpace>(target_.colour.matrix);
    context.chroma_sample_location = static_cast<AVChromaLocation>(target_.colour.chromaLocation);
    context.strict_std_compliance = FF_COMPLIANCE_NORMAL;
    if (headersApart_) {
        context.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    }
    AVDictionary* options = choice_.options.release();
    av_dict_set(&options, "threads", "auto", AV_DICT_DONT_OVERWRITE);
    const int code = avcodec_open2(&context, choice_.codec, &options);
    choice_.options.reset(options);
    if (code < 0) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--encoder {}: it does not take {} as {} with these options: {}",
                                choice_.name, describe(format), avPixelFormatName(to), avErrorText(code)),
                    fmt::format("its options: ffmpeg -hide_banner -h encoder={}", choice_.name));
    }
}

/// Borrows the payload or, where it must be repacked, owns the values.
FramePtr PictureEncoder::source(const VideoFormat& format, const std::byte* payload) {
    auto* const bytes = const_cast<std::byte*>(payload);  // only read
    if (format.pixelFormat == PixelFormat::v210) {
        return unpackedV210(format, payload);
    }
    if (from_ == avPixelFormat(format.pixelFormat)) {
        return borrowPayload(format, bytes);
    }
    const std::span<const std::byte> packed = packer_.packStored(format, payload);
    FramePtr picture = newFrame();
    picture->format = from_;
    picture->width = static_cast<int>(format.width);
    picture->height = static_cast<int>(format.height);
    av_image_fill_arrays(picture->data, picture->linesize,
                         reinterpret_cast<const std::uint8_t*>(packed.data()), from_, picture->width,
                         picture->height, 1);
    return picture;
}

void PictureEncoder::send(const VideoFormat& format, const std::byte* payload, std::int64_t pts) {
    FramePtr picture = source(format, payload);
    if (context_->pix_fmt != from_ || target_.colour.fullRange != format.colour.fullRange) {
        picture->color_range = format.colour.fullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
        picture->colorspace = static_cast<AVColorSpace>(format.colour.matrix);
        FramePtr converted = newPicture(context_->pix_fmt, picture->width, picture->height);
        converter_.convert(*picture, target_.colour, *converted);
        picture = std::move(converted);
    } else {
        // Encoders keep pictures, and the slot is lent only for now.
        FramePtr kept = newPicture(context_->pix_fmt, picture->width, picture->height);
        av_frame_copy(kept.get(), picture.get());
        picture = std::move(kept);
    }
    last_ = std::max(av_rescale_q(pts, toAv(format.timeBase), context_->time_base), last_ + 1);
    picture->pts = last_;
    picture->sample_aspect_ratio = context_->sample_aspect_ratio;
    picture->color_range = context_->color_range;
    picture->color_primaries = context_->color_primaries;
    picture->color_trc = context_->color_trc;
    picture->colorspace = context_->colorspace;
    picture->chroma_location = context_->chroma_sample_location;
    if (const int code = avcodec_send_frame(context_.get(), picture.get()); code < 0) {
        throw Error(ErrorKind::Input, fmt::format("{} failed: {}", choice_.name, avErrorText(code)),
                    "choose another --encoder, or record without one");
    }
}

void PictureEncoder::sendEnd() {
    avcodec_send_frame(context_.get(), nullptr);
}

bool PictureEncoder::receive(AVPacket& packet) {
    const int code = avcodec_receive_packet(context_.get(), &packet);
    if (code < 0 && code != AVERROR(EAGAIN) && code != AVERROR_EOF) {
        throw Error(ErrorKind::Input, fmt::format("{} failed: {}", choice_.name, avErrorText(code)),
                    "choose another --encoder, or record without one");
    }
    return code >= 0;
}

}  // namespace verbcast
