#include "capture/sound/sample_queue.h"

#include <algorithm>

namespace verbcast {
namespace {

constexpr std::size_t kUsedBeforeMoving = 1 << 14;

}  // namespace

void SampleQueue::add(std::int64_t at, const float* const* planes, std::uint32_t samples) {
    if (runs_.empty() || runs_.back().end() != at) {
        runs_.push_back({.at = at, .channels = std::vector<std::vector<float>>(channels_)});
    }
    for (std::size_t channel = 0; channel < channels_; ++channel) {
        std::vector<float>& to = runs_.back().channels[channel];
        to.insert(to.end(), planes[channel], planes[channel] + samples);
    }
    waiting_ += samples;
}

void SampleQueue::take(std::uint32_t samples, float* to) {
    const Run& run = runs_.front();
    for (const std::vector<float>& channel : run.channels) {
        to = std::copy_n(channel.data() + run.used, samples, to);
    }
    drop(samples);
}

void SampleQueue::dropBefore(std::int64_t position) {
    drop(std::min(position, end()) - at());
}

void SampleQueue::drop(std::int64_t samples) {
    Run& run = runs_.front();
    run.at += samples;
    run.used += static_cast<std::size_t>(samples);
    waiting_ -= samples;
    if (run.used == run.channels.front().size()) {
        runs_.pop_front();
    } else if (run.used >= kUsedBeforeMoving) {
        for (std::vector<float>& channel : run.channels) {
            channel.erase(channel.begin(), channel.begin() + static_cast<std::ptrdiff_t>(run.used));
        }
        run.used = 0;
    }
}

void SampleQueue::clear() {
    runs_.clear();
    waiting_ = 0;
}

}  // namespace verbcast
