// Plays through PipeWire.
#pragma once

#include <memory>
#include <string>

#include "render/sound/sound_output.h"

namespace verbcast {

/// Null if it is not there, or PipeWire cannot be used, or the program was built without it. `name`: a
/// device's, or "" for the default one. `otherwise`: the problem while no daemon runs.
std::unique_ptr<SoundOutput> openPipeWireOutput(const SoundOutputOptions& options, const std::string& name,
                                                SoundChoice choice, const std::string& otherwise,
                                                SoundFiller& filler);

}  // namespace verbcast
