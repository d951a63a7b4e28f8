#include "app/bench/av/pip_finder.h"

#include <cmath>
#include <cstdlib>
#include <utility>

#include "capture/sound/tone_sound.h"

namespace verbcast {
namespace {

// The pip is like itself (1), like itself a period later (0.87), and less like all else in the test tone.
constexpr double kLeastLikeness = 0.9;
// 60 dB below the tone's own.
constexpr double kLeastEnergy = 1e-6;
// 60 dB below the loudest sample.
constexpr float kSilence = 1e-3F;
constexpr TimestampNs kGap = 2'000'000;

}  // namespace

void PipFinder::restart(std::uint32_t rate) {
    if (rate != rate_) {
        CapturedSound beginning;
        static_cast<void>(ToneSound(rate, 1).read(beginning));
        pip_ = std::move(beginning.samples);
        pipEnergy_ = 0;
        for (const float sample : pip_) {
            pipEnergy_ += double{sample} * sample;
        }
        rate_ = rate;
    }
    samples_.clear();
    best_.reset();
}

void PipFinder::append(const SoundFormat& format, const CapturedSound& block) {
    if (format.rate != rate_ || std::abs(block.capturedAt - end_) > kGap) {
        restart(format.rate);
    }
    const std::size_t before = samples_.size(), count = block.samples.size() / format.channels;
    samples_.resize(before + count, 0);
    for (std::size_t i = 0; i < block.samples.size(); ++i) {
        samples_[before + i % count] += block.samples[i];
    }
    end_ = block.capturedAt + std::llround(static_cast<double>(count) * 1e9 / rate_);
    for (std::size_t place = before; !firstSound_ && place < samples_.size(); ++place) {
        if (std::abs(samples_[place]) > kSilence) {
            firstSound_ = timeOf(place);
        }
    }
}

TimestampNs PipFinder::timeOf(std::size_t place) const {
    return end_ - std::llround(static_cast<double>(samples_.size() - place) * 1e9 / rate_);
}

/// Of as many samples as pip_ has: 1 for the pip, however loud; 0 for silence.
double PipFinder::likeness(const float* samples) const {
    double energy = 0, product = 0;
    for (std::size_t i = 0; i < pip_.size(); ++i) {
        energy += double{samples[i]} * samples[i];
        product += double{samples[i]} * pip_[i];
    }
    return energy > kLeastEnergy * pipEnergy_ ? product / std::sqrt(energy * pipEnergy_) : 0;
}

void PipFinder::put(const SoundFormat& format, const CapturedSound& block, std::vector<TimestampNs>& pips) {
    append(format, block);
    std::size_t place = 0;
    for (; place + pip_.size() <= samples_.size(); ++place) {
        const double here = likeness(samples_.data() + place);
        if (here >= kLeastLikeness && here > (best_ ? best_->likeness : 0)) {
            best_ = {.likeness = here, .at = timeOf(place)};
        } else if (best_ && ++best_->age > pip_.size()) {
            pips.push_back(best_->at);
            best_.reset();
        }
    }
    samples_.erase(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(place));
}

}  // namespace verbcast
