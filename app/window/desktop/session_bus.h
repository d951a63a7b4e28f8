// The desktop's D-Bus.
#pragma once

namespace verbcast {

/// Asking for a bus that nobody runs would start one.
bool sessionBusRuns();

}  // namespace verbcast
