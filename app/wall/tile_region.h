// The region that a display of a wall needs of incoming pictures.
#pragma once

#include <string>

#include "app/wall/wall.h"
#include "core/video/picture_region.h"

namespace verbcast {

/// The display's rectangle, scaled from the canvas to the size of the pictures. Returns nullopt if their
/// aspect ratio differs or they are to be rotated or stretched for display.
std::optional<FrameRect> tileRegion(const Wall& wall, const WallDisplay& display, const VideoFormat& format);
/// Format of the wall's whole canvas, without padding, with pixels like those of `format`.
VideoFormat canvasFormat(const Wall& wall, VideoFormat format);
/// tileRegion() as a receiver's request. Copies both.
RegionWish tileWish(const Wall& wall, const WallDisplay& display);

/// For pictures of one of the wall's sources: the display's part, in the source's pixels. nullopt if their
/// size differs from the source's rectangle.
RegionWish sourceWish(const WallSource& source, const WallDisplay& display);

/// How well incoming pictures fit the wall; `text` is "" if they fit.
struct TileFit {
    bool shown = true;
    std::string text;  ///< "the picture has 1920x1080, the wall was made for 3840x2160: shown in proportion"
};
TileFit tileFit(const Wall& wall, const PictureRegion& region);
TileFit sourceFit(const WallSource& source, const PictureRegion& region);

}  // namespace verbcast
