#include "capture/sound/tone_sound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.h"

namespace verbcast {
namespace {

struct Tone {
    double hertz, amplitude;
    double length, ramp;  // seconds
};
constexpr Tone kPip{.hertz = 1000, .amplitude = 0.251189, .length = 0.004, .ramp = 0.0005};
constexpr Tone kIdentity{.hertz = 400, .amplitude = 0.063096, .length = 0.1, .ramp = 0.005};

std::vector<float> samplesOf(const Tone& tone, std::uint32_t rate) {
    std::vector<float> samples(static_cast<std::size_t>(std::ceil(tone.length * rate)));
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double time = static_cast<double>(i) / rate;
        const double inside = std::min({time, tone.length - time, tone.ramp}) / tone.ramp;
        const double window = 0.5 - 0.5 * std::cos(std::numbers::pi * inside);
        const double wave = std::sin(2 * std::numbers::pi * tone.hertz * time);
        samples[i] = static_cast<float>(tone.amplitude * window * wave);
    }
    return samples;
}

SoundFormat toneFormat(std::uint32_t rate, std::uint16_t channels, std::chrono::milliseconds block) {
    const std::int64_t longest = rate / kSoundBlocksPerSecond;
    const SoundFormat format{.rate = rate,
                             .channels = channels,
                             .maxSamples = static_cast<std::uint16_t>(std::clamp<std::int64_t>(
                                 rate * block.count() / 1000, 1, std::max<std::int64_t>(1, longest))),
                             .layout = channels == 1   ? 0x4U
                                       : channels == 2 ? 0x3U
                                                       : 0U};
    if (const auto problem = soundFormatProblem(format)) {
        throw Error(ErrorKind::Usage, fmt::format("there is no test tone of {}", *problem));
    }
    return format;
}

}  // namespace

ToneSound::ToneSound(std::uint32_t rate, std::uint16_t channels, std::chrono::milliseconds block)
    : format_(toneFormat(rate, channels, block)),
      pip_(samplesOf(kPip, rate)),
      identity_(samplesOf(kIdentity, rate)) {}

std::string ToneSound::describe() const {
    return "test tone";
}

Status ToneSound::read(CapturedSound& block) {
    const std::uint32_t samples = format_.maxSamples;
    block.samples.assign(std::size_t{samples} * format_.channels, 0);
    const std::size_t half = format_.rate / 2;
    for (std::uint32_t i = 0; i < samples; ++i) {
        const auto second = static_cast<std::size_t>((next_ + i) / format_.rate);
        const auto inSecond = static_cast<std::size_t>((next_ + i) % format_.rate);
        const bool isPip = inSecond < pip_.size();
        if (!isPip && (inSecond < half || inSecond - half >= identity_.size())) {
            continue;
        }
        for (std::size_t channel = 0; channel < format_.channels; ++channel) {
            if (isPip || second % format_.channels == channel) {
                block.samples[channel * samples + i] = isPip ? pip_[inSecond] : identity_[inSecond - half];
            }
        }
    }
    block.at = next_;
    block.capturedAt = nowNs();
    next_ += samples;
    return Status::Ok;
}

void ToneSound::seek(std::chrono::nanoseconds time) {
    const std::chrono::nanoseconds from = std::max(time, std::chrono::nanoseconds(0));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(from);
    const std::int64_t rest = (from - seconds).count() * format_.rate;
    next_ = seconds.count() * format_.rate + (rest + 500'000'000) / 1'000'000'000;
}

}  // namespace verbcast
