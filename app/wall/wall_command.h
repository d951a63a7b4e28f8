// verbcast wall: makes, checks and shows the files of walls.
#pragma once

#include "app/wall/wall_options.h"

namespace verbcast {

int runWall(const WallOptions& options);

}  // namespace verbcast
