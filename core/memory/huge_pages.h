// Whether the machine has huge pages available.
#pragma once

#include <cstdint>
#include <string_view>

namespace verbcast {

inline constexpr std::uint64_t kHugePageBytes = 2U << 20;

/// A number from the text of /proc/meminfo in that line's unit ("MemAvailable": KiB, "HugePages_Free":
/// pages); 0 if the line is missing.
std::uint64_t memoryInfoNumber(std::string_view meminfo, std::string_view key);

/// True if `bytes` fit into the free huge pages of kHugePageBytes, according to the text of /proc/meminfo.
/// Free pages that another mapping has reserved do not count.
bool enoughHugePages(std::string_view meminfo, std::uint64_t bytes);

}  // namespace verbcast
