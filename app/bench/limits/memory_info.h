// What the kernel says about this machine's memory.
#pragma once

#include <cstdint>
#include <string_view>

namespace verbcast {

/// A number from /proc/meminfo in its own unit ("MemAvailable": KiB, "HugePages_Free": pages); 0 when it is
/// not there.
std::uint64_t memoryInfo(std::string_view key);

}  // namespace verbcast
