// Which devices PipeWire has, for people.
#pragma once

#include "core/sound/sound_device.h"

namespace verbcast {

/// Those that play, or those that record and the monitors of those that play: what they play. With the reason
/// if there are none, or PipeWire cannot be used, or the program was built without it. Takes some
/// milliseconds, and two seconds if a daemon does not answer.
SoundDevices pipeWireDevices(SoundDirection direction);

}  // namespace verbcast
