// A resampler whose ratio follows clocks, and which knows where it stands: libsamplerate.
#pragma once

#include <samplerate.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace verbcast {

/// Provides frames (a sample of each channel) when asked for them.
class SampleSource {
  public:
    virtual ~SampleSource() = default;
    /// Fills all of `samples`, interleaved.
    virtual void read(std::span<float> samples, std::uint32_t channels) noexcept = 0;
};

/// Band-limited interpolation (SRC_SINC_MEDIUM_QUALITY: 121 dB, up to 90 % of the band). Reads no further
/// ahead than it has to: some 46 to 80 frames of the faster side. Used by one thread.
class SoundResampler {
  public:
    /// For 1 to 128 channels. Throws Error{Internal} if there is not enough memory.
    SoundResampler(SampleSource& source, std::uint32_t channels);
    std::uint32_t channels() const { return channels_; }

    /// Fills `samples` at `ratio` frames out for each frame in (1/256 to 256), constant for this call, so
    /// that position and ratio are known exactly. Does not allocate.
    void pull(std::span<float> samples, double ratio) noexcept;
    /// Frames that were read, but are heard only after what has been pulled; with a fraction.
    double ahead() const { return ahead_; }
    /// Forgets what it has read.
    void reset() noexcept;

  private:
    static long readMore(void* self, float** data);
    static constexpr std::size_t kFrames = 32;  // read at a time

    SampleSource& source_;
    const std::uint32_t channels_;
    std::vector<float> read_;
    double ahead_ = 0;
    std::unique_ptr<SRC_STATE, SRC_STATE* (*)(SRC_STATE*)> state_;
};

}  // namespace verbcast
