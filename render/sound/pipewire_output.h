// Plays through PipeWire.
#pragma once

#include <memory>
#include <string>

#include "render/sound/sound_output.h"

namespace verbcast {

/// Null if it is not there, or the program was built without PipeWire. `name`: a device's, or "" for the
/// default one.
/// `otherwise`: the problem while no daemon runs. Throws Error{Resource}.
std::unique_ptr<SoundOutput> openPipeWireOutput(const SoundOutputOptions& options, const std::string& name,
                                                SoundChoice choice, const std::string& otherwise,
                                                SoundFiller& filler);

}  // namespace verbcast
