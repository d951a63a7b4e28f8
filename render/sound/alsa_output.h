// Plays through ALSA.
#pragma once

#include <memory>
#include <string>

#include "render/sound/sound_output.h"

namespace verbcast {

/// `name`: a PCM of ALSA's configuration, such as "default" or "plughw:0,3". Null if ALSA knows none by that
/// name and the choice is IfThere, or if the program was built without ALSA. A device that is busy or fails
/// is waited for. Throws Error{Resource}.
std::unique_ptr<SoundOutput> openAlsaOutput(const SoundOutputOptions& options, const std::string& name,
                                            SoundChoice choice, SoundFiller& filler);

}  // namespace verbcast
