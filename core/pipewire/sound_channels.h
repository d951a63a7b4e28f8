// Loudspeakers and formats of sound in PipeWire's words.
#pragma once

#include <spa/param/audio/raw.h>
#include <spa/pod/pod.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace verbcast {

/// spa_audio_channel of "FL", "AUX3"; SPA_AUDIO_CHANNEL_UNKNOWN for none.
std::uint32_t soundChannelOf(std::string_view name);

/// SoundFormat::layout of channels in this order; 0 if it has no bits for them, or those would be out of
/// order.
std::uint64_t layoutOf(const std::vector<std::uint32_t>& channels);

/// The channels of a layout, or, if that is 0, as many as PipeWire would assume.
std::vector<std::uint32_t> channelsOf(std::uint64_t layout, std::uint32_t count);

/// An offer of one format of 32-bit floats, serialised.
class SoundOffer {
  public:
    /// `format`: SPA_AUDIO_FORMAT_F32 or F32P. `rate` 0: PipeWire's own.
    SoundOffer(spa_audio_format format, std::uint32_t rate, const std::vector<std::uint32_t>& channels);
    SoundOffer(const SoundOffer&) = delete;
    SoundOffer& operator=(const SoundOffer&) = delete;
    const spa_pod* pod() const { return pod_; }

  private:
    std::array<std::uint8_t, 1024> memory_{};
    const spa_pod* pod_ = nullptr;
};

}  // namespace verbcast
