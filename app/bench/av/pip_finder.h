// Finds the pips of the test tone in what a device plays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "capture/sound_source.h"

namespace verbcast {

/// Compares each 5 ms of the sum of all channels with the pip that ToneSound makes: a pip is where their
/// correlation is highest, whatever its loudness, so that other sound and noise make none. Pure. Used by one
/// thread.
class PipFinder {
  public:
    /// Appends when each pip began, to the sample, as the blocks' times say. `block` is of that format; it
    /// follows the last one, or its time says that sound is missing. A pip is told after 10 ms of further
    /// sound.
    void put(const SoundFormat& format, const CapturedSound& block, std::vector<TimestampNs>& pips);
    /// Of the first sample that was no silence.
    std::optional<TimestampNs> firstSound() const { return firstSound_; }

  private:
    struct Pip {
        double likeness = 0;
        TimestampNs at = 0;
        std::size_t age = 0;  // samples that have been compared since
    };

    void restart(std::uint32_t rate);
    void append(const SoundFormat& format, const CapturedSound& block);
    double likeness(const float* samples) const;
    TimestampNs timeOf(std::size_t place) const;

    std::optional<TimestampNs> firstSound_;
    std::uint32_t rate_ = 0;
    std::vector<float> pip_;
    double pipEnergy_ = 0;
    std::vector<float> samples_;  // from the first one at which none was compared
    TimestampNs end_ = 0;         // of samples_
    std::optional<Pip> best_;     // of the current pip
};

}  // namespace verbcast
