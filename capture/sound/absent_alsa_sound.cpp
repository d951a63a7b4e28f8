// In place of alsa_sound.cpp if libasound was not found, or VERBCAST_SOUND is off.
#include "capture/sound/alsa_sound.h"

namespace verbcast {

std::unique_ptr<SoundSource> openAlsaSound(const std::string&, const SoundOptions&) {
    return nullptr;
}

}  // namespace verbcast
