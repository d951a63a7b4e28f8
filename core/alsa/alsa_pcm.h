// One device of ALSA, open.
#pragma once

#include <alsa/asoundlib.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/os/clock.h"
#include "core/base/os/event.h"
#include "core/sound/sound_device.h"

namespace verbcast {

/// ALSA's own code beside the text.
class AlsaError : public Error {
  public:
    AlsaError(const char* call, const std::string& device, int code);
    int code() const { return code_; }
    /// The configuration has no such name, or no such card is there.
    bool isUnknownName() const;

  private:
    int code_;
};

struct AlsaWish {
    std::string name;  ///< of a PCM: "default", "plughw:0,3"
    SoundDirection direction = SoundDirection::Output;
    std::uint32_t rate = 48'000;  ///< the nearest that the device has itself is taken
    std::uint32_t channels = 0;   ///< likewise; 0: as many as it has, 2 if it has any number
    std::uint32_t periodMs = 5;   ///< the nearest that it has
};

/// Samples are interleaved 32-bit floats here, whatever the device takes (floats or integers of 32 or 16
/// bits). Used by one thread. All calls throw AlsaError{Device} for a device that is gone.
class AlsaPcm {
  public:
    explicit AlsaPcm(const AlsaWish& wish);

    std::uint32_t rate() const { return rate_; }
    std::uint32_t channels() const { return channels_; }
    std::uint32_t period() const { return period_; }  ///< samples of each channel

    /// Waits until a period can be read or written. Cancelled once `stop` is set. Recovers from xruns and
    /// suspends, and counts them.
    Status await(const Event& stop);
    std::uint64_t xruns() const { return xruns_; }

    /// Output: nanoseconds until what is written next is heard.
    TimestampNs delay();
    /// Output: all of them, which await() has made room for.
    void write(std::span<const float> samples);
    /// Output after write(), input after read(): whether the device takes or gives without waiting for any
    /// time to pass, as the plugins null and file do.
    bool keepsNoTime();

    /// Input: up to a period. Returns how many samples of each channel there were.
    std::uint32_t read(std::span<float> samples);
    /// Input: when the first sample was taken that is read next.
    TimestampNs nextReadAt();

  private:
    struct Close {
        void operator()(snd_pcm_t* pcm) const { snd_pcm_close(pcm); }
    };

    void setHardware(const AlsaWish& wish);
    void setSoftware();
    int require(int result, const char* call) const;
    void recover(int result, const char* call);
    void encode(std::span<const float> samples);
    void decode(std::span<float> samples) const;

    const std::string name_;
    const bool isOutput_;
    std::unique_ptr<snd_pcm_t, Close> pcm_;
    snd_pcm_format_t format_ = SND_PCM_FORMAT_FLOAT;
    std::uint32_t rate_ = 0, channels_ = 0, period_ = 0, buffer_ = 0;
    std::uint64_t xruns_ = 0;
    std::vector<std::int32_t> device_;  // a period in the device's format
    std::vector<pollfd> polled_;        // its descriptors, and one to stop
};

}  // namespace verbcast
