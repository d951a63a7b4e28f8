// A picture that shows one display of a wall.
#pragma once

#include <optional>

#include "app/wall/viewed_tile.h"
#include "core/flow/received_frame.h"
#include "render/tile/tile_picture.h"

namespace verbcast {

/// Belongs to the OpenGL context current at construction.
class ShownTile {
  public:
    explicit ShownTile(const ViewedTile& tile);

    /// Sets the frame whose picture is drawn from now on.
    void follow(const ReceivedFrame& frame);
    /// Draws black where no part of the picture fits.
    void draw(StreamRenderer& picture, const TargetPart& part) { picture_.draw(picture, crop_, look_, part); }
    /// The size as shown.
    DisplaySize size() const;
    /// The point of the sender's picture, in its pixels, that is under a point of the area.
    std::optional<TilePoint> streamPoint(const TilePoint& inArea, const TargetRect& area) const;

  private:
    const ViewedTile tile_;
    TileLook look_;
    TilePicture picture_;
    TileCrop crop_;     // within what the frame holds
    TilePoint corner_;  // of the display, in the sender's picture
};

}  // namespace verbcast
