#include "capture/sound/decoded_track.h"

extern "C" {
#include <libavutil/mathematics.h>
}

#include <fmt/format.h>

#include <utility>

#include "core/base/error.h"
#include "core/base/text/counted.h"

namespace verbcast {

DecodedTrack::DecodedTrack(const AVStream& stream, std::string name, std::int64_t beginning,
                           std::uint32_t rate, NoteList& notes)
    : parameters_(copyOf(*stream.codecpar)),
      name_(std::move(name)),
      rate_(rate),
      notes_(notes),
      timeBase_(stream.time_base),
      frame_(newFrame()),
      timeline_(timeBase_, beginning, static_cast<std::uint32_t>(parameters_->sample_rate)),
      decodedRate_(parameters_->sample_rate),
      queue_(channels()) {
    openDecoder();
    if (static_cast<std::uint32_t>(decodedRate_) != rate_) {
        notes_.add(
            fmt::format("{} is resampled from {:g} to {:g} kHz", name_, decodedRate_ / 1e3, rate_ / 1e3));
    }
}

void DecodedTrack::openDecoder() {
    const AVCodec* codec = avcodec_find_decoder(parameters_->codec_id);
    if (codec == nullptr) {
        throw Error(ErrorKind::Input,
                    fmt::format("this FFmpeg has no decoder for {}, which is {}", name_,
                                avcodec_get_name(parameters_->codec_id)),
                    "convert it first: ffmpeg -i FILE -c:v copy -c:a flac OUT.mkv");
    }
    decoder_.reset(avcodec_alloc_context3(codec));
    if (!decoder_) {
        throw Error(ErrorKind::Resource, "no memory for a decoder");
    }
    avcodec_parameters_to_context(decoder_.get(), parameters_.get());
    decoder_->pkt_timebase = timeBase_;
    if (const int code = avcodec_open2(decoder_.get(), codec, nullptr); code < 0) {
        throw Error(ErrorKind::Input, fmt::format("the decoder {} does not take {}: {}", codec->name, name_,
                                                  avErrorText(code)));
    }
}

void DecodedTrack::decode(const AVPacket* packet) {
    if (packet != nullptr && packet->size == 0) {
        return;  // to FFmpeg, that would be the end
    }
    if (avcodec_send_packet(decoder_.get(), packet) < 0) {
        noteUndecodable();
    }
    int code = 0;
    while ((code = avcodec_receive_frame(decoder_.get(), frame_.get())) == 0) {
        take(*frame_);
        av_frame_unref(frame_.get());
    }
    if (code != AVERROR(EAGAIN) && code != AVERROR_EOF) {
        noteUndecodable();
    }
    if (packet == nullptr) {
        endRun();
    }
}

void DecodedTrack::noteUndecodable() {
    notes_.add(fmt::format("parts of {} are damaged, and are left out", name_));
}

void DecodedTrack::take(const AVFrame& frame) {
    if (frame.nb_samples <= 0 || frame.sample_rate <= 0) {
        return;
    }
    if (frame.sample_rate != std::exchange(decodedRate_, frame.sample_rate)) {
        timeline_.setRate(static_cast<std::uint32_t>(frame.sample_rate));
    }
    const auto place =
        timeline_.place(frame.best_effort_timestamp, static_cast<std::uint32_t>(frame.nb_samples));
    try {
        if (!place.follows || !converter_ || !converter_->takes(frame)) {
            beginRun(frame, place.at);
        }
    } catch (const Error& error) {
        notes_.add(fmt::format("parts of {} are left out: {}", name_, error.what()));
        return;
    }
    add(converter_->convert(&frame));
}

void DecodedTrack::beginRun(const AVFrame& frame, std::int64_t at) {
    endRun();
    const bool changed =
        frame.sample_rate != parameters_->sample_rate || frame.ch_layout.nb_channels != channels();
    if (changed && !std::exchange(saidChange_, true)) {
        notes_.add(fmt::format("{} changes to {:g} kHz, {}: it is converted to {:g} kHz, {}", name_,
                               frame.sample_rate / 1e3, counted(frame.ch_layout.nb_channels, "channel"),
                               rate_ / 1e3, counted(channels(), "channel")));
    }
    converter_.emplace(frame, rate_, parameters_->ch_layout);
    end_ = av_rescale(at, rate_, frame.sample_rate);
}

void DecodedTrack::endRun() {
    if (converter_) {
        add(converter_->convert(nullptr));
        converter_.reset();
    }
}

void DecodedTrack::add(std::uint32_t samples) {
    if (samples > 0) {
        queue_.add(end_, converter_->planes(), samples);
        end_ += samples;
    }
    if (converter_->hasRepaired()) {
        notes_.add(fmt::format("{} holds samples that are no numbers, and are silenced", name_));
    }
}

void DecodedTrack::restart(bool atBeginning) {
    openDecoder();  // a flushed one may remember something
    converter_.reset();
    queue_.clear();
    timeline_.restart(atBeginning);
}

}  // namespace verbcast
