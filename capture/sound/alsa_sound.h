// Sound of ALSA's devices.
#pragma once

#include <memory>
#include <string>

#include "capture/sound_source.h"

namespace verbcast {

/// `name`: a PCM of ALSA's configuration, such as "default" or "plughw:1". Null if ALSA knows none by that
/// name, or if the program was built without ALSA. Throws Error{Device} for one that is busy or fails.
std::unique_ptr<SoundSource> openAlsaSound(const std::string& name, const SoundOptions& options);

}  // namespace verbcast
