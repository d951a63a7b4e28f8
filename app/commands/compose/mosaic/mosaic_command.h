// verbcast compose --layout: draws several inputs into one picture and sends it.
#pragma once

#include "app/commands/compose/mosaic/mosaic_options.h"

namespace verbcast {

/// Returns the exit code. Throws Error if it cannot start.
int runMosaic(const MosaicOptions& options);

}  // namespace verbcast
