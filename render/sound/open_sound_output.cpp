#include <fmt/format.h>

#include <algorithm>

#include "core/alsa/alsa_devices.h"
#include "core/base/error.h"
#include "core/pipewire/pipewire_devices.h"
#include "core/sound/sound_format.h"
#include "render/sound/alsa_output.h"
#include "render/sound/null_output.h"
#include "render/sound/pipewire_output.h"

namespace verbcast {
namespace {

constexpr const char* kEnded = "PipeWire has ended";

void checkSound(const SoundOutputOptions& options) {
    const auto count = static_cast<std::uint16_t>(std::min(options.channels, 0xFFFFU));
    if (const auto problem = soundFormatProblem(
            {.rate = options.rate, .channels = count, .maxSamples = 1, .layout = options.layout})) {
        throw Error(ErrorKind::Usage, fmt::format("sound of {} cannot be played", *problem));
    }
}

/// The first backend that has a device; else waits for one.
std::unique_ptr<SoundOutput> openDefault(const SoundOutputOptions& options, SoundFiller& filler) {
    if (auto output = openPipeWireOutput(options, "", SoundChoice::IfThere, kEnded, filler)) {
        return output;
    }
    if (auto output = openAlsaOutput(options, "default", SoundChoice::IfThere, filler)) {
        return output;
    }
    const std::string neither = "no PipeWire runs, and ALSA has no device that plays";
    if (auto output = openPipeWireOutput(options, "", SoundChoice::Anyway, neither, filler)) {
        return output;
    }
    return openAlsaOutput(options, "default", SoundChoice::Anyway, filler);
}

std::unique_ptr<SoundOutput> openNamed(const SoundOutputOptions& options, SoundFiller& filler) {
    const SoundDeviceName device(options.device);
    std::unique_ptr<SoundOutput> output;
    if (device.mayBePipeWire) {
        output = openPipeWireOutput(options, device.name, SoundChoice::IfThere, kEnded, filler);
    }
    if (!output && device.mayBeAlsa) {
        output = openAlsaOutput(options, device.name, SoundChoice::IfThere, filler);
    }
    return output;
}

}  // namespace

std::unique_ptr<SoundOutput> openSoundOutput(const SoundOutputOptions& options, SoundFiller& filler) {
    checkSound(options);
    if (options.device == "none") {
        return std::make_unique<NullOutput>(options, filler);
    }
    auto output = options.device == "default" ? openDefault(options, filler) : openNamed(options, filler);
    if (!output) {
        throw Error(ErrorKind::Usage,
                    fmt::format("there is no sound output {}; {}", options.device, soundOutputs().choices()),
                    "name one of them, or none for no sound");
    }
    return output;
}

SoundDevices soundOutputs() {
    SoundDevices all = pipeWireDevices(SoundDirection::Output);
    all.add(alsaDevices(SoundDirection::Output));
    return all;
}

}  // namespace verbcast
