// Blocks of sound on their way from a device's thread to a source's reader.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "capture/sound_source.h"
#include "core/base/cache.h"
#include "core/base/os/event.h"
#include "core/sound/sound_clock.h"

namespace verbcast {

/// A ring without locks for half a second of sound. The device's thread puts in what it has, in blocks as
/// long as they may be, with the jitter of their times taken away; what the ring has no room for is lost. The
/// reader takes block for block. One thread at each end.
class DeviceBlocks {
  public:
    explicit DeviceBlocks(const SoundOptions& options);

    /// With the longest blocks that the options allow.
    SoundFormat formatOf(std::uint32_t rate, std::uint32_t channels, std::uint64_t layout) const;

    // The device's thread, which neither waits nor allocates:

    /// Sound of `samples` per channel, whose first was taken at `reported`. `copy(channel, first, count, to)`
    /// is called for each stretch of a channel. What cannot be sent in that format is left out, see unsent().
    template <typename Copy>
    void put(const SoundFormat& format, std::uint32_t samples, TimestampNs reported, Copy&& copy);
    /// Some sound has not come from the device: its time starts anew.
    void gap() noexcept;

    // The reader:

    /// Readable when read() has a block, or unsent() begins, until read() has returned TimedOut.
    int descriptor() const { return news_.descriptor(); }
    /// Ok with a block and its format, or TimedOut. Allocates while blocks grow.
    Status read(CapturedSound& block, SoundFormat& format);
    /// Blocks that were lost because they were not read in time.
    std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }
    /// The first format that cannot be sent in which sound has come, if any has.
    std::optional<SoundFormat> unsent() const {
        return isUnsent_.load(std::memory_order_acquire) ? std::optional(unsent_) : std::nullopt;
    }

  private:
    struct Block {
        SoundFormat format;
        std::uint32_t samples = 0;
        TimestampNs at = 0;
        float* data = nullptr;
    };

    static bool canBeSent(const SoundFormat& format) noexcept;
    void keepUnsent(const SoundFormat& format) noexcept;
    Block* free() noexcept;
    void publish() noexcept;
    std::int64_t ptsOf(const Block& block);

    const SoundOptions options_;
    std::vector<Block> blocks_;
    // Untouched pages take no memory, so that there is room for the largest blocks.
    std::unique_ptr<float[]> memory_;
    Event news_;
    // Of the reader:
    std::optional<TimestampNs> zero_;
    std::int64_t lastAt_ = 0;
    std::uint32_t lastRate_ = 0;
    // Of the device's thread:
    std::optional<SoundClock> clock_;
    std::uint32_t clockRate_ = 0;
    std::atomic<std::uint64_t> lost_{0};
    SoundFormat unsent_;  // written once, before the next is set
    std::atomic<bool> isUnsent_{false};
    // Blocks since the beginning; the ring holds those between the two.
    alignas(kCacheLine) std::atomic<std::uint64_t> written_{0};
    alignas(kCacheLine) std::atomic<std::uint64_t> read_{0};
};

template <typename Copy>
void DeviceBlocks::put(const SoundFormat& format, std::uint32_t samples, TimestampNs reported, Copy&& copy) {
    if (!canBeSent(format)) {
        keepUnsent(format);
        return;
    }
    if (!clock_ || clockRate_ != format.rate) {
        clock_.emplace(format.rate);
        clockRate_ = format.rate;
    }
    const TimestampNs at = clock_->next(reported, samples);
    // Even parts: the last one is not much shorter than the others.
    const std::uint32_t parts = (samples + format.maxSamples - 1) / format.maxSamples;
    for (std::uint32_t part = 0; part < parts; ++part) {
        const auto first = static_cast<std::uint32_t>(std::uint64_t{samples} * part / parts);
        const auto end = static_cast<std::uint32_t>(std::uint64_t{samples} * (part + 1) / parts);
        Block* const block = free();
        if (block == nullptr) {
            lost_.fetch_add(1, std::memory_order_relaxed);
            continue;
        }
        block->format = format;
        block->samples = end - first;
        block->at = at + static_cast<TimestampNs>(first * clock_->perSample());
        for (std::uint32_t channel = 0; channel < format.channels; ++channel) {
            copy(channel, first, end - first, block->data + std::size_t{channel} * (end - first));
        }
        publish();
    }
    news_.notify();
}

}  // namespace verbcast
