// libfabric, loaded when the first address asks for it.
#pragma once

#include <string>

namespace verbcast {

/// Why libfabric cannot be used, or "". Loads it: its providers are plug-ins of many kinds, and merely being
/// linked to some of them (PSM) sets signal handlers in every program. From any thread.
std::string ofiLibraryProblem();

}  // namespace verbcast
