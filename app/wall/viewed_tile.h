// The display of a wall that a viewer is.
#pragma once

#include <string>

#include "app/wall/tile_region.h"

namespace verbcast {

struct ViewedTile {
    Wall wall;  ///< without its displays
    WallDisplay display;

    RegionWish wish() const { return tileWish(wall, display); }
    /// "tile 1-2: the picture has ...: shown in proportion"; "" when it fits.
    std::string fitText(const PictureRegion& region) const;
};

/// Throws as readWall(), and Error{Usage} that lists the names where there is none of that name.
ViewedTile findTile(const std::string& file, const std::string& name);

}  // namespace verbcast
