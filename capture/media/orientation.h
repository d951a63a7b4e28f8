// How pictures are to be turned: what containers, cameras (EXIF) and codecs (H.264, HEVC) say.
#pragma once

#include <cstdint>
#include <optional>

#include "capture/convert/ffmpeg_handles.h"

namespace verbcast {

struct Orientation {
    std::uint16_t rotation = 0;  ///< degrees clockwise: 0, 90, 180 or 270, the nearest
    bool exact = true;           ///< false if it is mirrored, too, or turned by another angle
};

/// As the container says.
Orientation orientationOf(const AVStream& stream);
/// As the picture itself says, if it does.
std::optional<Orientation> orientationOf(const AVFrame& picture);

}  // namespace verbcast
