// Whether the machine has huge pages to give.
#pragma once

#include <cstdint>
#include <string_view>

namespace verbcast {

inline constexpr std::uint64_t kHugePageBytes = 2U << 20;

/// A number from the text of /proc/meminfo in its own unit ("MemAvailable": KiB, "HugePages_Free": pages); 0
/// when the line is missing.
std::uint64_t memoryInfoNumber(std::string_view meminfo, std::string_view key);

/// True when `bytes` fit into the huge pages of kHugePageBytes that are free, according to the text of
/// /proc/meminfo. Free ones that another mapping has reserved do not count.
bool enoughHugePages(std::string_view meminfo, std::uint64_t bytes);

}  // namespace verbcast
