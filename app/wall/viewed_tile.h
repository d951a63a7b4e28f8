// The display of a wall that a viewer shows.
#pragma once

#include <string>
#include <vector>

#include "app/cli/stream_options.h"
#include "app/wall/tile_region.h"

namespace verbcast {

struct ViewedTile {
    /// Without displays, and with only those sources that contribute to this one, followed by the conductor
    /// if it does not.
    Wall wall;
    WallDisplay display;
    std::vector<StreamPeer>
        sources{};  ///< of the wall's sources, in order; none: one sender sends the whole picture

    bool isFirst = true;  ///< of the wall's displays

    /// Number of sources that contribute to this display.
    std::size_t pictures() const;
    /// Index of the source that says when to show, if any.
    std::optional<std::size_t> conductor() const;
    /// For showing parts as they come: drops a source that would only conduct.
    void leaveConductor();

    /// For a single sender, of the whole canvas or the only source.
    RegionWish wish() const {
        return wall.sources.empty() ? tileWish(wall, display) : sourceWish(wall.sources.front(), display);
    }
    /// "tile 1-2: the picture has ...: shown in proportion"; "" if it fits. `misfit`: with several senders,
    /// what the region alone does not tell (ViewedSource::misfit()).
    std::string fitText(const PictureRegion& region, const std::string& misfit = {}) const;
};

/// Finds the display in a wall read from `file`. Throws Error{Usage}, listing the names, if there is none of
/// that name.
ViewedTile findTile(const Wall& wall, const std::string& file, const std::string& name);

}  // namespace verbcast
