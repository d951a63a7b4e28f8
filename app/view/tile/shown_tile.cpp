#include "app/view/tile/shown_tile.h"

#include "render/tile/tile_geometry.h"

namespace verbcast {
namespace {

TileLook lookOf(const WallDisplay& display) {
    TileLook look;
    look.rotation = display.rotation;
    if (display.warps()) {
        look.corners.emplace();
        for (std::size_t i = 0; i < display.corners.size(); ++i) {
            look.corners->at(i) = {display.corners[i].x, display.corners[i].y};
        }
    }
    const double width = display.rectangle.width, height = display.rectangle.height;
    look.fade = {display.blend.left / width, display.blend.right / width, display.blend.top / height,
                 display.blend.bottom / height, display.blend.gamma};
    look.gain = display.colour.gain;
    look.gamma = display.colour.gamma;
    look.black = display.colour.black;
    return look;
}

}  // namespace

ShownTile::ShownTile(const ViewedTile& tile) : tile_(tile), look_(lookOf(tile.display)) {}

void ShownTile::follow(const ReceivedFrame& frame) {
    crop_ = TileCrop::all({0, 0, static_cast<std::uint16_t>(frame.format->width),
                           static_cast<std::uint16_t>(frame.format->height)});
    corner_ = {};
    look_.pixelAspect = 1;
    if (!frame.region) {
        return;
    }
    const PictureRegion& region = *frame.region;
    if (region.isNone()) {
        crop_ = {};
        return;
    }
    const auto inFrame = [&region](FrameRect rect) {
        rect.x = static_cast<std::uint16_t>(rect.x - region.held.x);
        rect.y = static_cast<std::uint16_t>(rect.y - region.held.y);
        return rect;
    };
    if (!tile_.wall.sources.empty()) {  // its pictures have the source's size
        crop_ = TileCrop::all(inFrame(region.wanted));
        corner_ = {static_cast<double>(region.wanted.x), static_cast<double>(region.wanted.y)};
        return;
    }
    const TileArea area = tileArea(tile_.wall, tile_.display, region.pictureWidth, region.pictureHeight);
    const FrameRect shown = area.inPicture(region.pictureWidth, region.pictureHeight);
    crop_ = {.part = shown.isEmpty() ? FrameRect{} : inFrame(shown),
             .left = static_cast<double>(shown.x - area.x),
             .top = static_cast<double>(shown.y - area.y),
             .width = static_cast<double>(area.width),
             .height = static_cast<double>(area.height)};
    corner_ = {static_cast<double>(area.x), static_cast<double>(area.y)};
    look_.pixelAspect = area.pixelAspect;
}

DisplaySize ShownTile::size() const {
    const double width = crop_.width * look_.pixelAspect;
    return look_.rotation % 180 != 0 ? DisplaySize{crop_.height, width} : DisplaySize{width, crop_.height};
}

std::optional<TilePoint> ShownTile::streamPoint(const TilePoint& inArea, const TargetRect& area) const {
    if (crop_.isEmpty()) {
        return std::nullopt;
    }
    const TilePlace place = placeTile(look_, crop_.width, crop_.height, area);
    const TilePoint point = place.pictureFromTarget.map(inArea);
    return TilePoint{corner_.x + point.x * crop_.width, corner_.y + point.y * crop_.height};
}

}  // namespace verbcast
