// Replaces all but pipewire_handles.cpp if libpipewire was not found, or VERBCAST_SOUND is off.
#include "core/pipewire/pipewire_devices.h"

namespace verbcast {

SoundDevices pipeWireDevices(SoundDirection) {
    return {.devices = {}, .problems = {"compiled without libpipewire"}};
}

}  // namespace verbcast
