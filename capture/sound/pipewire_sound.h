// Sound of PipeWire's nodes.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>

#include "capture/sound_source.h"

namespace verbcast {

/// `name`: of a device that records, of one that plays (its monitor) or of a program that plays; a serial
/// number does, too. "": the default device that records, or, `monitor`, what the default device plays. Null
/// if no daemon runs or it has no such node, or PipeWire cannot be used, or the program was built
/// without it. Throws Error{Device} if no sound comes.
std::unique_ptr<SoundSource> openPipeWireSound(const std::string& name, bool monitor,
                                               const SoundOptions& options);

/// What all processes play for which `isOurs`, which is called on a thread of PipeWire's, and silence
/// meanwhile. Waits for a daemon, and says so in its notes. Throws Error{Device} if PipeWire cannot be used,
/// or the program was built without it.
std::unique_ptr<SoundSource> openPipeWirePrograms(std::function<bool(pid_t)> isOurs,
                                                  const SoundOptions& options);

}  // namespace verbcast
