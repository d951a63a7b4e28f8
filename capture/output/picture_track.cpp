#include "capture/output/picture_track.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "capture/convert/format_mapping.h"
#include "capture/convert/hdr_metadata.h"
#include "capture/convert/picture_converter.h"
#include "core/base/error.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

constexpr std::size_t kMaxNotes = 32;  // a peer may change its format with every frame

bool y4mHolds(PixelFormat format) {
    constexpr std::array kHeld{PixelFormat::yuv420p,     PixelFormat::yuv422p,     PixelFormat::yuv444p,
                               PixelFormat::yuv420p10le, PixelFormat::yuv422p10le, PixelFormat::yuv444p10le,
                               PixelFormat::gray};
    return std::find(kHeld.begin(), kHeld.end(), format) != kHeld.end();
}

/// The format in which it is stored without loss: NUT and Matroska have no tag for two of ours.
AVPixelFormat storedFormat(PixelFormat format, Container container) {
    return nameOf(container).hasTimes ? storedPixelFormat(format) : avPixelFormat(format);
}

AVCodecID codecOf(PixelFormat format, Container container) {
    // y4m's muxer takes pictures with strides; the others take bytes.
    return container == Container::Y4m   ? AV_CODEC_ID_WRAPPED_AVFRAME
           : format == PixelFormat::v210 ? AV_CODEC_ID_V210
                                         : AV_CODEC_ID_RAWVIDEO;
}

/// What readers take for granted of a file that does not say it.
bool isAssumed(const VideoFormat& format) {
    constexpr int kUnspecified = AVCOL_PRI_UNSPECIFIED;
    const Colour& colour = format.colour;
    const bool rgb = pixelFormatInfo(format.pixelFormat).rgb;
    const bool matrix = rgb || colour.matrix == kUnspecified ||
                        conversionMatrix({}, format.height) == conversionMatrix(colour, format.height);
    const auto isSdr = [](int value) {
        return value == AVCOL_TRC_UNSPECIFIED || value == AVCOL_TRC_BT709 || value == AVCOL_TRC_SMPTE170M ||
               value == AVCOL_TRC_IEC61966_2_1;
    };
    const auto isUsual = [](int value) {
        return value == kUnspecified || value == AVCOL_PRI_BT709 || value == AVCOL_PRI_SMPTE170M;
    };
    const bool gray = format.pixelFormat == PixelFormat::gray;
    return matrix && isSdr(colour.transfer) && isUsual(colour.primaries) && (gray || colour.fullRange == rgb);
}

void requireHeld(const VideoFormat& format, Container container) {
    if (container != Container::Y4m) {
        return;
    }
    if (!y4mHolds(format.pixelFormat)) {
        throw Error(ErrorKind::Usage,
                    fmt::format("y4m holds planar YUV and gray, and the stream is {}",
                                pixelFormatName(format.pixelFormat)),
                    "write Matroska (.mkv) or NUT (.nut)");
    }
    const PixelFormatInfo& info = pixelFormatInfo(format.pixelFormat);
    if (info.bitsPerComponent > 8 && info.chromaShiftX > 0 && format.width % 2 != 0) {
        // FFmpeg halves the doubled width, which loses half a sample in each row.
        throw Error(ErrorKind::Usage, "FFmpeg does not write y4m of odd widths with more than 8 bits",
                    "write NUT: --output-format nut");
    }
    if (format.frameRate.numerator <= 0) {
        throw Error(ErrorKind::Usage, "y4m needs a frame rate, and the stream does not say one",
                    "write NUT: --output-format nut");
    }
}

std::string_view describeFields(FieldOrder order) {
    return order == FieldOrder::Progressive ? "progressive"
           : order == FieldOrder::TopFirst  ? "interlaced, top field first"
                                            : "interlaced, bottom field first";
}

std::int64_t bounded(std::int64_t time) {
    return std::clamp(time, -kLatestTime, kLatestTime);
}

}  // namespace

PictureTrack::PictureTrack(Container container, const std::string& encoder, std::vector<std::string>& notes)
    : container_(container),
      encoder_(encoder.empty() ? nullptr : std::make_unique<PictureEncoder>(encoder, muxerOf(container))),
      notes_(notes),
      packet_(newPacket()) {}

void PictureTrack::prepare(const VideoFormat& format) {
    requireHeld(format, container_);
    if (encoder_) {
        encoder_->open(format);
    }
}

void PictureTrack::addTo(Muxer& muxer, const VideoFormat& format, std::int64_t pts) {
    muxer_ = &muxer;
    stream_ = &muxer.addStream();
    describe(*stream_, format);
    noteLosses(format);
    format_ = last_ = format;
    timeOffset_ = -bounded(pts);
}

void PictureTrack::describe(AVStream& stream, const VideoFormat& format) const {
    AVCodecParameters& parameters = *stream.codecpar;
    stream.time_base = toAv(format.timeBase);
    if (format.frameRate.numerator > 0) {
        stream.avg_frame_rate = stream.r_frame_rate = toAv(format.frameRate);
    }
    stream.sample_aspect_ratio = toAv(format.pixelAspect);
    describeHdr(stream, format.hdr);
    if (encoder_) {
        avcodec_parameters_from_context(&parameters, &encoder_->context());
        parameters.field_order = toAv(format.fieldOrder);
        return;
    }
    const AVPixelFormat written = storedFormat(format.pixelFormat, container_);
    parameters.codec_type = AVMEDIA_TYPE_VIDEO;
    parameters.codec_id = codecOf(format.pixelFormat, container_);
    if (parameters.codec_id == AV_CODEC_ID_RAWVIDEO) {
        parameters.codec_tag = avcodec_pix_fmt_to_codec_tag(written);
    }
    parameters.format = written;
    parameters.width = static_cast<int>(format.width);
    parameters.height = static_cast<int>(format.height);
    parameters.sample_aspect_ratio = stream.sample_aspect_ratio;
    parameters.color_range = format.colour.fullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    parameters.color_primaries = static_cast<AVColorPrimaries>(format.colour.primaries);
    parameters.color_trc = static_cast<AVColorTransferCharacteristic>(format.colour.transfer);
    parameters.color_space = static_cast<AVColorSpace>(format.colour.matrix);
    parameters.chroma_location = static_cast<AVChromaLocation>(format.colour.chromaLocation);
    parameters.field_order = toAv(format.fieldOrder);
}

void PictureTrack::noteLosses(const VideoFormat& format) {
    const AVPixelFormat stored = storedFormat(format.pixelFormat, container_);
    if (encoder_) {
        if (!encoder_->note().empty()) {
            notes_.push_back(encoder_->note());
        }
        if (format.fieldOrder != FieldOrder::Progressive) {
            notes_.push_back(fmt::format("the pictures are {}, and are encoded as whole ones",
                                         describeFields(format.fieldOrder)));
        }
    } else if (stored != avPixelFormat(format.pixelFormat)) {
        notes_.push_back(fmt::format("{} is written as {}, which holds the same bits",
                                     pixelFormatName(format.pixelFormat), avPixelFormatName(stored)));
    }
    if (!nameOf(container_).saysColour && !isAssumed(format)) {
        notes_.push_back(fmt::format("{} does not say that the colours are {}; Matroska (.mkv) does",
                                     nameOf(container_).name, describeColour(format)));
    }
    if (!nameOf(container_).saysColour && format.hdr != HdrMetadata{}) {
        notes_.push_back(fmt::format("{} does not hold what the stream says of its HDR; Matroska (.mkv) does",
                                     nameOf(container_).name));
    }
    if (!nameOf(container_).saysFields && format.fieldOrder != FieldOrder::Progressive) {
        notes_.push_back(fmt::format("{} does not say that the pictures are {}; Matroska (.mkv) does",
                                     nameOf(container_).name, describeFields(format.fieldOrder)));
    }
    if (format.rotation != 0) {
        notes_.push_back(fmt::format("the stream's rotation by {} degrees is not recorded", format.rotation));
    }
}

/// Of what a file says once.
void PictureTrack::noteChanges(const VideoFormat& format) {
    if (format.colour == last_.colour && format.pixelAspect == last_.pixelAspect &&
        format.rotation == last_.rotation && format.fieldOrder == last_.fieldOrder &&
        format.hdr == last_.hdr) {
        return;
    }
    std::vector<std::string> changed;
    if (format.colour != last_.colour) {
        changed.push_back(fmt::format("its colours are {}", describeColour(format)));
    }
    if (format.pixelAspect != last_.pixelAspect) {
        changed.push_back(fmt::format("its pixels are {}:{}", format.pixelAspect.numerator,
                                      format.pixelAspect.denominator));
    }
    if (format.rotation != last_.rotation) {
        changed.push_back(fmt::format("it is turned by {} degrees", format.rotation));
    }
    if (format.fieldOrder != last_.fieldOrder) {
        changed.push_back(fmt::format("it is {}", describeFields(format.fieldOrder)));
    }
    if (format.hdr != last_.hdr) {
        changed.emplace_back("it says something else of its HDR");
    }
    last_ = format;
    std::string note = fmt::format("the stream has changed: {}; the file says what it was at its begin",
                                   fmt::join(changed, ", "));
    if (std::ranges::find(notes_, note) == notes_.end() && notes_.size() < kMaxNotes) {
        notes_.push_back(std::move(note));
    }
}

void PictureTrack::requireSame(const VideoFormat& format) const {
    if (format.width == format_.width && format.height == format_.height &&
        format.pixelFormat == format_.pixelFormat) {
        return;
    }
    throw Error(ErrorKind::Input,
                fmt::format("the stream has changed from {}x{} {} to {}x{} {}, which one file cannot hold; "
                            "{} written until then",
                            format_.width, format_.height, pixelFormatName(format_.pixelFormat), format.width,
                            format.height, pixelFormatName(format.pixelFormat),
                            counted(frames_, "frame was", "frames were")),
                "start again with another file");
}

/// Starts at 0 and always increases, even when another sender starts over.
std::int64_t PictureTrack::nextTime(const VideoFormat& format, std::int64_t pts) {
    const std::int64_t time =
        bounded(av_rescale_q(bounded(pts), toAv(format.timeBase), toAv(format_.timeBase)));
    if (frames_ == 0) {
        timeOffset_ = -time;
    } else if (time + timeOffset_ < lastGiven_) {
        const std::int64_t step =
            format.frameRate.numerator > 0
                ? av_rescale_q(1, av_inv_q(toAv(format.frameRate)), toAv(format_.timeBase))
                : 1;
        timeOffset_ = lastTime_ + std::max<std::int64_t>(1, step) - time;
    }
    lastGiven_ = bounded(time + timeOffset_);
    // Pictures of one time follow each other closely, and later ones are on time again.
    lastTime_ = frames_ == 0 ? lastGiven_ : std::max(lastGiven_, lastTime_ + 1);
    return lastTime_;
}

std::span<const std::byte> PictureTrack::bytesOf(const VideoFormat& format, const std::byte* payload) {
    return nameOf(container_).hasTimes ? packer_.packStored(format, payload) : packer_.pack(format, payload);
}

int PictureTrack::write(const VideoFormat& format, const FrameInfo& info, const std::byte* payload) {
    requireSame(format);
    noteChanges(format);
    const std::int64_t time = nextTime(format, info.pts);
    return encoder_ ? encode(format, payload, time) : store(format, payload, time);
}

int PictureTrack::store(const VideoFormat& format, const std::byte* payload, std::int64_t time) {
    FramePtr picture;
    if (container_ == Container::Y4m) {
        picture = borrowPayload(format, const_cast<std::byte*>(payload));  // the muxer only reads it
        packet_->data = reinterpret_cast<std::uint8_t*>(picture.get());
        packet_->size = sizeof(AVFrame);
    } else {
        const std::span<const std::byte> bytes = bytesOf(format, payload);
        packet_->data = reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(bytes.data()));
        packet_->size = static_cast<int>(bytes.size());
    }
    packet_->pts = packet_->dts = time;
    packet_->flags = AV_PKT_FLAG_KEY;
    const int code = muxer_->write(*packet_, stream_->index, toAv(format_.timeBase));
    packet_->data = nullptr;  // borrowed
    packet_->size = 0;
    return code;
}

int PictureTrack::encode(const VideoFormat& format, const std::byte* payload, std::int64_t time) {
    encoder_->send(format, payload, time);
    return muxEncoded();
}

int PictureTrack::muxEncoded() {
    int code = 0;
    while (code >= 0 && encoder_->receive(*packet_)) {
        code = muxer_->write(*packet_, stream_->index, encoder_->context().time_base);
        av_packet_unref(packet_.get());
    }
    return code;
}

int PictureTrack::finish() {
    if (!encoder_ || muxer_ == nullptr) {
        return 0;
    }
    encoder_->sendEnd();
    return muxEncoded();
}

std::int64_t PictureTrack::toFile(std::int64_t time, std::uint32_t rate) const {
    const AVRational samples{1, static_cast<int>(rate)};
    return bounded(time) + bounded(av_rescale_q(timeOffset_, toAv(format_.timeBase), samples));
}

std::int64_t PictureTrack::lastTime(std::uint32_t rate) const {
    return bounded(av_rescale_q(lastTime_, toAv(format_.timeBase), {1, static_cast<int>(rate)}));
}

}  // namespace verbcast
