// A picture that shows one display of a wall.
#pragma once

#include <optional>

#include "app/wall/wall.h"
#include "core/stream/frame/received_frame.h"
#include "render/tile/tile_picture.h"

namespace verbcast {

/// Belongs to the OpenGL context current at construction.
class ShownTile {
  public:
    explicit ShownTile(const WallDisplay& display);

    /// Sets the frame whose picture is drawn from now on.
    void follow(const ReceivedFrame& frame);
    /// Draws black where no part of the picture fits.
    void draw(StreamRenderer& picture, const TargetPart& part) { tile_.draw(picture, crop_, look_, part); }
    /// The size as shown; nullopt before a picture that fits.
    DisplaySize size() const;
    /// The point of the sender's picture, in its pixels, that is under a point of the area.
    std::optional<TilePoint> streamPoint(const TilePoint& inArea, const TargetRect& area) const;

  private:
    TileLook look_;
    TilePicture tile_;
    FrameRect crop_;    // within what the frame holds
    TilePoint corner_;  // of crop_, in the sender's picture
};

}  // namespace verbcast
