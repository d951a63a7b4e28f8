// Which devices ALSA has, for people.
#pragma once

#include "core/sound/sound_device.h"

namespace verbcast {

/// Of the configuration, without those that only convert. With the reason if there are none, or if the
/// program was built without ALSA.
SoundDevices alsaDevices(SoundDirection direction);

}  // namespace verbcast
