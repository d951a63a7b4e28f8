#include "render/sound/sound_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace verbcast {
namespace {

constexpr double kFlush = 0.01;      // longer than the resampler remembers
constexpr double kUnderrunEnds = 1;  // a longer silence was a pause

float fadeGain(std::uint64_t level, std::uint64_t full) {
    const float x = static_cast<float>(level) / static_cast<float>(full);
    return x * x * (3 - 2 * x);
}

std::uint64_t framesIn(double seconds, double period, std::uint64_t most) {
    const double frames = std::ceil(seconds / period);
    return frames < static_cast<double>(most) ? static_cast<std::uint64_t>(std::max(frames, 0.0)) : most;
}

}  // namespace

void SoundReader::setOutputs(std::uint32_t outputs) noexcept {
    outputs_ = outputs;
    if (queue_ != nullptr) {
        map_.choose(queue_->format(), outputs);
    }
}

bool SoundReader::changeFormat() noexcept {
    SoundQueue* next = queue_ == nullptr ? queues_.current() : queues_.next();
    if (next == nullptr || playing()) {
        return false;
    }
    if (queue_ != nullptr) {
        known_ = queue_->blocks();  // all that there will ever be
        const bool over = find(*queue_, target_, block_).wait == std::numeric_limits<double>::infinity();
        const bool there = find(*next, target_, 0).place.has_value();
        if (quiet_ < kFlush || !(over || there || queues_.crowded())) {
            return false;
        }
        queues_.advance();
    }
    queue_ = next;
    const SoundFormat& format = queue_->format();
    map_.choose(format, outputs_);
    channels_.store(format.channels, std::memory_order_relaxed);
    known_ = block_ = frame_ = 0;
    run_ = {};
    ranDry_ = false;
    period_ = 1.0 / format.rate;
    fade_ = static_cast<std::uint64_t>(kFadeSeconds * format.rate);
    return true;
}

std::optional<double> SoundReader::aim(const Aim& aim) noexcept {
    target_ = aim.media;
    wanted_ = aim.frames;
    silent_ = aim.silent;
    if (queue_ == nullptr) {
        return std::nullopt;
    }
    known_ = queue_->blocks();
    if (!playing()) {
        discardOverflow();
        return std::nullopt;
    }
    learnRun();
    const double error = target_ - run_.mediaOf(frame_);
    if (!leaving_ && std::abs(error) > aim.most) {
        resyncs_.fetch_add(std::abs(error) > kResync ? 1 : 0, std::memory_order_relaxed);
        leaving_ = true;
    }
    leaving_ = leaving_ || silent_ || elsewhere();
    return leaving_ ? std::nullopt : std::optional(error);
}

/// Whether what should be heard is not in this run, but in a later one.
bool SoundReader::elsewhere() const noexcept {
    if (!runGoesOn_) {
        const Search found = find(*queue_, target_, block_);
        return found.place && found.place->frame >= runEnd_;
    }
    const SoundQueue* next = queues_.next();
    return next != nullptr && find(*next, target_, 0).place.has_value();
}

SoundReader::Search SoundReader::find(const SoundQueue& queue, double media,
                                      std::uint64_t oldest) const noexcept {
    Search search{std::nullopt, std::numeric_limits<double>::infinity()};
    const std::uint64_t first = &queue == queue_ ? frame_ : 0;
    for (std::uint64_t i = &queue == queue_ ? known_ : queue.blocks(); i-- > oldest;) {
        const QueuedBlock& block = queue.block(i);
        const std::uint64_t from = std::max(block.first, first);
        const double frames = std::floor((media - block.mediaOf(from)) / block.period);
        if (frames >= 0 && frames < static_cast<double>(block.end() - from)) {
            search.place = Place{i, from + static_cast<std::uint64_t>(frames)};
            return search;
        }
        if (frames < 0 && from < block.end()) {
            search.wait = std::min(search.wait, block.mediaOf(from) - media);
        }
    }
    return search;
}

/// While it waits in silence, sound keeps coming: the newest is more likely to be wanted.
void SoundReader::discardOverflow() noexcept {
    const std::uint64_t end = newest().end();
    while (block_ < known_ &&
           (end - frame_ > queue_->capacity() / 4 * 3 || known_ - block_ > queue_->blockCapacity() / 4 * 3)) {
        run_ = queue_->block(block_++);
        frame_ = run_.end();
    }
    queue_->release(block_, frame_);
}

void SoundReader::learnRun() noexcept {
    if (block_ < known_ && frame_ == run_.end() && !queue_->block(block_).starts) {
        run_ = queue_->block(block_);
    }
    std::uint64_t block = block_;
    runEnd_ = run_.end();
    while (block < known_ && (queue_->block(block).first < runEnd_ || !queue_->block(block).starts)) {
        runEnd_ = queue_->block(block++).end();
    }
    runGoesOn_ = block == known_;
}

void SoundReader::read(std::span<float> samples, std::uint32_t channels) noexcept {
    const std::uint64_t frames = samples.size() / channels;
    for (std::uint64_t done = 0; done < frames;) {
        if (const std::uint64_t quiet = playing() ? 0 : silence(frames - done); quiet > 0) {
            std::fill_n(samples.begin() + static_cast<std::ptrdiff_t>(done * channels), quiet * channels,
                        0.0F);
            done += quiet;
            continue;
        }
        do {
            playFrame(samples.subspan(done++ * channels, channels));
        } while (playing() && done < frames);
    }
    wanted_ -= std::min(wanted_, frames);
    if (queue_ != nullptr) {
        queue_->release(block_, frame_);
    }
}

/// Begins to play if it can. Otherwise returns how many of so many frames are silent before it might.
std::uint64_t SoundReader::silence(std::uint64_t frames) noexcept {
    std::uint64_t quiet = frames;
    if (queue_ != nullptr && !silent_) {
        const Search found = find(*queue_, target_, block_);
        if (found.place) {
            start(*found.place);
            // What would fade out at once is not begun.
            const std::uint64_t least = 2 * fade_ + (runGoesOn_ ? wanted_ : 0);
            if (runEnd_ - frame_ > least) {
                level_ = 1;
                underruns_.fetch_add(ranDry_ && quiet_ < kUnderrunEnds ? 1 : 0, std::memory_order_relaxed);
                ranDry_ = false;
                quiet_ = 0;
                return 0;
            }
        } else {
            quiet = std::clamp<std::uint64_t>(framesIn(found.wait, period_, frames), 1, frames);
        }
    }
    target_ += static_cast<double>(quiet) * period_;
    quiet_ += static_cast<double>(quiet) * period_;
    return quiet;
}

void SoundReader::start(const Place& place) noexcept {
    block_ = place.block;
    frame_ = place.frame;
    run_ = queue_->block(block_);
    period_ = run_.period;
    learnRun();
}

void SoundReader::playFrame(std::span<float> output) noexcept {
    const std::uint64_t left = runEnd_ - frame_ - 1;
    const bool falls = leaving_ || left < level_;
    if (falls) {
        level_ = std::min(level_ - 1, left);
        ranDry_ = ranDry_ || (!leaving_ && runGoesOn_);
    } else {
        level_ = std::min({level_ + 1, fade_, left});
        underruns_.fetch_add(ranDry_ ? 1 : 0, std::memory_order_relaxed);
        ranDry_ = false;
    }
    const float* input = queue_->frame(frame_);
    for (std::size_t i = 0; i < queue_->format().channels; ++i) {
        const float sample = std::abs(input[i]);
        if (sample > peaks_[i].load(std::memory_order_relaxed)) {
            peaks_[i].store(sample, std::memory_order_relaxed);
        }
    }
    map_.apply(input, fadeGain(level_, fade_), output);
    target_ += period_;
    if (++frame_ == run_.end() && ++block_ < known_ && frame_ < runEnd_) {
        run_ = queue_->block(block_);
        period_ = run_.period;
    }
    if (level_ == 0) {
        leaving_ = false;
    }
}

const QueuedBlock& SoundReader::newest() const noexcept {
    return block_ < known_ ? queue_->block(known_ - 1) : run_;
}

std::optional<double> SoundReader::end() const noexcept {
    if (queue_ == nullptr || known_ == 0 || queues_.next() != nullptr) {
        return std::nullopt;
    }
    return newest().mediaOf(newest().end());
}

double SoundReader::buffered() const noexcept {
    return queue_ == nullptr ? 0 : static_cast<double>(newest().end() - frame_) * period_;
}

std::vector<float> SoundReader::takePeaks() {
    std::vector<float> peaks(channels_.load(std::memory_order_relaxed));
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        peaks[i] = peaks_[i].exchange(0, std::memory_order_relaxed);
    }
    return peaks;
}

}  // namespace verbcast
