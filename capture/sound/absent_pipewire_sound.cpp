// In place of pipewire_sound.cpp if libpipewire was not found, or VERBCAST_SOUND is off.
#include "capture/sound/pipewire_sound.h"

namespace verbcast {

std::unique_ptr<SoundSource> openPipeWireSound(const std::string&, bool, const SoundOptions&) {
    return nullptr;
}

std::unique_ptr<SoundSource> openPipeWirePrograms(std::function<bool(pid_t)>, const SoundOptions&) {
    throw Error(ErrorKind::Device, "compiled without libpipewire");
}

}  // namespace verbcast
