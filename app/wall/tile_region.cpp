#include "app/wall/tile_region.h"

#include <fmt/format.h>

#include <cmath>

namespace verbcast {
namespace {

// Pictures of the same shape may differ by a rounded pixel: 1366x768 counts as 16:9.
constexpr double kShapeTolerance = 0.002;

bool sameShape(const Wall& wall, std::uint32_t width, std::uint32_t height) {
    const double ratio =
        static_cast<double>(width) * wall.height / (static_cast<double>(height) * wall.width);
    return std::abs(ratio - 1) <= kShapeTolerance;
}

/// Rounds each edge by itself, so that neighbours stay adjacent.
std::uint16_t scaled(std::uint32_t edge, std::uint32_t from, std::uint32_t to) {
    return static_cast<std::uint16_t>((std::uint64_t{edge} * to + from / 2) / from);
}

bool isUpright(const VideoFormat& format) {
    return format.rotation == 0 && format.pixelAspect.numerator == format.pixelAspect.denominator;
}

}  // namespace

std::optional<FrameRect> tileRegion(const Wall& wall, const WallDisplay& display, const VideoFormat& format) {
    if (!isUpright(format) || !sameShape(wall, format.width, format.height)) {
        return std::nullopt;
    }
    const FrameRect& rect = display.rectangle;
    FrameRect region;
    region.x = scaled(rect.x, wall.width, format.width);
    region.y = scaled(rect.y, wall.height, format.height);
    region.width = static_cast<std::uint16_t>(
        scaled(std::uint32_t{rect.x} + rect.width, wall.width, format.width) - region.x);
    region.height = static_cast<std::uint16_t>(
        scaled(std::uint32_t{rect.y} + rect.height, wall.height, format.height) - region.y);
    return region;
}

VideoFormat canvasFormat(const Wall& wall, VideoFormat format) {
    format.width = wall.width;
    format.height = wall.height;
    layOutPlanes(format, 1, 1);
    return format;
}

RegionWish tileWish(const Wall& wall, const WallDisplay& display) {
    return [wall = Wall{wall.width, wall.height, wall.gaps, {}, {}}, display](const VideoFormat& format) {
        return tileRegion(wall, display, format);
    };
}

RegionWish sourceWish(const WallSource& source, const WallDisplay& display) {
    const FrameRect rect = source.rectangle, part = commonPart(rect, display.rectangle);
    const FrameRect own{static_cast<std::uint16_t>(part.x - rect.x),
                        static_cast<std::uint16_t>(part.y - rect.y), part.width, part.height};
    return [rect, own](const VideoFormat& format) {
        const bool fits = isUpright(format) && format.width == rect.width && format.height == rect.height;
        return fits && !own.isEmpty() ? std::optional(own) : std::nullopt;
    };
}

TileFit sourceFit(const WallSource& source, const PictureRegion& region) {
    if (!region.isNone()) {
        return {};
    }
    if (region.pictureWidth == source.rectangle.width && region.pictureHeight == source.rectangle.height) {
        return {false, fmt::format("the pictures of {} must be rotated or stretched before they are shown, "
                                   "which walls do not support",
                                   source.name)};
    }
    return {false, fmt::format("the pictures of {} have {}x{} pixels, {}x{} expected", source.name,
                               region.pictureWidth, region.pictureHeight, source.rectangle.width,
                               source.rectangle.height)};
}

TileFit tileFit(const Wall& wall, const PictureRegion& region) {
    const std::string sizes = fmt::format("the picture has {}x{} pixels, the wall was made for {}x{}",
                                          region.pictureWidth, region.pictureHeight, wall.width, wall.height);
    if (!region.isNone()) {
        const bool same = region.pictureWidth == wall.width && region.pictureHeight == wall.height;
        return {true, same ? "" : sizes + ": shown in proportion"};
    }
    if (sameShape(wall, region.pictureWidth, region.pictureHeight)) {
        return {false,
                "the picture must be rotated or stretched before it is shown, which walls do not support"};
    }
    return {false, sizes + ", which has another aspect ratio"};
}

}  // namespace verbcast
