// What a display of a wall wants of the pictures that come.
#pragma once

#include <string>

#include "app/wall/wall.h"
#include "core/video/picture_region.h"

namespace verbcast {

/// The display's rectangle in pictures of the canvas's size; in others of its shape, as much of them. Nothing
/// where the shape is another, or the picture is to be turned or stretched before it is shown.
std::optional<FrameRect> tileRegion(const Wall& wall, const WallDisplay& display, const VideoFormat& format);
/// The same as a receiver asks for it. Both are copied.
RegionWish tileWish(const Wall& wall, const WallDisplay& display);

/// Of pictures that a source of the wall sends: the display's part of them, in their own pixels. Nothing
/// where they have another size than its rectangle.
RegionWish sourceWish(const WallSource& source, const WallDisplay& display);

/// How what comes fits the wall: "" when it does.
struct TileFit {
    bool shown = true;
    std::string text;  ///< "the picture has 1920x1080, the wall was made for 3840x2160: shown in proportion"
};
TileFit tileFit(const Wall& wall, const PictureRegion& region);
TileFit sourceFit(const WallSource& source, const PictureRegion& region);

}  // namespace verbcast
