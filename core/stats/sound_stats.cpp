#include "core/stats/sound_stats.h"

#include <fmt/format.h>

#include "core/base/text/counted.h"

namespace verbcast {

std::string describe(const SoundStats& sound) {
    return fmt::format("{:.1f} s of sound, {}, {} missing", sound.seconds(), describe(*sound.format),
                       counted(sound.blocksMissing, "block"));
}

}  // namespace verbcast
