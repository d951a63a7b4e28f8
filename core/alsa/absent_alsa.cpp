// Replaces the whole folder if libasound was not found, or VERBCAST_SOUND is off.
#include "core/alsa/alsa_devices.h"

namespace verbcast {

SoundDevices alsaDevices(SoundDirection) {
    return {.devices = {}, .problems = {"compiled without libasound"}};
}

}  // namespace verbcast
