#include "capture/sound/open_sound_device.h"

#include <fmt/format.h>

#include "capture/sound/alsa_sound.h"
#include "capture/sound/pipewire_sound.h"
#include "core/alsa/alsa_devices.h"
#include "core/base/error.h"
#include "core/pipewire/pipewire_devices.h"

namespace verbcast {
namespace {

std::unique_ptr<SoundSource> openInput(const std::string& device, const SoundOptions& options) {
    if (device == "monitor") {
        return openPipeWireSound("", true, options);
    }
    if (device == "default") {
        auto sound = openPipeWireSound("", false, options);
        return sound ? std::move(sound) : openAlsaSound("default", options);
    }
    const SoundDeviceName named(device);
    std::unique_ptr<SoundSource> sound;
    if (named.mayBePipeWire) {
        sound = openPipeWireSound(named.name, false, options);
    }
    return sound || !named.mayBeAlsa ? std::move(sound) : openAlsaSound(named.name, options);
}

}  // namespace

std::unique_ptr<SoundSource> openSoundDevice(const std::string& device, const SoundOptions& options) {
    auto sound = openInput(device, options);
    if (!sound) {
        throw Error(ErrorKind::Device,
                    fmt::format("there is no sound input {}; {}", device, soundInputs().choices()),
                    device == "monitor" ? "what is heard can be captured where PipeWire and wireplumber run"
                                        : "name one of them, or none for no sound");
    }
    return sound;
}

SoundDevices soundInputs() {
    SoundDevices all = pipeWireDevices(SoundDirection::Input);
    all.add(alsaDevices(SoundDirection::Input));
    return all;
}

}  // namespace verbcast
