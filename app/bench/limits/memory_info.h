// Reads the kernel's information on memory.
#pragma once

#include <cstdint>
#include <string_view>

namespace verbcast {

/// A number from /proc/meminfo in its own unit ("MemAvailable": KiB, "HugePages_Free": pages); 0 if there is
/// none.
std::uint64_t memoryInfo(std::string_view key);

}  // namespace verbcast
