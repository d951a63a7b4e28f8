#include "app/commands/compose/mosaic/sound/sound_mix.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace verbcast {
namespace {

constexpr SoundFormat kFormat{.rate = 48'000, .channels = 2, .maxSamples = 240, .layout = 0x3};
constexpr double kBlock = 1.0 * kFormat.maxSamples / kFormat.rate;
/// The mix follows the pictures within this, in seconds.
constexpr double kMixAhead = 1, kMixBehind = 0.3;
/// A player begins with a fade and a block at hand, and its resampler reads ahead by as many frames.
constexpr double kPlayersNeed = 0.015, kFramesReadAhead = 128;
constexpr double kStalled = 0.06;  // seconds

TimestampNs nanoseconds(double seconds) {
    return std::llround(seconds * 1e9);
}

}  // namespace

void SoundMix::follow(const Inputs& inputs) {
    std::erase_if(parts_, [&](const auto& part) { return std::ranges::count(inputs, part->input) == 0; });
    for (const auto& input : inputs) {
        if (input->hasSounded() && std::ranges::count(parts_, input, &Part::input) == 0) {
            parts_.push_back(std::make_unique<Part>(input));
            parts_.back()->player.setBudget(std::chrono::nanoseconds(0));
        }
    }
}

void SoundMix::gather(Part& part, double now) {
    while (part.input->next(now, arrived_)) {
        const TimestampNs at = nanoseconds(arrived_.begin());
        part.player.pictureShown(arrived_.begin(), at);
        part.player.put(arrived_.format, arrived_.pts, arrived_.follows, arrived_.planar, at);
        part.until = arrived_.end();
        part.margin = kPlayersNeed + kFramesReadAhead / arrived_.format.rate;
        part.cameAt = now;
    }
}

/// nullopt: no input sounds.
std::optional<double> SoundMix::readyUntil(double now) const {
    std::optional<double> ready;
    for (const auto& part : parts_) {
        const bool comes = part->until && (part->cameAt >= now - kStalled || *part->until > now);
        if (comes && *part->until > now - kMixBehind) {
            const double until = *part->until - part->margin;
            ready = std::min(ready.value_or(until), until);
        }
    }
    return ready;
}

/// Adds its next block to `sum`, which is planar.
void SoundMix::play(Part& part, std::vector<float>& sum) {
    interleaved_.resize(sum.size());
    part.player.fill(interleaved_, kFormat.channels, kFormat.rate, nanoseconds(kFormat.secondsOf(next_)));
    for (std::size_t i = 0; i < interleaved_.size(); ++i) {
        sum[i % kFormat.channels * kFormat.maxSamples + i / kFormat.channels] += interleaved_[i];
    }
}

bool SoundMix::next(const Inputs& inputs, double now, PlacedSound& block) {
    follow(inputs);
    for (const auto& part : parts_) {
        gather(*part, now);
    }
    const std::optional<double> ready = readyUntil(now);
    if (!ready) {
        return false;
    }
    const double at = kFormat.secondsOf(next_);
    block.follows = at >= now - kMixBehind && at <= now + kMixAhead;
    if (!block.follows) {
        next_ = std::llround(std::min(now, *ready - kBlock) * kFormat.rate);
    }
    if (kFormat.secondsOf(next_) + kBlock > *ready) {
        return false;
    }
    block.format = kFormat;
    block.pts = next_;
    block.capturedAt = nowNs();
    block.planar.assign(std::size_t{kFormat.channels} * kFormat.maxSamples, 0);
    for (const auto& part : parts_) {
        play(*part, block.planar);
    }
    next_ += kFormat.maxSamples;
    return true;
}

}  // namespace verbcast
