#include "capture/output/sound_encoder.h"

extern "C" {
#include <libavutil/channel_layout.h>
#include <libavutil/samplefmt.h>
#include <libswresample/swresample.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr const char* kAsItIs = "pcm_f32le";

EncoderChoice choose(const std::string& asked, const AVOutputFormat& muxer) {
    const auto* const kept = asked.empty() ? avcodec_find_encoder_by_name(kAsItIs) : nullptr;
    if (kept != nullptr && avformat_query_codec(&muxer, kept->id, FF_COMPLIANCE_NORMAL) == 0) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} does not hold sound as it is ({})", muxer.name, kAsItIs),
                    "record into .mov or Matroska (.mkv), or name an encoder of FFmpeg's for the sound, for "
                    "example aac");
    }
    return chooseEncoder("--audio-encoder", AVMEDIA_TYPE_AUDIO, asked.empty() ? kAsItIs : asked, muxer);
}

/// Deprecated, but what replaces it is not in FFmpeg 5.1.
const AVSampleFormat* sampleFormatsOf(const AVCodec& codec) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return codec.sample_fmts;
#pragma GCC diagnostic pop
}

/// The encoder's sample format that loses least.
AVSampleFormat bestFormat(const AVCodec& codec) {
    constexpr std::array kBestFirst{
        AV_SAMPLE_FMT_FLTP, AV_SAMPLE_FMT_FLT,  AV_SAMPLE_FMT_DBLP, AV_SAMPLE_FMT_DBL, AV_SAMPLE_FMT_S32P,
        AV_SAMPLE_FMT_S32,  AV_SAMPLE_FMT_S16P, AV_SAMPLE_FMT_S16,  AV_SAMPLE_FMT_U8P, AV_SAMPLE_FMT_U8};
    const AVSampleFormat* const formats = sampleFormatsOf(codec);
    for (const AVSampleFormat best : kBestFirst) {
        for (const AVSampleFormat* each = formats; each != nullptr && *each != AV_SAMPLE_FMT_NONE; ++each) {
            if (*each == best) {
                return best;
            }
        }
    }
    return kBestFirst.front();
}

void setLayout(AVChannelLayout& layout, const SoundFormat& format, bool needed) {
    if (format.layout != 0) {
        av_channel_layout_from_mask(&layout, format.layout);
    } else if (needed) {
        av_channel_layout_default(&layout, format.channels);
    } else {
        layout.order = AV_CHANNEL_ORDER_UNSPEC;
        layout.nb_channels = format.channels;
    }
}

}  // namespace

void SoundEncoder::FreeResampler::operator()(SwrContext* context) const {
    swr_free(&context);
}

SoundEncoder::SoundEncoder(const SoundFormat& format, const std::string& asked, const AVOutputFormat& muxer)
    : format_(format), choice_(choose(asked, muxer)) {
    open(muxer);
    waiting_.reset(av_audio_fifo_alloc(AV_SAMPLE_FMT_FLTP, format.channels,
                                       std::max<int>(format.maxSamples, context_->frame_size)));
    if (!waiting_) {
        throw Error(ErrorKind::Resource, "no memory for sound");
    }
    if (context_->sample_fmt != AV_SAMPLE_FMT_FLTP) {
        openConversion();
    }
}

void SoundEncoder::open(const AVOutputFormat& muxer) {
    context_.reset(avcodec_alloc_context3(choice_.codec));
    if (!context_) {
        throw Error(ErrorKind::Resource, "no memory for an encoder");
    }
    AVCodecContext& context = *context_;
    context.sample_rate = static_cast<int>(format_.rate);
    context.time_base = {1, context.sample_rate};
    context.sample_fmt = bestFormat(*choice_.codec);
    setLayout(context.ch_layout, format_, !choice_.name.starts_with("pcm_"));
    context.strict_std_compliance = FF_COMPLIANCE_NORMAL;
    if ((muxer.flags & AVFMT_GLOBALHEADER) != 0) {
        context.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    }
    AVDictionary* options = choice_.options.release();
    const int code = avcodec_open2(&context, choice_.codec, &options);
    choice_.options.reset(options);
    if (code < 0) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--audio-encoder {}: it does not take sound of {} with these options: {}",
                                choice_.name, describe(format_), avErrorText(code)),
                    fmt::format("its options: ffmpeg -hide_banner -h encoder={}", choice_.name));
    }
}

/// To another sample format, not another rate.
void SoundEncoder::openConversion() {
    SwrContext* made = nullptr;
    AVCodecContext& to = *context_;
    int code = swr_alloc_set_opts2(&made, &to.ch_layout, to.sample_fmt, to.sample_rate, &to.ch_layout,
                                   AV_SAMPLE_FMT_FLTP, to.sample_rate, 0, nullptr);
    converted_.reset(made);
    code = code < 0 ? code : swr_init(made);
    if (code < 0) {
        throw Error(
            ErrorKind::Internal,
            fmt::format("swr_init to {}: {}", av_get_sample_fmt_name(to.sample_fmt), avErrorText(code)));
    }
    const AVSampleFormat packed = av_get_packed_sample_fmt(to.sample_fmt);
    if (packed != AV_SAMPLE_FMT_FLT && packed != AV_SAMPLE_FMT_DBL) {
        note_ = fmt::format("the sound's 32-bit floats are converted to {}, which {} takes",
                            av_get_sample_fmt_name(to.sample_fmt), choice_.name);
    }
}

std::int64_t SoundEncoder::missing() const {
    const int waiting = av_audio_fifo_size(waiting_.get());
    return waiting == 0 ? 0 : context_->frame_size - waiting;
}

void SoundEncoder::write(void* const* planes, std::int64_t samples) {
    if (av_audio_fifo_write(waiting_.get(), const_cast<void**>(planes), static_cast<int>(samples)) < 0) {
        throw Error(ErrorKind::Resource, "no memory for sound");
    }
}

void SoundEncoder::send(std::span<const std::byte> planar, std::int64_t first, std::int64_t count) {
    const std::size_t plane = planar.size() / format_.channels;
    const std::size_t skipped = static_cast<std::size_t>(first) * sizeof(float);
    std::array<void*, kMaxSoundChannels> planes{};
    for (std::size_t channel = 0; channel < format_.channels; ++channel) {
        planes[channel] = const_cast<std::byte*>(planar.data() + channel * plane + skipped);  // only read
    }
    write(planes.data(), count);
}

void SoundEncoder::sendSilence(std::int64_t samples) {
    std::vector<float> silence(static_cast<std::size_t>(samples));
    std::array<void*, kMaxSoundChannels> planes{};
    planes.fill(silence.data());
    write(planes.data(), samples);
}

FramePtr SoundEncoder::newBlock(AVSampleFormat format, int samples) const {
    FramePtr block = newFrame();
    block->format = format;
    block->nb_samples = samples;
    block->sample_rate = context_->sample_rate;
    int code = av_channel_layout_copy(&block->ch_layout, &context_->ch_layout);
    code = code < 0 ? code : av_frame_get_buffer(block.get(), 0);
    if (code < 0) {
        throw Error(ErrorKind::Resource, fmt::format("no memory for sound: {}", avErrorText(code)));
    }
    return block;
}

/// Gives the encoder what it takes at a time. False: there is too little yet, or it has got everything.
bool SoundEncoder::feed() {
    const int waiting = av_audio_fifo_size(waiting_.get());
    const bool whole = context_->frame_size > 0;
    if (waiting == 0 || (waiting < context_->frame_size && !ending_)) {
        if (!ending_ || ended_) {
            return false;
        }
        ended_ = true;
        avcodec_send_frame(context_.get(), nullptr);
        return true;
    }
    const int samples = whole ? std::min(waiting, context_->frame_size) : waiting;
    FramePtr block = newBlock(AV_SAMPLE_FMT_FLTP, samples);
    av_audio_fifo_read(waiting_.get(), reinterpret_cast<void**>(block->extended_data), samples);
    if (converted_) {
        FramePtr converted = newBlock(context_->sample_fmt, samples);
        const int code = swr_convert(converted_.get(), converted->extended_data, samples,
                                     const_cast<const std::uint8_t**>(block->extended_data), samples);
        if (code < 0) {
            fail(code);
        }
        block = std::move(converted);
    }
    block->pts = time_;
    time_ += samples;
    if (const int code = avcodec_send_frame(context_.get(), block.get()); code < 0) {
        fail(code);
    }
    return true;
}

void SoundEncoder::fail(int code) const {
    throw Error(ErrorKind::Input, fmt::format("{} failed: {}", choice_.name, avErrorText(code)),
                "choose another --audio-encoder, or record without one");
}

bool SoundEncoder::receive(AVPacket& packet) {
    do {
        const int code = avcodec_receive_packet(context_.get(), &packet);
        if (code >= 0) {
            return true;
        }
        if (code != AVERROR(EAGAIN) && code != AVERROR_EOF) {
            fail(code);
        }
    } while (feed());
    return false;
}

}  // namespace verbcast
