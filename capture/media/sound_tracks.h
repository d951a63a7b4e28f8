// Which of a medium's sound tracks are read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"

namespace verbcast {

/// Lets libavformat read the tracks that `number` chooses, as SoundOptions says, and returns them; none if
/// there is no sound. `path` for messages. Throws Error{Usage} if there is sound, but not that track.
std::vector<AVStream*> chooseSoundTracks(const AVFormatContext& context, const std::string& path,
                                         std::uint32_t number);

}  // namespace verbcast
