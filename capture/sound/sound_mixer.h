// Sums the sound of several inputs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace verbcast {

/// One time line, counted in samples of one rate. Inputs add blocks at their times, in any order; the sum is
/// taken in order. Where nobody has added anything there is silence. Sums are not limited: they may exceed
/// full scale. Pure; used by one thread.
class SoundMixer {
  public:
    /// `window`: how many samples of each channel may wait to be taken; at least 1, as `channels`.
    SoundMixer(std::uint16_t channels, std::uint32_t window);

    /// Adds an input's block, whose first sample is at `at`: planar, channels times as many samples as it
    /// lasts. What lies before next() comes too late, what lies beyond the window too early: both are left
    /// out. Returns how many samples of each channel that were.
    std::uint32_t add(std::int64_t at, std::span<const float> planar);
    /// Where take() continues.
    std::int64_t next() const { return next_; }
    /// The sum of the next `samples`, at most the window: planar, in `planar`, which is resized.
    void take(std::uint32_t samples, std::vector<float>& planar);
    /// Continues at another time. What was added is forgotten.
    void restart(std::int64_t at);

  private:
    std::size_t placeOf(std::int64_t at) const;

    const std::size_t channels_, window_;
    std::vector<float> sums_;  // a ring for each channel
    std::int64_t next_ = 0;
};

}  // namespace verbcast
