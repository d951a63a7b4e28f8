#include "app/wall/tile_region.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace verbcast {
namespace {

constexpr std::array<std::string_view, 3> kFitNames{"fit", "fill", "stretch"};

// Pictures of the same shape may differ by a rounded pixel: 1366x768 counts as 16:9.
constexpr double kShapeTolerance = 0.002;

bool sameShape(const Wall& wall, std::uint32_t width, std::uint32_t height) {
    const double ratio =
        static_cast<double>(width) * wall.height / (static_cast<double>(height) * wall.width);
    return std::abs(ratio - 1) <= kShapeTolerance;
}

/// Where pictures of a size lie on the canvas: the canvas's pixels for one of theirs, and where they begin.
struct Placing {
    double scaleX = 1, scaleY = 1, left = 0, top = 0;
};

Placing placeOnCanvas(const Wall& wall, std::uint32_t width, std::uint32_t height) {
    const double x = static_cast<double>(wall.width) / width, y = static_cast<double>(wall.height) / height;
    if (wall.fit == CanvasFit::Stretch || sameShape(wall, width, height)) {
        return {x, y, 0, 0};
    }
    const double scale = wall.fit == CanvasFit::Fit ? std::min(x, y) : std::max(x, y);
    return {scale, scale, (wall.width - width * scale) / 2, (wall.height - height * scale) / 2};
}

/// At least one pixel, within 0 to `size`: the nearest one if there is none.
std::pair<std::int64_t, std::int64_t> within(std::int64_t begin, std::int64_t length, std::uint32_t size) {
    const std::int64_t first = std::clamp<std::int64_t>(begin, 0, std::int64_t{size} - 1);
    return {first, std::clamp<std::int64_t>(begin + length, first + 1, size) - first};
}

/// What of the area is in the picture, or a pixel beside it.
FrameRect nearestTo(const TileArea& area, std::uint32_t pictureWidth, std::uint32_t pictureHeight) {
    const auto [left, across] = within(area.x, area.width, pictureWidth);
    const auto [top, down] = within(area.y, area.height, pictureHeight);
    return frameRect(left, top, across, down);
}

}  // namespace

bool isUpright(const VideoFormat& format) {
    return format.rotation == 0 && format.pixelAspect.numerator == format.pixelAspect.denominator;
}

std::string_view nameOf(CanvasFit fit) {
    return kFitNames[static_cast<std::size_t>(fit)];
}

std::optional<CanvasFit> parseFit(std::string_view name) {
    const auto* const found = std::ranges::find(kFitNames, name);
    return found != kFitNames.end() ? std::optional(static_cast<CanvasFit>(found - kFitNames.begin()))
                                    : std::nullopt;
}

FrameRect TileArea::inPicture(std::uint32_t pictureWidth, std::uint32_t pictureHeight) const {
    if (x >= pictureWidth || y >= pictureHeight || x + width <= 0 || y + height <= 0) {
        return {};
    }
    return nearestTo(*this, pictureWidth, pictureHeight);
}

TileArea tileArea(const Wall& wall, const WallDisplay& display, std::uint32_t pictureWidth,
                  std::uint32_t pictureHeight) {
    const Placing placing = placeOnCanvas(wall, pictureWidth, pictureHeight);
    const FrameRect& rect = display.rectangle;
    // Rounds each edge by itself, so that neighbours stay adjacent.
    const auto across = [&](double edge) { return std::llround((edge - placing.left) / placing.scaleX); };
    const auto down = [&](double edge) { return std::llround((edge - placing.top) / placing.scaleY); };
    TileArea area;
    area.x = across(rect.x);
    area.y = down(rect.y);
    area.width = std::max<std::int64_t>(1, across(rect.x + rect.width) - area.x);
    area.height = std::max<std::int64_t>(1, down(rect.y + rect.height) - area.y);
    if (wall.fit == CanvasFit::Stretch && !sameShape(wall, pictureWidth, pictureHeight)) {
        area.pixelAspect = placing.scaleX / placing.scaleY;
    }
    return area;
}

std::optional<FrameRect> tileRegion(const Wall& wall, const WallDisplay& display, const VideoFormat& format) {
    if (!isUpright(format)) {
        return std::nullopt;
    }
    return nearestTo(tileArea(wall, display, format.width, format.height), format.width, format.height);
}

VideoFormat canvasFormat(const Wall& wall, VideoFormat format) {
    format.width = wall.width;
    format.height = wall.height;
    layOutPlanes(format, 1, 1);
    return format;
}

RegionWish tileWish(const Wall& wall, const WallDisplay& display) {
    return [wall = Wall{wall.width, wall.height, wall.fit, wall.gaps, {}, {}},
            display](const VideoFormat& format) { return tileRegion(wall, display, format); };
}

RegionWish sourceWish(const WallSource& source, const WallDisplay& display) {
    const FrameRect rect = source.rectangle, part = commonPart(rect, display.rectangle);
    const FrameRect own = frameRect(part.x - rect.x, part.y - rect.y, part.width, part.height);
    return [rect, own](const VideoFormat& format) {
        const bool fits = isUpright(format) && format.width == rect.width && format.height == rect.height;
        return fits && !own.isEmpty() ? std::optional(own) : std::nullopt;
    };
}

std::string sourceFitText(const WallSource& source, const PictureRegion& region) {
    if (!region.isNone()) {
        return "";
    }
    if (region.pictureWidth == source.rectangle.width && region.pictureHeight == source.rectangle.height) {
        return fmt::format(
            "the pictures of {} must be rotated or stretched before they are shown, which walls do not "
            "support",
            source.name);
    }
    return fmt::format("the pictures of {} have {}x{} pixels, {}x{} expected", source.name,
                       region.pictureWidth, region.pictureHeight, source.rectangle.width,
                       source.rectangle.height);
}

HowShown howShown(const Wall& wall, std::uint32_t pictureWidth, std::uint32_t pictureHeight) {
    if (pictureWidth == wall.width && pictureHeight == wall.height) {
        return HowShown::AsItIs;
    }
    if (sameShape(wall, pictureWidth, pictureHeight)) {
        return HowShown::InProportion;
    }
    const bool wider = std::uint64_t{pictureWidth} * wall.height > std::uint64_t{pictureHeight} * wall.width;
    switch (wall.fit) {
        case CanvasFit::Fit:
            return wider ? HowShown::BarsAboveAndBelow : HowShown::BarsAtTheSides;
        case CanvasFit::Fill:
            return wider ? HowShown::CutAtTheSides : HowShown::CutAboveAndBelow;
        case CanvasFit::Stretch:
            break;
    }
    return HowShown::Stretched;
}

std::string fitText(const Wall& wall, std::uint32_t pictureWidth, std::uint32_t pictureHeight) {
    constexpr std::array<const char*, 7> kWords{"",
                                                "shown in proportion",
                                                "shown with black above and below",
                                                "shown with black at its sides",
                                                "cut off above and below",
                                                "cut off at its sides",
                                                "stretched out of proportion"};
    const HowShown how = howShown(wall, pictureWidth, pictureHeight);
    return how == HowShown::AsItIs
               ? ""
               : fmt::format("the picture has {}x{} pixels, the wall was made for {}x{}: {}", pictureWidth,
                             pictureHeight, wall.width, wall.height,
                             kWords.at(static_cast<std::size_t>(how)));
}

std::string tileFitText(const Wall& wall, const PictureRegion& region) {
    return region.isNone()
               ? "the picture must be rotated or stretched before it is shown, which walls do not support"
               : fitText(wall, region.pictureWidth, region.pictureHeight);
}

}  // namespace verbcast
