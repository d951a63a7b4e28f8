// In place of pipewire_output.cpp if libpipewire was not found, or VERBCAST_SOUND is off.
#include "render/sound/pipewire_output.h"

namespace verbcast {

std::unique_ptr<SoundOutput> openPipeWireOutput(const SoundOutputOptions&, const std::string&, SoundChoice,
                                                const std::string&, SoundFiller&) {
    return nullptr;
}

}  // namespace verbcast
