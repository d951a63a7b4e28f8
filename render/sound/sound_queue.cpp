#include "render/sound/sound_queue.h"

#include <algorithm>
#include <cmath>

namespace verbcast {
namespace {

constexpr std::uint64_t kQueueSeconds = 2;
constexpr std::size_t kQueueBlocks = 4096;  // of half a millisecond
constexpr float kMaxSample = 8;

float playable(float sample) {
    return std::isfinite(sample) ? std::clamp(sample, -kMaxSample, kMaxSample) : 0;
}

}  // namespace

SoundQueue::SoundQueue(const SoundFormat& format)
    : format_(format),
      capacity_(kQueueSeconds * format.rate),
      samples_(std::make_unique_for_overwrite<float[]>(capacity_ * format.channels)),
      ring_(kQueueBlocks) {}

bool SoundQueue::push(std::span<const float> planar, double media, double period, bool starts) noexcept {
    const std::uint64_t count = planar.size() / format_.channels;
    const std::uint64_t index = blocks_.load(std::memory_order_relaxed);
    const std::uint64_t first = index == 0 ? 0 : block(index - 1).end();
    if (index - releasedBlocks_.load(std::memory_order_acquire) >= ring_.size() - 1 ||
        first + count - releasedFrames_.load(std::memory_order_acquire) > capacity_) {
        return false;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        float* to = &samples_[(first + i) % capacity_ * format_.channels];
        for (std::size_t channel = 0; channel < format_.channels; ++channel) {
            to[channel] = playable(planar[channel * count + i]);
        }
    }
    ring_[index % ring_.size()] = {first, count, media, period, starts};
    blocks_.store(index + 1, std::memory_order_release);
    return true;
}

void SoundQueue::release(std::uint64_t block, std::uint64_t frame) noexcept {
    releasedBlocks_.store(block, std::memory_order_release);
    releasedFrames_.store(frame, std::memory_order_release);
}

SoundQueue* SoundQueues::newest() {
    const std::uint64_t begun = begun_.load(std::memory_order_relaxed);
    return begun == 0 ? nullptr : queues_[(begun - 1) % kMaxQueues].get();
}

bool SoundQueues::begin(const SoundFormat& format) {
    const std::uint64_t begun = begun_.load(std::memory_order_relaxed);
    if (begun - passed_.load(std::memory_order_acquire) >= kMaxQueues) {
        return false;
    }
    queues_[begun % kMaxQueues] = std::make_unique<SoundQueue>(format);
    begun_.store(begun + 1, std::memory_order_release);
    return true;
}

SoundQueue* SoundQueues::current() {
    const std::uint64_t passed = passed_.load(std::memory_order_relaxed);
    return begun_.load(std::memory_order_acquire) > passed ? queues_[passed % kMaxQueues].get() : nullptr;
}

SoundQueue* SoundQueues::next() {
    const std::uint64_t passed = passed_.load(std::memory_order_relaxed);
    return begun_.load(std::memory_order_acquire) > passed + 1 ? queues_[(passed + 1) % kMaxQueues].get()
                                                               : nullptr;
}

}  // namespace verbcast
