// Files and pipes that FFmpeg writes. Frames are not copied if their planes lie without gaps in the slot and
// the container takes those bytes, else once into a buffer; y4m passes row by row through libavformat's own.
#include "capture/output/frame_sink.h"

extern "C" {
#include <libavutil/dict.h>
}

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "capture/convert/ffmpeg_handles.h"
#include "capture/convert/format_mapping.h"
#include "capture/convert/picture_converter.h"
#include "capture/convert/picture_packer.h"
#include "capture/output/output_descriptor.h"
#include "capture/output/picture_encoder.h"
#include "core/base/error.h"
#include "core/base/text/counted.h"

namespace verbcast {
namespace {

constexpr int kBufferBytes = 1 << 20;
constexpr std::size_t kMostNotes = 32;                       // a peer may change its format with every frame
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

class VideoWriter final : public FrameSink {
  public:
    VideoWriter(const VideoFile& file, const Event& cancel)
        : container_(file.container),
          encoder_(encoderFor(file)),
          output_(file.path, cancel, file.existing),
          packet_(newPacket()) {}

    Status write(const VideoFormat& format, const FrameInfo& info, const std::byte* payload) override;
    Status finish() override;
    std::uint64_t bytesWritten() const override { return output_.bytesWritten(); }
    const std::vector<std::string>& notes() const override { return notes_; }

  private:
    static std::unique_ptr<PictureEncoder> encoderFor(const VideoFile& file);
    const char* muxerName() const { return nameOf(container_).muxer; }
    Status begin(const VideoFormat& format);
    void describe(AVStream& stream, const VideoFormat& format);
    void noteLosses(const VideoFormat& format);
    void noteChanges(const VideoFormat& format);
    void requireSame(const VideoFormat& format) const;
    int store(const VideoFormat& format, const std::byte* payload, std::int64_t time);
    int encode(const VideoFormat& format, const std::byte* payload, std::int64_t time);
    int muxEncoded();
    std::int64_t nextTime(const VideoFormat& format, std::int64_t pts);
    std::span<const std::byte> bytesOf(const VideoFormat& format, const std::byte* payload);
    Status outcome(int code, const char* call);
    static int writeBytes(void* self, WrittenByte* bytes, int count);
    static std::int64_t seekBytes(void* self, std::int64_t offset, int whence);

    Container container_;
    std::unique_ptr<PictureEncoder> encoder_;  // null: pictures are stored as they are
    OutputDescriptor output_;
    PicturePacker packer_;
    std::unique_ptr<AVIOContext, FreeMuxer> bytes_;
    std::unique_ptr<AVFormatContext, FreeMuxer> muxer_;  // from the first frame on
    PacketPtr packet_;
    VideoFormat format_;           // of the first frame
    VideoFormat last_;             // of the last one
    std::int64_t timeOffset_ = 0;  // added to pts, in format_.timeBase
    std::int64_t lastGiven_ = 0;   // with timeOffset_
    std::int64_t lastTime_ = 0;    // written
    std::uint64_t frames_ = 0;
    Status refused_ = Status::Ok;  // why the output took no more bytes
    std::exception_ptr failure_;   // likewise
    std::vector<std::string> notes_;
};

// Called by libavformat, which exceptions must not cross.
int VideoWriter::writeBytes(void* opaque, WrittenByte* bytes, int count) {
    auto* self = static_cast<VideoWriter*>(opaque);
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

std::int64_t VideoWriter::seekBytes(void* opaque, std::int64_t offset, int whence) {
    auto* self = static_cast<VideoWriter*>(opaque);
    if (whence == AVSEEK_SIZE) {
        return static_cast<std::int64_t>(self->output_.bytesWritten());
    }
    return self->output_.seek(offset, whence & ~AVSEEK_FORCE);
}

/// Found before a file that is there already is emptied.
std::unique_ptr<PictureEncoder> VideoWriter::encoderFor(const VideoFile& file) {
    loadFfmpeg();
    if (file.encoder.empty()) {
        return nullptr;
    }
    const char* const muxer = nameOf(file.container).muxer;
    const auto* const format = av_guess_format(muxer, nullptr, nullptr);
    if (format == nullptr) {
        throw Error(ErrorKind::Input, fmt::format("this FFmpeg cannot write {}", muxer),
                    "install a complete FFmpeg");
    }
    return std::make_unique<PictureEncoder>(file.encoder, *format);
}

Status VideoWriter::outcome(int code, const char* call) {
    if (failure_) {
        std::rethrow_exception(failure_);
    }
    if (refused_ == Status::Ok && code < 0) {
        throw Error(ErrorKind::Internal, fmt::format("{} for {}: {}", call, muxerName(), avErrorText(code)));
    }
    return refused_;
}

void VideoWriter::describe(AVStream& stream, const VideoFormat& format) {
    AVCodecParameters& parameters = *stream.codecpar;
    stream.time_base = toAv(format.timeBase);
    if (format.frameRate.numerator > 0) {
        stream.avg_frame_rate = stream.r_frame_rate = toAv(format.frameRate);
    }
    stream.sample_aspect_ratio = toAv(format.pixelAspect);
    if (encoder_) {
        avcodec_parameters_from_context(&parameters, &encoder_->context());
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
    parameters.field_order = AV_FIELD_PROGRESSIVE;
}

void VideoWriter::noteLosses(const VideoFormat& format) {
    const AVPixelFormat stored = storedFormat(format.pixelFormat, container_);
    if (encoder_) {
        if (!encoder_->note().empty()) {
            notes_.push_back(encoder_->note());
        }
    } else if (stored != avPixelFormat(format.pixelFormat)) {
        notes_.push_back(fmt::format("{} is written as {}, which holds the same bits",
                                     pixelFormatName(format.pixelFormat), avPixelFormatName(stored)));
    }
    if (!nameOf(container_).saysColour && !isAssumed(format)) {
        notes_.push_back(fmt::format("{} does not say that the colours are {}; Matroska (.mkv) does",
                                     nameOf(container_).name, describeColour(format)));
    }
    if (format.rotation != 0) {
        notes_.push_back(fmt::format("the stream's rotation by {} degrees is not recorded", format.rotation));
    }
}

/// Of what a file says once.
void VideoWriter::noteChanges(const VideoFormat& format) {
    if (format.colour == last_.colour && format.pixelAspect == last_.pixelAspect &&
        format.rotation == last_.rotation) {
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
    last_ = format;
    std::string note = fmt::format("the stream has changed: {}; the file says what it was at its begin",
                                   fmt::join(changed, ", "));
    if (std::ranges::find(notes_, note) == notes_.end() && notes_.size() < kMostNotes) {
        notes_.push_back(std::move(note));
    }
}

Status VideoWriter::begin(const VideoFormat& format) {
    quietFfmpeg();
    requireHeld(format, container_);
    if (encoder_) {
        encoder_->open(format);
    }
    if (const Status status = output_.awaitReader(); status != Status::Ok) {
        return status;
    }
    auto* buffer = static_cast<std::uint8_t*>(av_malloc(kBufferBytes));
    bytes_.reset(avio_alloc_context(buffer, kBufferBytes, 1, this, nullptr, writeBytes, seekBytes));
    if (!bytes_) {
        av_free(buffer);
        throw Error(ErrorKind::Resource, "no memory to write video");
    }
    bytes_->seekable = output_.seekable() ? AVIO_SEEKABLE_NORMAL : 0;
    // Whole frames bypass the buffer; rows do not, nor do boxes whose sizes are filled in later.
    bytes_->direct = !encoder_ && container_ != Container::Y4m;
    AVFormatContext* context = nullptr;
    avformat_alloc_output_context2(&context, nullptr, muxerName(), nullptr);
    muxer_.reset(context);
    AVStream* stream = context != nullptr ? avformat_new_stream(context, nullptr) : nullptr;
    if (stream == nullptr) {
        throw Error(ErrorKind::Input, fmt::format("this FFmpeg cannot write {}", muxerName()),
                    "install a complete FFmpeg");
    }
    context->pb = bytes_.get();
    context->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
    context->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;  // for y4m with ten bits
    describe(*stream, format);
    noteLosses(format);
    format_ = last_ = format;
    AVDictionary* options = nullptr;
    if (!output_.seekable() && (container_ == Container::Quicktime || container_ == Container::Mp4)) {
        av_dict_set(&options, "movflags", "frag_keyframe+empty_moov+default_base_moof", 0);
    }
    const int code = avformat_write_header(context, &options);
    av_dict_free(&options);
    if (code < 0 && refused_ == Status::Ok && !failure_) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} does not hold {}: {}", nameOf(container_).name,
                                verbcast::describe(format), avErrorText(code)),
                    "record into Matroska (.mkv)");
    }
    return outcome(code, "avformat_write_header");
}

void VideoWriter::requireSame(const VideoFormat& format) const {
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
std::int64_t VideoWriter::nextTime(const VideoFormat& format, std::int64_t pts) {
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

std::span<const std::byte> VideoWriter::bytesOf(const VideoFormat& format, const std::byte* payload) {
    return nameOf(container_).hasTimes ? packer_.packStored(format, payload) : packer_.pack(format, payload);
}

Status VideoWriter::write(const VideoFormat& format, const FrameInfo& info, const std::byte* payload) {
    if (!muxer_) {
        if (const Status begun = begin(format); begun != Status::Ok) {
            return begun;
        }
    }
    requireSame(format);
    noteChanges(format);
    const std::int64_t time = nextTime(format, info.pts);
    const int code = encoder_ ? encode(format, payload, time) : store(format, payload, time);
    avio_flush(bytes_.get());  // the reader must not wait for the next frame
    const Status status = outcome(code, "av_write_frame");
    frames_ += status == Status::Ok ? 1 : 0;
    return status;
}

int VideoWriter::store(const VideoFormat& format, const std::byte* payload, std::int64_t time) {
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
    av_packet_rescale_ts(packet_.get(), toAv(format_.timeBase), muxer_->streams[0]->time_base);
    const int code = av_write_frame(muxer_.get(), packet_.get());
    packet_->data = nullptr;  // borrowed
    packet_->size = 0;
    return code;
}

int VideoWriter::encode(const VideoFormat& format, const std::byte* payload, std::int64_t time) {
    encoder_->send(format, payload, time);
    return muxEncoded();
}

int VideoWriter::muxEncoded() {
    int code = 0;
    while (code >= 0 && encoder_->receive(*packet_)) {
        packet_->stream_index = 0;
        av_packet_rescale_ts(packet_.get(), encoder_->context().time_base, muxer_->streams[0]->time_base);
        code = av_write_frame(muxer_.get(), packet_.get());
        av_packet_unref(packet_.get());
    }
    return code;
}

Status VideoWriter::finish() {
    Status status = refused_;
    if (muxer_ && status == Status::Ok) {
        int code = 0;
        if (encoder_) {
            encoder_->sendEnd();
            code = muxEncoded();
        }
        code = code < 0 ? code : av_write_trailer(muxer_.get());
        avio_flush(bytes_.get());
        status = outcome(code, "av_write_trailer");
    }
    output_.close();
    return status;
}

}  // namespace

std::unique_ptr<FrameSink> openSink(const VideoFile& file, const Event& cancel) {
    return std::make_unique<VideoWriter>(file, cancel);
}

}  // namespace verbcast
