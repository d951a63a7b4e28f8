// Sound from devices.
#pragma once

#include <memory>
#include <string>

#include "capture/sound_source.h"
#include "core/sound/sound_device.h"

namespace verbcast {

/// `device`: "default", the one that records; "monitor", what the default device plays (PipeWire only);
/// "pipewire:NAME", "alsa:NAME" or the NAME of either, as soundInputs() lists them. PipeWire also takes the
/// name or serial number of a program's stream. Throws Error{Device} if there is no such device, naming those
/// that there are, and if it is busy or fails.
std::unique_ptr<SoundSource> openSoundDevice(const std::string& device, const SoundOptions& options);

/// Of both backends.
SoundDevices soundInputs();

}  // namespace verbcast
