// Makes walls of equal displays in rows.
#pragma once

#include "app/wall/wall_options.h"

namespace verbcast {

/// Names displays ROW-COLUMN, from 1-1 at the top left. Throws Error{Usage} for more than kMaxDisplays, a
/// canvas beyond the largest picture size, or an overlap too large for a display.
Wall newWall(const NewWallOptions& options);

}  // namespace verbcast
