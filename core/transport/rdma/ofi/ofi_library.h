// libfabric, loaded when the first address needs it.
#pragma once

#include <string>

namespace verbcast {

/// Why libfabric cannot be used, or "". Loads it: its providers are plug-ins of many kinds, and merely
/// linking some of them (PSM) sets signal handlers in every program. Safe from any thread.
std::string ofiLibraryProblem();

}  // namespace verbcast
