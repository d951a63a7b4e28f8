// How much more memory this process may use, and whether there are huge pages for it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace verbcast {

/// The machine's MemAvailable, or what the limit of a control group (version 1 or 2) around this process
/// leaves, if that is less; nothing if neither is known. A group's page cache counts as free. `root`: where
/// /proc and /sys are.
std::optional<std::uint64_t> availableMemory(const std::filesystem::path& root = "/");

inline constexpr std::uint64_t kHugePageBytes = 2U << 20;

/// A number from the text of /proc/meminfo in that line's unit ("MemAvailable": KiB, "HugePages_Free":
/// pages); 0 if the line is missing.
std::uint64_t memoryInfoNumber(std::string_view meminfo, std::string_view key);

/// True if `bytes` fit into the free huge pages of kHugePageBytes, according to the text of /proc/meminfo.
/// Free pages that another mapping has reserved do not count.
bool enoughHugePages(std::string_view meminfo, std::uint64_t bytes);

/// "8.0 GiB", "96.0 MiB"
std::string memoryText(std::uint64_t bytes);

}  // namespace verbcast
