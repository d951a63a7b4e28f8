#include "render/sound/sound_resampler.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"

namespace verbcast {

SoundResampler::SoundResampler(SampleSource& source, std::uint32_t channels)
    : source_(source), channels_(channels), read_(kFrames * channels), state_(nullptr, src_delete) {
    int error = 0;
    state_.reset(
        src_callback_new(readMore, SRC_SINC_MEDIUM_QUALITY, static_cast<int>(channels), &error, this));
    if (!state_) {
        throw Error(ErrorKind::Internal,
                    fmt::format("a resampler for {} channels: {}", channels, src_strerror(error)));
    }
}

long SoundResampler::readMore(void* self, float** data) {
    auto& resampler = *static_cast<SoundResampler*>(self);
    resampler.source_.read(resampler.read_, resampler.channels_);
    resampler.ahead_ += kFrames;
    *data = resampler.read_.data();
    return kFrames;
}

void SoundResampler::pull(std::span<float> samples, double ratio) noexcept {
    const auto frames = static_cast<long>(samples.size() / channels_);
    // Without this the library would change the ratio gradually, and its position would be a guess.
    src_set_ratio(state_.get(), ratio);
    const long made = std::max(0L, src_callback_read(state_.get(), ratio, frames, samples.data()));
    std::fill(samples.begin() + made * channels_, samples.end(), 0.0F);
    ahead_ -= static_cast<double>(made) / ratio;
}

void SoundResampler::reset() noexcept {
    src_reset(state_.get());
    ahead_ = 0;
}

}  // namespace verbcast
