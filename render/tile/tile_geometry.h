// Computes where a tile's picture is on its screen. No GL here.
#pragma once

#include <array>

#include "render/stream_renderer.h"
#include "render/tile/tile_look.h"

namespace verbcast {

/// A projective map of points of the plane.
class Homography {
  public:
    /// Maps the unit square to the corners: (0,0) to the first, (1,0) to the second, (1,1) to the third. They
    /// must go around a convex area.
    static Homography toCorners(const std::array<TilePoint, 4>& corners);
    /// The inverse, normalised to w = 1 at `inside`, the corners' middle, where w is not 0.
    Homography inverse(const TilePoint& inside) const;
    /// The composition: `first`, then this.
    Homography after(const Homography& first) const;

    TilePoint map(const TilePoint& point) const;
    /// Rows of the matrix.
    const std::array<double, 9>& rows() const { return rows_; }
    explicit Homography(const std::array<double, 9>& rows) : rows_(rows) {}

  private:
    std::array<double, 9> rows_;
};

struct TilePlace {
    /// Maps points of the area, in pixels from its top left corner, to the picture: (0,0) is its top left
    /// corner before rotation, (1,1) its bottom right one.
    Homography pictureFromTarget;
    bool exact = false;  ///< each picture pixel is one target pixel
};

/// For a display of this size in the picture's pixels.
TilePlace placeTile(const TileLook& look, double width, double height, const TargetRect& area);

}  // namespace verbcast
