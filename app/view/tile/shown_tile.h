// A picture that shows a display of a wall.
#pragma once

#include <optional>

#include "app/wall/wall.h"
#include "core/stream/frame/received_frame.h"
#include "render/tile/tile_picture.h"

namespace verbcast {

/// Belongs to the OpenGL context that is current when it is made.
class ShownTile {
  public:
    explicit ShownTile(const WallDisplay& display);

    /// Of the frame whose picture is drawn from now on.
    void follow(const ReceivedFrame& frame);
    /// Black where no part of the picture fits.
    void draw(StreamRenderer& picture, const TargetPart& part) { tile_.draw(picture, crop_, look_, part); }
    /// As it is shown; nothing before a picture that fits.
    DisplaySize size() const;
    /// The point of the sender's picture, in its pixels, under one of the area.
    std::optional<TilePoint> streamPoint(const TilePoint& inArea, const TargetRect& area) const;

  private:
    TileLook look_;
    TilePicture tile_;
    FrameRect crop_;    // of what the frame holds
    TilePoint corner_;  // of that in the sender's picture
};

}  // namespace verbcast
