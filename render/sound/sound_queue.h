// Received sound on its way from the thread that receives it to the device's thread, without locks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/sound/sound_format.h"

namespace verbcast {

/// A stretch of queued sound. Stretches that follow each other without a break make a run.
struct QueuedBlock {
    std::uint64_t first = 0;   ///< its first frame: a sample of each channel, counted in the queue
    std::uint64_t frames = 0;  ///< how many
    double media = 0;          ///< media time of the first, in seconds
    double period = 0;         ///< seconds of media for each
    bool starts = false;       ///< a run: it does not continue the block before

    std::uint64_t end() const { return first + frames; }
    double mediaOf(std::uint64_t frame) const {
        return media + period * static_cast<double>(static_cast<std::int64_t>(frame - first));
    }
};

/// Up to two seconds of sound of one format. One thread pushes, another reads.
class SoundQueue {
  public:
    explicit SoundQueue(const SoundFormat& format);
    const SoundFormat& format() const { return format_; }

    /// Copies planar samples; what is no number becomes 0, and what is beyond 8 times full scale is limited.
    /// Returns false and takes nothing if it is full.
    bool push(std::span<const float> planar, double media, double period, bool starts) noexcept;

    /// Blocks so far. Those that have not been released may be read.
    std::uint64_t blocks() const { return blocks_.load(std::memory_order_acquire); }
    const QueuedBlock& block(std::uint64_t index) const { return ring_[index % ring_.size()]; }
    /// The channels' samples.
    const float* frame(std::uint64_t frame) const { return &samples_[frame % capacity_ * format_.channels]; }
    /// Neither blocks nor frames before these are read again.
    void release(std::uint64_t block, std::uint64_t frame) noexcept;
    std::uint64_t capacity() const { return capacity_; }  ///< in frames
    std::uint64_t blockCapacity() const { return ring_.size(); }

  private:
    const SoundFormat format_;
    const std::uint64_t capacity_;
    const std::unique_ptr<float[]> samples_;  // interleaved
    std::vector<QueuedBlock> ring_;
    std::atomic<std::uint64_t> blocks_{0};
    std::atomic<std::uint64_t> releasedBlocks_{0}, releasedFrames_{0};
};

/// A queue for each format that the sound has had, in order; at most four at a time.
class SoundQueues {
  public:
    /// For the thread that pushes. The last one; null at first.
    SoundQueue* newest();
    /// Begins another one. Returns false if the reader has not got to the last ones yet.
    bool begin(const SoundFormat& format);

    /// For the thread that reads. The one being read; null at first.
    SoundQueue* current();
    /// The one after it; null if there is none yet.
    SoundQueue* next();
    /// Whether there is yet another one after that.
    bool crowded() const { return begun_.load(std::memory_order_acquire) > passed_ + 2; }
    /// Goes on to next().
    void advance() { passed_.fetch_add(1, std::memory_order_release); }

  private:
    static constexpr std::size_t kMaxQueues = 4;
    std::array<std::unique_ptr<SoundQueue>, kMaxQueues> queues_;
    std::atomic<std::uint64_t> begun_{0}, passed_{0};
};

}  // namespace verbcast
