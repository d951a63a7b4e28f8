#include "capture/sound/sound_mixer.h"

#include <algorithm>
#include <utility>

namespace verbcast {

SoundMixer::SoundMixer(std::uint16_t channels, std::uint32_t window)
    : channels_(channels), window_(window), sums_(channels_ * window_) {}

std::size_t SoundMixer::placeOf(std::int64_t at) const {
    const auto window = static_cast<std::int64_t>(window_);
    return static_cast<std::size_t>((at % window + window) % window);
}

std::uint32_t SoundMixer::add(std::int64_t at, std::span<const float> planar) {
    const auto samples = static_cast<std::int64_t>(planar.size() / channels_);
    const auto last = next_ + static_cast<std::int64_t>(window_);
    const std::int64_t from = std::clamp(next_, at, at + samples);
    const std::int64_t to = std::clamp(last, from, at + samples);
    for (std::size_t channel = 0; channel < channels_; ++channel) {
        const float* const added = planar.data() + channel * static_cast<std::size_t>(samples);
        float* const sums = sums_.data() + channel * window_;
        for (std::int64_t i = from; i < to; ++i) {
            sums[placeOf(i)] += added[i - at];
        }
    }
    return static_cast<std::uint32_t>(samples - (to - from));
}

void SoundMixer::take(std::uint32_t samples, std::vector<float>& planar) {
    planar.resize(channels_ * samples);
    for (std::size_t channel = 0; channel < channels_; ++channel) {
        for (std::uint32_t i = 0; i < samples; ++i) {
            planar[channel * samples + i] =
                std::exchange(sums_[channel * window_ + placeOf(next_ + i)], 0.0F);
        }
    }
    next_ += samples;
}

void SoundMixer::restart(std::int64_t at) {
    std::ranges::fill(sums_, 0.0F);
    next_ = at;
}

}  // namespace verbcast
