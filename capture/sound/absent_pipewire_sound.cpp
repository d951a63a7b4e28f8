// In place of pipewire_sound.cpp if libpipewire was not found, or VERBCAST_SOUND is off.
#include "capture/sound/pipewire_sound.h"

namespace verbcast {

std::unique_ptr<SoundSource> openPipeWireSound(const std::string&, bool, const SoundOptions&) {
    return nullptr;
}

}  // namespace verbcast
