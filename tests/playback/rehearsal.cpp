#include "rehearsal.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace verbcast::testing {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

TimestampNs timestamp(double seconds) {
    return std::llround((seconds + 1000) * 1e9);  // the host has been up for a while
}

}  // namespace

Ear::Ear(double frequency, double amplitude, std::uint32_t rate)
    : frequency_(frequency), amplitude_(amplitude), angle_(kTurn * frequency / rate) {}

void Ear::hear(double sample, double media) {
    const double residual = sample + before_[1] - 2 * std::cos(angle_) * before_[0];
    const double quadrature = (sample - before_[1]) / (2 * std::sin(angle_));
    if (++heard_ > 2) {
        click_ = std::max(click_, std::abs(residual) / amplitude_);
        if (std::hypot(before_[0], quadrature) < amplitude_ * 0.9) {
            ++silent_;
        } else if (heard_ % 8 == 0) {
            const double phase = std::atan2(before_[0], quadrature) / kTurn;
            latest_ = std::remainder(frequency_ * media_ - phase, 1) / frequency_;
            distances_.push_back(static_cast<float>(std::abs(latest_)));
        }
    }
    before_[1] = before_[0];
    before_[0] = sample;
    media_ = media;
}

void Ear::clear() {
    distances_.clear();
    click_ = 0;
    heard_ = silent_ = 0;
}

double Ear::quantile(double fraction) const {
    if (distances_.empty()) {
        return 1e9;
    }
    std::vector<float> sorted = distances_;
    const auto at =
        sorted.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(sorted.size() - 1));
    std::nth_element(sorted.begin(), at, sorted.end());
    return *at;
}

Rehearsal::Rehearsal(const Scene& played)
    : scene(played), ear(played.frequency, played.amplitude, played.outputRate) {
    signal = [this](double media) {
        return static_cast<float>(scene.amplitude * std::sin(kTurn * scene.frequency * media));
    };
}

SoundPlaybackStats Rehearsal::stats() const {
    return player.stats(timestamp(now_));
}

std::chrono::nanoseconds Rehearsal::wantedDelay() const {
    return player.wantedDelay(timestamp(now_));
}

double Rehearsal::mediaAt(double local) const {
    auto anchor = anchors_.rbegin();
    while (anchor + 1 != anchors_.rend() && anchor->at > local) {
        ++anchor;
    }
    return anchor->media + (local - anchor->at) * (1 + scene.mediaPpm * 1e-6);
}

double Rehearsal::mediaHeardAt(double local) const {
    return mediaAt(local - scene.pictureDelay - heldNow_);
}

void Rehearsal::seek(double media) {
    anchors_.push_back({now_, media});
}

void Rehearsal::pause(bool paused) {
    if (paused_ && !paused) {
        seek(mediaAt(anchors_.back().at));
        nextBlock_ = nextPicture_ = now_;
    } else if (!paused_ && paused) {
        seek(media());
    }
    paused_ = paused;
}

void Rehearsal::captureSound() {
    const double period = 1 / (scene.rate * (1 + scene.mediaPpm * 1e-6) * (1 + scene.soundPpm * 1e-6));
    const double media = mediaAt(nextBlock_);
    Coming block;
    block.format = {.rate = scene.rate,
                    .channels = scene.channels,
                    .maxSamples = static_cast<std::uint16_t>(scene.block)};
    block.pts = std::llround((media + stampError) * scene.rate);
    block.samples.resize(std::size_t{scene.block} * scene.channels);
    const double each = period * (1 + scene.mediaPpm * 1e-6);
    for (std::size_t i = 0; i < block.samples.size(); ++i) {
        block.samples[i] = signal(media + static_cast<double>(i % scene.block) * each);
    }
    nextBlock_ += scene.block * period;
    block.at = nextBlock_ + scene.arrival + jitter(scene.arrivalJitter);
    if (!blocks_.empty()) {
        block.at = std::max(block.at, blocks_.back().at);
    }
    const bool lost = static_cast<int>(random_() % 100) < lossPercent;
    block.follows = !lost_;
    if (!lost && soundFlows) {
        blocks_.push_back(std::move(block));
    }
    lost_ = lost && soundFlows;
}

void Rehearsal::capturePicture() {
    if (picturesFlow) {
        Coming picture;
        picture.media = mediaAt(nextPicture_);
        picture.at =
            nextPicture_ + scene.pictureDelay - scene.pictureJitter + jitter(2 * scene.pictureJitter);
        if (!pictures_.empty()) {
            picture.at = std::max(picture.at, pictures_.back().at);
        }
        pictures_.push_back(picture);
    }
    nextPicture_ += 1 / scene.picturesPerSecond;
}

void Rehearsal::arrive() {
    const Coming& block = blocks_.front();
    player.put(block.format, block.pts, block.follows, block.samples, timestamp(now_));
    blocks_.erase(blocks_.begin());
}

void Rehearsal::show() {
    heldNow_ = scene.holds ? static_cast<double>(wantedDelay().count()) * 1e-9 : 0;
    player.pictureShown(pictures_.front().media, timestamp(now_ + heldNow_), std::llround(heldNow_ * 1e9));
    pictures_.erase(pictures_.begin());
}

void Rehearsal::fillDevice() {
    const double period = 1 / (scene.outputRate * (1 + scene.devicePpm * 1e-6));
    const double heard = now_ + scene.deviceDelay;
    output_.resize(std::size_t{scene.fill} * scene.outputs);
    player.fill(output_, scene.outputs, scene.outputRate,
                timestamp(heard - scene.deviceJitter + jitter(2 * scene.deviceJitter)));
    for (std::size_t i = 0; i < scene.fill; ++i) {
        const float sample = output_[i * scene.outputs];
        ear.hear(sample, mediaHeardAt(heard + static_cast<double>(i) * period));
        if (recording) {
            recorded.push_back(sample);
        }
    }
    nextFill_ += scene.fill * period;
}

void Rehearsal::run(double seconds) {
    const double never = 1e12, end = now_ + seconds;
    for (;;) {
        const double block = paused_ ? never : nextBlock_;
        const double picture = paused_ || scene.picturesPerSecond == 0 ? never : nextPicture_;
        const double arrival = blocks_.empty() ? never : blocks_.front().at;
        const double shown = pictures_.empty() ? never : pictures_.front().at;
        const double next = std::min({block, picture, arrival, shown, nextFill_, end});
        now_ = std::max(now_, next);
        if (next == end) {
            return;
        }
        if (next == block) {
            captureSound();
        } else if (next == picture) {
            capturePicture();
        } else if (next == arrival) {
            arrive();
        } else if (next == shown) {
            show();
        } else if (deviceFills) {
            fillDevice();
        } else {
            nextFill_ += 0.01;
        }
    }
}

}  // namespace verbcast::testing
