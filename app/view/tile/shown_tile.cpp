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

ShownTile::ShownTile(const WallDisplay& display) : look_(lookOf(display)) {}

void ShownTile::follow(const ReceivedFrame& frame) {
    crop_ = {0, 0, static_cast<std::uint16_t>(frame.format->width),
             static_cast<std::uint16_t>(frame.format->height)};
    corner_ = {};
    if (frame.region) {
        const PictureRegion& region = *frame.region;
        crop_ = region.wanted;
        crop_.x = static_cast<std::uint16_t>(crop_.x - region.held.x);
        crop_.y = static_cast<std::uint16_t>(crop_.y - region.held.y);
        corner_ = {static_cast<double>(region.wanted.x), static_cast<double>(region.wanted.y)};
    }
}

DisplaySize ShownTile::size() const {
    const bool swaps = look_.rotation % 180 != 0;
    return swaps ? DisplaySize{double(crop_.height), double(crop_.width)}
                 : DisplaySize{double(crop_.width), double(crop_.height)};
}

std::optional<TilePoint> ShownTile::streamPoint(const TilePoint& inArea, const TargetRect& area) const {
    if (crop_.width == 0 || crop_.height == 0) {
        return std::nullopt;
    }
    const TilePlace place = placeTile(look_, crop_.width, crop_.height, area);
    const TilePoint point = place.pictureFromTarget.map(inArea);
    return TilePoint{corner_.x + point.x * crop_.width, corner_.y + point.y * crop_.height};
}

}  // namespace verbcast
