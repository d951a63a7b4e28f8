// Where sound is played: a device of PipeWire or ALSA, or nowhere.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/base/os/clock.h"
#include "core/sound/sound_device.h"

namespace verbcast {

/// Makes the sound that an output plays.
class SoundFiller {
  public:
    virtual ~SoundFiller() = default;
    /// Fills `samples`: interleaved, channels times as many as are played next, at that rate. The first will
    /// be heard at `heardAt`, by the device's own account of its delay. Called on the output's thread, which
    /// must not wait: no lock that another thread holds for long, no allocation, no system call.
    virtual void fill(std::span<float> samples, std::uint32_t channels, std::uint32_t rate,
                      TimestampNs heardAt) noexcept = 0;
};

struct SoundOutputOptions {
    /// "default"; "none": nowhere, in real time; "pipewire:NAME", "alsa:NAME", or the NAME of either.
    std::string device = "default";
    std::uint32_t rate = 48'000;  ///< asked for; the output may play at another
    std::uint32_t channels = 2;   ///< likewise
    std::uint64_t layout = 0;     ///< SoundFormat::layout of them
    std::string name;             ///< of the stream, as mixers show it
};

struct SoundOutputStatus {
    std::string device;   ///< "Built-in Audio Analogue Stereo (PipeWire)"; "" while there is none
    std::string problem;  ///< why nothing is heard: "no PipeWire runs, and ALSA has no device"; else ""
    std::uint32_t rate = 0, channels = 0;
    TimestampNs delay = 0;        ///< from filling to hearing, as asked of the device
    std::uint64_t underruns = 0;  ///< of the device: it was not filled in time
};

/// Plays from the time it is made until it is destroyed. A device that vanishes, sleeps, changes its rate or
/// comes back, and a sound server that ends and returns, are followed; meanwhile fill() is not called.
class SoundOutput {
  public:
    virtual ~SoundOutput() = default;
    /// From any thread.
    virtual SoundOutputStatus status() const = 0;
};

/// `filler` must outlive it. Throws Error{Usage} for a device that no backend knows by that name, naming
/// those that there are.
std::unique_ptr<SoundOutput> openSoundOutput(const SoundOutputOptions& options, SoundFiller& filler);

/// Of both backends.
SoundDevices soundOutputs();

}  // namespace verbcast
