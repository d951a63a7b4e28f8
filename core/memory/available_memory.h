// How much more memory this process may use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace verbcast {

/// The machine's MemAvailable, or what the limit of a control group (version 1 or 2) around this process
/// leaves, if that is less; nothing if neither is known. A group's page cache counts as free. `root`: where
/// /proc and /sys are.
std::optional<std::uint64_t> availableMemory(const std::filesystem::path& root = "/");

/// "8.0 GiB", "96.0 MiB"
std::string memoryText(std::uint64_t bytes);

}  // namespace verbcast
