// The test tone that goes with the test patterns.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/sound_source.h"

namespace verbcast {

/// Endless sound that depends on its time only:
/// - at each whole second, from its sample on, a pip of 1 kHz for 4 ms in all channels: four periods from
///   phase 0 at -12 dBFS, raised and lowered by half a period of cosine (0.5 ms) against clicks. The pattern
///   `flash` shows the same seconds.
/// - half a second later, to tell the channels apart, 100 ms of 400 Hz at -24 dBFS in one of them: channel
///   k at second k, modulo their number. Raised and lowered by 5 ms of cosine.
/// Between these, all samples are 0.
class ToneSound final : public SoundSource {
  public:
    /// Throws Error{Usage} for a rate or a number of channels that cannot be sent.
    ToneSound(std::uint32_t rate, std::uint16_t channels,
              std::chrono::milliseconds block = SoundOptions{}.block);

    std::string describe() const override;
    std::vector<std::string> notes() const override { return {}; }
    const SoundFormat& format() const override { return format_; }
    bool isLive() const override { return false; }
    Status read(CapturedSound& block) override;
    void seek(std::chrono::nanoseconds time) override;

  private:
    SoundFormat format_;
    std::vector<float> pip_;       // from a second on
    std::vector<float> identity_;  // from the middle of a second on
    std::int64_t next_ = 0;
};

}  // namespace verbcast
