#include "capture/sound/device_blocks.h"

#include <cmath>

namespace verbcast {
namespace {

constexpr std::int64_t kHeldMs = 500;
constexpr std::chrono::milliseconds kShortestBlock{1}, kLongestBlock{1000 / kSoundBlocksPerSecond};

SoundOptions checked(SoundOptions options) {
    options.block = std::clamp(options.block, kShortestBlock, kLongestBlock);
    return options;
}

}  // namespace

DeviceBlocks::DeviceBlocks(const SoundOptions& options) : options_(checked(options)) {
    const std::int64_t ms = options_.block.count();
    const auto each = static_cast<std::size_t>(kMaxSoundRate * ms / 1000 * kMaxSoundChannels);
    blocks_.resize(static_cast<std::size_t>(kHeldMs / ms));
    memory_.reset(new float[each * blocks_.size()]);  // not make_unique(): that writes zeros
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        blocks_[i].data = memory_.get() + i * each;
    }
}

SoundFormat DeviceBlocks::formatOf(std::uint32_t rate, std::uint32_t channels, std::uint64_t layout) const {
    return {.rate = rate,
            .channels = static_cast<std::uint16_t>(channels),
            .maxSamples = static_cast<std::uint16_t>(rate * options_.block.count() / 1000),
            .layout = layout};
}

bool DeviceBlocks::canBeSent(const SoundFormat& format) noexcept {
    return format.rate >= kMinSoundRate && format.rate <= kMaxSoundRate && format.channels >= 1 &&
           format.channels <= kMaxSoundChannels && format.maxSamples > 0;
}

void DeviceBlocks::keepUnsent(const SoundFormat& format) noexcept {
    if (!isUnsent_.load(std::memory_order_relaxed)) {
        unsent_ = format;
        isUnsent_.store(true, std::memory_order_release);
        news_.notify();
    }
}

void DeviceBlocks::gap() noexcept {
    if (clock_) {
        clock_->restart();
    }
}

DeviceBlocks::Block* DeviceBlocks::free() noexcept {
    const std::uint64_t written = written_.load(std::memory_order_relaxed);
    const bool isFull = written - read_.load(std::memory_order_acquire) == blocks_.size();
    return isFull ? nullptr : &blocks_[written % blocks_.size()];
}

void DeviceBlocks::publish() noexcept {
    written_.store(written_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

Status DeviceBlocks::read(CapturedSound& block, SoundFormat& format) {
    const std::uint64_t next = read_.load(std::memory_order_relaxed);
    if (written_.load(std::memory_order_acquire) == next) {
        news_.clear();
        if (written_.load(std::memory_order_acquire) == next) {
            return Status::TimedOut;
        }
    }
    const Block& taken = blocks_[next % blocks_.size()];
    block.samples.assign(taken.data, taken.data + std::size_t{taken.samples} * taken.format.channels);
    block.capturedAt = taken.at;
    block.at = ptsOf(taken);
    format = taken.format;
    read_.store(next + 1, std::memory_order_release);
    return Status::Ok;
}

/// In samples from the zero; never back, even where a device's account of its delay grows.
std::int64_t DeviceBlocks::ptsOf(const Block& block) {
    if (!zero_) {
        zero_ = options_.ptsZero.value_or(block.at);
    }
    const double seconds = static_cast<double>(block.at - *zero_) * 1e-9;
    std::int64_t at = std::llround(seconds * block.format.rate);
    if (lastRate_ == block.format.rate) {
        at = std::max(at, lastAt_ + 1);
    }
    lastAt_ = at;
    lastRate_ = block.format.rate;
    return at;
}

}  // namespace verbcast
