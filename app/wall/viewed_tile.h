// The display of a wall that a viewer is.
#pragma once

#include <string>
#include <vector>

#include "app/cli/stream_options.h"
#include "app/wall/tile_region.h"

namespace verbcast {

struct ViewedTile {
    /// Without its displays, and with those of its sources alone that send something of this one.
    Wall wall;
    WallDisplay display;
    std::vector<StreamPeer>
        sources{};  ///< of the wall's, in their order; none: one sender has the whole picture

    /// Of one sender: of the whole canvas, or the only source.
    RegionWish wish() const {
        return wall.sources.empty() ? tileWish(wall, display) : sourceWish(wall.sources.front(), display);
    }
    /// "tile 1-2: the picture has ...: shown in proportion"; "" when it fits. Of several senders `misfit`
    /// says what the region alone does not (ViewedSource::misfit()).
    std::string fitText(const PictureRegion& region, const std::string& misfit = {}) const;
};

/// Of the wall in that file. Throws Error{Usage} that lists the names where there is none of that name.
ViewedTile findTile(const Wall& wall, const std::string& file, const std::string& name);

}  // namespace verbcast
