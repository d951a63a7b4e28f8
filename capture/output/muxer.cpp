#include "capture/output/muxer.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr int kBufferBytes = 1 << 20;
// Encoders give pictures back this much later, at most, with the options that people use.
constexpr std::int64_t kMaxHeldSeconds = 4;

Error unwritable(const char* muxer) {
    return Error(ErrorKind::Input, fmt::format("this FFmpeg cannot write {}", muxer),
                 "install a complete FFmpeg");
}

}  // namespace

const AVOutputFormat& muxerOf(Container container) {
    loadFfmpeg();
    const char* const muxer = nameOf(container).muxer;
    const auto* const format = av_guess_format(muxer, nullptr, nullptr);
    if (format == nullptr) {
        throw unwritable(muxer);
    }
    return *format;
}

void Muxer::FreeMuxer::operator()(AVIOContext* context) const {
    av_freep(&context->buffer);
    avio_context_free(&context);
}

Muxer::Muxer(const std::string& path, Container container, const Event& cancel, Existing existing,
             std::function<std::string()> complete)
    : container_(container), complete_(std::move(complete)), output_(path, cancel, existing) {}

// Called by libavformat, which exceptions must not cross.
int Muxer::writeBytes(void* opaque, WrittenByte* bytes, int count) {
    auto* self = static_cast<Muxer*>(opaque);
    if (self->refused_ != Status::Ok || self->failure_) {
        return AVERROR_EXIT;
    }
    try {
        self->refused_ =
            self->output_.write({reinterpret_cast<const std::byte*>(bytes), static_cast<std::size_t>(count)});
    } catch (const Error& error) {
        self->failure_ = std::make_exception_ptr(
            Error(error.kind(), fmt::format("{}, {}", error.what(), self->complete_()), error.remedy()));
    }
    return self->refused_ == Status::Ok && !self->failure_ ? count : AVERROR_EXIT;
}

std::int64_t Muxer::seekBytes(void* opaque, std::int64_t offset, int whence) {
    auto* self = static_cast<Muxer*>(opaque);
    if (whence == AVSEEK_SIZE) {
        return static_cast<std::int64_t>(self->output_.bytesWritten());
    }
    return self->output_.seek(offset, whence & ~AVSEEK_FORCE);
}

Status Muxer::outcome(int code, const char* call) {
    if (failure_) {
        std::rethrow_exception(failure_);
    }
    if (refused_ == Status::Ok && code < 0) {
        throw Error(ErrorKind::Internal, fmt::format("{} for {}: {}", call, name(), avErrorText(code)));
    }
    return refused_;
}

Status Muxer::open(bool direct) {
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
    bytes_->direct = direct ? 1 : 0;
    AVFormatContext* context = nullptr;
    avformat_alloc_output_context2(&context, nullptr, name(), nullptr);
    if (context == nullptr) {
        throw unwritable(name());
    }
    context_.reset(context);
    context->pb = bytes_.get();
    context->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
    context->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;  // for y4m with ten bits
    return Status::Ok;
}

AVStream& Muxer::addStream() {
    AVStream* const stream = avformat_new_stream(context_.get(), nullptr);
    if (stream == nullptr) {
        throw unwritable(name());
    }
    return *stream;
}

Status Muxer::writeHeader(const std::string& what, DictionaryPtr options) {
    AVDictionary* given = options.release();
    const int code = avformat_write_header(context_.get(), &given);
    av_dict_free(&given);
    if (code < 0 && refused_ == Status::Ok && !failure_) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} does not hold {}: {}", nameOf(container_).name, what, avErrorText(code)),
                    "record into Matroska (.mkv)");
    }
    return outcome(code, "avformat_write_header");
}

void Muxer::delayAll(std::int64_t time, AVRational timeBase) {
    delay_ = time;
    delayBase_ = timeBase;
}

int Muxer::put(AVPacket& packet, int stream, AVRational timeBase) {
    const AVRational inFile = context_->streams[stream]->time_base;
    packet.stream_index = stream;
    av_packet_rescale_ts(&packet, timeBase, inFile);
    const std::int64_t delay = av_rescale_q(delay_, delayBase_, inFile);
    packet.pts += delay;
    packet.dts += delay;
    return av_write_frame(context_.get(), &packet);
}

int Muxer::putHeld() {
    const Held first = std::move(held_.front());
    held_.pop_front();
    return put(*first.packet, first.stream, first.timeBase);
}

int Muxer::write(AVPacket& packet, int stream, AVRational timeBase) {
    int code = 0;
    while (code >= 0 && !held_.empty() &&
           av_compare_ts(held_.front().packet->dts, held_.front().timeBase, packet.dts, timeBase) <= 0) {
        code = putHeld();
    }
    return code < 0 ? code : put(packet, stream, timeBase);
}

int Muxer::hold(AVPacket& packet, int stream, AVRational timeBase) {
    PacketPtr kept = newPacket();
    av_packet_move_ref(kept.get(), &packet);
    const std::int64_t last = kept->dts;
    held_.push_back({std::move(kept), stream, timeBase});
    int code = 0;
    while (code >= 0 && av_rescale_q(last, timeBase, {1, 1}) -
                                av_rescale_q(held_.front().packet->dts, held_.front().timeBase, {1, 1}) >
                            kMaxHeldSeconds) {
        code = putHeld();
    }
    return code;
}

Status Muxer::written(int code) {
    avio_flush(bytes_.get());
    return outcome(code, "av_write_frame");
}

Status Muxer::finish(int code) {
    Status status = refused_;
    if (context_ && status == Status::Ok) {
        while (code >= 0 && !held_.empty()) {
            code = putHeld();
        }
        code = code < 0 ? code : av_write_trailer(context_.get());
        avio_flush(bytes_.get());
        status = outcome(code, "av_write_trailer");
    }
    output_.close();
    return status;
}

}  // namespace verbcast
