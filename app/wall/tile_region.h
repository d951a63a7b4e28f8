// The region that a display of a wall needs of incoming pictures, and where it lies on the display.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/wall/wall.h"
#include "core/video/picture_region.h"

namespace verbcast {

/// "fit", "fill", "stretch".
std::string_view nameOf(CanvasFit fit);
std::optional<CanvasFit> parseFit(std::string_view name);

/// Whether pictures are shown without being rotated or stretched, as walls need it.
bool isUpright(const VideoFormat& format);

/// A display's rectangle in pixels of incoming pictures. It may extend beyond them: black is shown there.
struct TileArea {
    std::int64_t x = 0, y = 0;
    std::int64_t width = 0, height = 0;  ///< from 1
    double pixelAspect = 1;              ///< how much wider than high a pixel is shown

    /// What of it is in pictures of that size; empty: nothing.
    FrameRect inPicture(std::uint32_t pictureWidth, std::uint32_t pictureHeight) const;
    friend bool operator==(const TileArea&, const TileArea&) = default;
};
TileArea tileArea(const Wall& wall, const WallDisplay& display, std::uint32_t pictureWidth,
                  std::uint32_t pictureHeight);

/// What the display needs of such pictures: its area, or a pixel beside it if they are not there at all.
/// nullopt if they are to be rotated or stretched for display.
std::optional<FrameRect> tileRegion(const Wall& wall, const WallDisplay& display, const VideoFormat& format);
/// Format of the wall's whole canvas, without padding, with pixels like those of `format`.
VideoFormat canvasFormat(const Wall& wall, VideoFormat format);
/// tileRegion() as a receiver's request. Copies both.
RegionWish tileWish(const Wall& wall, const WallDisplay& display);

/// For pictures of one of the wall's sources: the display's part, in the source's pixels. nullopt if their
/// size differs from the source's rectangle.
RegionWish sourceWish(const WallSource& source, const WallDisplay& display);

enum class HowShown {
    AsItIs,
    InProportion,
    BarsAboveAndBelow,
    BarsAtTheSides,
    CutAboveAndBelow,
    CutAtTheSides,
    Stretched
};
/// How pictures of that size are shown on a wall with one sender.
HowShown howShown(const Wall& wall, std::uint32_t pictureWidth, std::uint32_t pictureHeight);
/// The same in words, "" if just as they are: "the picture has 1920x1080 pixels,
/// the wall was made for 3840x2160: shown in proportion".
std::string fitText(const Wall& wall, std::uint32_t pictureWidth, std::uint32_t pictureHeight);
/// The same of the region that a display, or one of several sources, has of incoming pictures; also says why
/// nothing is shown.
std::string tileFitText(const Wall& wall, const PictureRegion& region);
std::string sourceFitText(const WallSource& source, const PictureRegion& region);

}  // namespace verbcast
