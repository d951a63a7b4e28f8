// Walls of equal displays in rows.
#pragma once

#include "app/wall/wall_options.h"

namespace verbcast {

/// Displays are named ROW-COLUMN from 1-1 at the top left. Throws Error{Usage} for more than kMaxDisplays, a
/// canvas larger than pictures can be, or an overlap that a display has no room for.
Wall newWall(const NewWallOptions& options);

}  // namespace verbcast
