// Which of a stream's channels are heard from which loudspeaker.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/sound/sound_format.h"

namespace verbcast {

/// An output of one channel is heard in front, of more at the front left, front right and so on, in the order
/// of SoundFormat::layout.
///
/// - As many channels as the output has, or fewer, are played as they are; the others are silent. But mono is
///   played by both front loudspeakers.
/// - More channels that have a layout are mixed to stereo as ITU-R BS.775 says: the centre and each side's
///   surround channels at -3 dB on top of the front, one at the back at -6 dB on either side, the LFE not at
///   all. For a mono output, half of either side is added.
/// - Otherwise the first ones are played.
class ChannelMap {
  public:
    /// Into at most 128 channels.
    void choose(const SoundFormat& format, std::uint32_t outputs) noexcept;
    /// Writes a frame of the output: one of the stream, times `gain`.
    void apply(const float* input, float gain, std::span<float> output) const noexcept;

  private:
    struct Route {
        std::uint16_t input, output;
        float gain;
    };
    void add(std::size_t input, std::size_t output, double gain) noexcept;

    std::array<Route, std::size_t{2} * kMaxSoundChannels> routes_{};  // most: every channel to either side
    std::size_t count_ = 0;
};

}  // namespace verbcast
