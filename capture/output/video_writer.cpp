// Frames are not copied if their planes lie without gaps in the slot and the container takes those bytes,
// else once into a buffer; y4m passes row by row through libavformat's own.
#include "capture/output/video_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "capture/convert/ffmpeg_handles.h"
#include "capture/convert/format_mapping.h"
#include "capture/convert/picture_converter.h"
#include "capture/convert/picture_packer.h"
#include "capture/output/output_descriptor.h"
#include "core/base/counted.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr int kBufferBytes = 1 << 20;
constexpr std::int64_t kLatestTime = std::int64_t{1} << 52;  // a peer may send any value

struct FreeMuxer {
    void operator()(AVFormatContext* context) const { avformat_free_context(context); }
    void operator()(AVIOContext* context) const {
        av_freep(&context->buffer);
        avio_context_free(&context);
    }
};

#if LIBAVFORMAT_VERSION_MAJOR >= 61
using WrittenByte = const std::uint8_t;
#else
using WrittenByte = std::uint8_t;
#endif

AVRational toAv(Rational value) {
    return {value.numerator, value.denominator};
}

const char* muxerName(Container container) {
    switch (container) {
        case Container::Rawvideo:
            return "rawvideo";
        case Container::Y4m:
            return "yuv4mpegpipe";
        case Container::Nut:
            return "nut";
    }
    return "";
}

bool y4mHolds(PixelFormat format) {
    constexpr std::array kHeld{PixelFormat::yuv420p,     PixelFormat::yuv422p,     PixelFormat::yuv444p,
                               PixelFormat::yuv420p10le, PixelFormat::yuv422p10le, PixelFormat::yuv444p10le,
                               PixelFormat::gray};
    return std::find(kHeld.begin(), kHeld.end(), format) != kHeld.end();
}

/// The format in which NUT holds it without loss: NUT has no tag for two of ours.
AVPixelFormat nutPixelFormat(PixelFormat format) {
    switch (format) {
        case PixelFormat::p010le:
            return AV_PIX_FMT_YUV420P10LE;
        case PixelFormat::x2rgb10le:
            return AV_PIX_FMT_GBRP10LE;
        default:
            return avPixelFormat(format);
    }
}

AVCodecID codecOf(PixelFormat format, Container container) {
    // y4m's muxer takes pictures with strides; the others take bytes.
    return container == Container::Y4m   ? AV_CODEC_ID_WRAPPED_AVFRAME
           : format == PixelFormat::v210 ? AV_CODEC_ID_V210
                                         : AV_CODEC_ID_RAWVIDEO;
}

void requireHeld(const VideoFormat& format, Container container) {
    if (container != Container::Y4m) {
        return;
    }
    if (!y4mHolds(format.pixelFormat)) {
        throw Error(ErrorKind::Usage,
                    fmt::format("y4m holds planar YUV and gray, and the stream is {}",
                                pixelFormatName(format.pixelFormat)),
                    "write NUT: --output-format nut");
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

}  // namespace

class VideoWriter::Impl {
  public:
    Impl(const std::string& path, Container container, const Event& cancel, Existing existing)
        : output_(path, cancel, existing), container_(container), packet_(newPacket()) {}

    Status write(const VideoFormat& format, const FrameInfo& info, const std::byte* payload);
    Status finish();
    std::uint64_t bytesWritten() const { return output_.bytesWritten(); }
    const std::vector<std::string>& notes() const { return notes_; }

  private:
    Status begin(const VideoFormat& format);
    void describe(AVStream& stream, const VideoFormat& format);
    void noteLosses(const VideoFormat& format);
    void requireSame(const VideoFormat& format) const;
    std::int64_t nextTime(const VideoFormat& format, std::int64_t pts);
    std::span<const std::byte> bytesOf(const VideoFormat& format, const std::byte* payload);
    Status outcome(int code, const char* call);
    static int writeBytes(void* self, WrittenByte* bytes, int count);

    OutputDescriptor output_;
    Container container_;
    PicturePacker packer_;
    std::unique_ptr<AVIOContext, FreeMuxer> bytes_;
    std::unique_ptr<AVFormatContext, FreeMuxer> muxer_;  // from the first frame on
    PacketPtr packet_;
    VideoFormat format_;           // of the first frame
    std::int64_t timeOffset_ = 0;  // added to pts, in format_.timeBase
    std::int64_t lastGiven_ = 0;   // with timeOffset_
    std::int64_t lastTime_ = 0;    // written
    std::uint64_t frames_ = 0;
    Status refused_ = Status::Ok;  // why the output took no more bytes
    std::exception_ptr failure_;   // likewise
    std::vector<std::string> notes_;
};

// Called by libavformat, which exceptions must not cross.
int VideoWriter::Impl::writeBytes(void* opaque, WrittenByte* bytes, int count) {
    auto* self = static_cast<Impl*>(opaque);
    if (self->refused_ != Status::Ok || self->failure_) {
        return AVERROR_EXIT;
    }
    try {
        self->refused_ =
            self->output_.write({reinterpret_cast<const std::byte*>(bytes), static_cast<std::size_t>(count)});
    } catch (const Error& error) {
        self->failure_ = std::make_exception_ptr(
            Error(error.kind(), fmt::format("{}, {}", error.what(), counted(self->frames_, "whole frame")),
                  error.remedy()));
    }
    return self->refused_ == Status::Ok && !self->failure_ ? count : AVERROR_EXIT;
}

Status VideoWriter::Impl::outcome(int code, const char* call) {
    if (failure_) {
        std::rethrow_exception(failure_);
    }
    if (refused_ == Status::Ok && code < 0) {
        throw Error(ErrorKind::Internal,
                    fmt::format("{} for {}: {}", call, muxerName(container_), avErrorText(code)));
    }
    return refused_;
}

void VideoWriter::Impl::describe(AVStream& stream, const VideoFormat& format) {
    const AVPixelFormat written =
        container_ == Container::Nut ? nutPixelFormat(format.pixelFormat) : avPixelFormat(format.pixelFormat);
    AVCodecParameters& parameters = *stream.codecpar;
    parameters.codec_type = AVMEDIA_TYPE_VIDEO;
    parameters.codec_id = codecOf(format.pixelFormat, container_);
    if (parameters.codec_id == AV_CODEC_ID_RAWVIDEO) {
        parameters.codec_tag = avcodec_pix_fmt_to_codec_tag(written);
    }
    parameters.format = written;
    parameters.width = static_cast<int>(format.width);
    parameters.height = static_cast<int>(format.height);
    parameters.sample_aspect_ratio = stream.sample_aspect_ratio = toAv(format.pixelAspect);
    parameters.color_range = format.colour.fullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    parameters.color_primaries = static_cast<AVColorPrimaries>(format.colour.primaries);
    parameters.color_trc = static_cast<AVColorTransferCharacteristic>(format.colour.transfer);
    parameters.color_space = static_cast<AVColorSpace>(format.colour.matrix);
    parameters.chroma_location = static_cast<AVChromaLocation>(format.colour.chromaLocation);
    parameters.field_order = AV_FIELD_PROGRESSIVE;
    stream.time_base = toAv(format.timeBase);
    if (format.frameRate.numerator > 0) {
        stream.avg_frame_rate = stream.r_frame_rate = toAv(format.frameRate);
    }
}

void VideoWriter::Impl::noteLosses(const VideoFormat& format) {
    const AVPixelFormat nut = nutPixelFormat(format.pixelFormat);
    if (container_ == Container::Nut && nut != avPixelFormat(format.pixelFormat)) {
        notes_.push_back(fmt::format("{} is written as {}, which holds the same bits",
                                     pixelFormatName(format.pixelFormat), avPixelFormatName(nut)));
    }
    if (format.rotation != 0) {
        notes_.push_back(fmt::format("the stream's rotation by {} degrees is not recorded", format.rotation));
    }
}

Status VideoWriter::Impl::begin(const VideoFormat& format) {
    quietFfmpeg();
    requireHeld(format, container_);
    auto* buffer = static_cast<std::uint8_t*>(av_malloc(kBufferBytes));
    bytes_.reset(avio_alloc_context(buffer, kBufferBytes, 1, this, nullptr, writeBytes, nullptr));
    if (!bytes_) {
        av_free(buffer);
        throw Error(ErrorKind::Resource, "no memory to write video");
    }
    bytes_->seekable = 0;
    bytes_->direct = container_ != Container::Y4m;  // whole frames bypass the buffer, rows do not
    AVFormatContext* context = nullptr;
    avformat_alloc_output_context2(&context, nullptr, muxerName(container_), nullptr);
    muxer_.reset(context);
    AVStream* stream = context != nullptr ? avformat_new_stream(context, nullptr) : nullptr;
    if (stream == nullptr) {
        throw Error(ErrorKind::Input, fmt::format("this FFmpeg cannot write {}", muxerName(container_)),
                    "install a complete FFmpeg");
    }
    context->pb = bytes_.get();
    context->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
    context->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;  // for y4m with ten bits
    describe(*stream, format);
    noteLosses(format);
    format_ = format;
    return outcome(avformat_write_header(context, nullptr), "avformat_write_header");
}

void VideoWriter::Impl::requireSame(const VideoFormat& format) const {
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
std::int64_t VideoWriter::Impl::nextTime(const VideoFormat& format, std::int64_t pts) {
    const auto bounded = [](std::int64_t time) { return std::clamp(time, -kLatestTime, kLatestTime); };
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

std::span<const std::byte> VideoWriter::Impl::bytesOf(const VideoFormat& format, const std::byte* payload) {
    if (container_ == Container::Nut && format.pixelFormat == PixelFormat::p010le) {
        return packer_.packP010(format, payload);
    }
    if (container_ == Container::Nut && format.pixelFormat == PixelFormat::x2rgb10le) {
        return packer_.packX2rgb10(format, payload);
    }
    return packer_.pack(format, payload);
}

Status VideoWriter::Impl::write(const VideoFormat& format, const FrameInfo& info, const std::byte* payload) {
    if (!muxer_) {
        if (const Status begun = begin(format); begun != Status::Ok) {
            return begun;
        }
    }
    requireSame(format);
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
    packet_->pts = packet_->dts = nextTime(format, info.pts);
    packet_->flags = AV_PKT_FLAG_KEY;
    av_packet_rescale_ts(packet_.get(), toAv(format_.timeBase), muxer_->streams[0]->time_base);
    const int code = av_write_frame(muxer_.get(), packet_.get());
    packet_->data = nullptr;  // borrowed
    packet_->size = 0;
    avio_flush(bytes_.get());  // the reader must not wait for the next frame
    const Status status = outcome(code, "av_write_frame");
    frames_ += status == Status::Ok ? 1 : 0;
    return status;
}

Status VideoWriter::Impl::finish() {
    Status status = refused_;
    if (muxer_ && status == Status::Ok) {
        const int code = av_write_trailer(muxer_.get());
        avio_flush(bytes_.get());
        status = outcome(code, "av_write_trailer");
    }
    output_.close();
    return status;
}

VideoWriter::VideoWriter(const std::string& path, Container container, const Event& cancel,
                         Existing existing) {
    loadFfmpeg();  // before a file that is there already is emptied
    impl_ = std::make_unique<Impl>(path, container, cancel, existing);
}

VideoWriter::~VideoWriter() = default;

Status VideoWriter::write(const VideoFormat& format, const FrameInfo& info, const std::byte* payload) {
    return impl_->write(format, info, payload);
}

Status VideoWriter::finish() {
    return impl_->finish();
}

std::uint64_t VideoWriter::bytesWritten() const {
    return impl_->bytesWritten();
}

const std::vector<std::string>& VideoWriter::notes() const {
    return impl_->notes();
}

}  // namespace verbcast
