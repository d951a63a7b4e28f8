// In place of alsa_output.cpp if libasound was not found, or VERBCAST_SOUND is off.
#include "render/sound/alsa_output.h"

namespace verbcast {

std::unique_ptr<SoundOutput> openAlsaOutput(const SoundOutputOptions&, const std::string&, SoundChoice,
                                            SoundFiller&) {
    return nullptr;
}

}  // namespace verbcast
