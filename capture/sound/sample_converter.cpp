#include "capture/sound/sample_converter.h"

extern "C" {
#include <libavutil/samplefmt.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/error.h"

namespace verbcast {
namespace {

std::uint64_t maskOf(const AVChannelLayout& layout) {
    return layout.order == AV_CHANNEL_ORDER_NATIVE ? layout.u.mask : 0;
}

/// Returns whether there was anything to repair.
bool repair(std::span<float> samples) {
    bool found = false;
    for (float& sample : samples) {
        if (!std::isfinite(sample)) {
            sample = 0;
            found = true;
        }
    }
    return found;
}

}  // namespace

void requireConvertibleRate(int rate, const std::string& name) {
    if (rate < kMinConvertedRate || rate > kMaxConvertedRate) {
        throw Error(ErrorKind::Input, fmt::format("{} has {} Hz: {} to {} expected", name, rate,
                                                  kMinConvertedRate, kMaxConvertedRate));
    }
}

SampleConverter::SampleConverter(const AVFrame& from, std::uint32_t rate, const AVChannelLayout& channels)
    : format_(from.format),
      rate_(from.sample_rate),
      channels_(from.ch_layout.nb_channels),
      mask_(maskOf(from.ch_layout)),
      planes_(static_cast<std::size_t>(channels.nb_channels)) {
    requireConvertibleRate(rate_, "a part of it");
    // FFmpeg only reads layouts and samples, but its parameters are not const in all versions.
    auto* const given = const_cast<AVChannelLayout*>(&from.ch_layout);
    auto* to = const_cast<AVChannelLayout*>(&channels);
    AVChannelLayout standard{};
    if (channels.nb_channels == channels_) {
        to = given;
    } else if (channels.order == AV_CHANNEL_ORDER_UNSPEC) {
        av_channel_layout_default(&standard, channels.nb_channels);
        to = &standard;
    }
    SwrContext* context = nullptr;
    int code = swr_alloc_set_opts2(&context, to, AV_SAMPLE_FMT_FLTP, static_cast<int>(rate), given,
                                   static_cast<AVSampleFormat>(format_), rate_, 0, nullptr);
    context_.reset(context);
    code = code < 0 ? code : swr_init(context);
    if (code < 0) {
        throw Error(ErrorKind::Input,
                    fmt::format("FFmpeg does not convert sound of {} Hz and {} channels to {} Hz and {}: {}",
                                rate_, channels_, rate, channels.nb_channels, avErrorText(code)));
    }
}

bool SampleConverter::takes(const AVFrame& frame) const {
    return frame.format == format_ && frame.sample_rate == rate_ &&
           frame.ch_layout.nb_channels == channels_ && maskOf(frame.ch_layout) == mask_;
}

void SampleConverter::makeRoom(std::uint32_t samples) {
    samples_.resize(planes_.size() * samples);
    for (std::size_t channel = 0; channel < planes_.size(); ++channel) {
        planes_[channel] = samples_.data() + channel * samples;
    }
}

std::uint32_t SampleConverter::convert(const AVFrame* frame) {
    const int given = frame != nullptr ? frame->nb_samples : 0;
    const int room = std::max(0, swr_get_out_samples(context_.get(), given));
    makeRoom(static_cast<std::uint32_t>(room));
    auto* const to = reinterpret_cast<std::uint8_t**>(planes_.data());
    auto* const from = frame != nullptr ? const_cast<const std::uint8_t**>(frame->extended_data) : nullptr;
    const int made = std::max(0, swr_convert(context_.get(), to, room, from, given));
    for (float* const plane : planes_) {
        repaired_ = repair({plane, static_cast<std::size_t>(made)}) || repaired_;
    }
    return static_cast<std::uint32_t>(made);
}

}  // namespace verbcast
