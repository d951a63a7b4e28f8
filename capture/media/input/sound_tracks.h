// Which of a medium's sound tracks are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/convert/ffmpeg_handles.h"

namespace verbcast {

/// Lets libavformat read the tracks that `number` chooses, as SoundOptions says, and returns them; none if
/// there is no sound. `path` for messages. Throws Error{Usage} if there is sound, but not that track.
std::vector<AVStream*> chooseSoundTracks(const AVFormatContext& context, const std::string& path,
                                         std::uint32_t number);

/// Returns 0 with the next packet of tracks[track], or an AVERROR. Packets of other tracks are passed over.
int readOf(AVFormatContext& context, const std::vector<AVStream*>& tracks, AVPacket& packet,
           std::size_t& track);

}  // namespace verbcast
