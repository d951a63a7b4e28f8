// The desktop's D-Bus.
#pragma once

namespace verbcast {

/// Check before using the bus: connecting to one that does not run would start it.
bool sessionBusRuns();

}  // namespace verbcast
