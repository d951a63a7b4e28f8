#include "core/memory/available_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

namespace verbcast {
namespace {

using Path = std::filesystem::path;

std::string textOf(const Path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Nothing for "max" or a missing file.
std::optional<std::uint64_t> numberIn(const Path& path) {
    const std::string text = textOf(path);
    std::uint64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() ? std::optional(value) : std::nullopt;
}

struct Names {
    const char *limit, *used, *cache;
};
constexpr Names kVersion2{"memory.max", "memory.current", "inactive_file"};
constexpr Names kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

/// The number after a word at the start of a line; 0 if there is none.
std::uint64_t fieldIn(const Path& path, std::string_view name) {
    std::ifstream file(path);
    std::string word;
    std::uint64_t value = 0;
    while (file >> word >> value) {
        if (word == name) {
            return value;
        }
    }
    return 0;
}

/// What the limits of the group and its ancestors leave, up to `mount`.
std::optional<std::uint64_t> leftBy(const Path& mount, std::string group, const Names& names) {
    std::optional<std::uint64_t> least;
    for (;;) {
        const Path folder = mount / Path(group).relative_path();
        const auto limit = numberIn(folder / names.limit);
        const auto used = numberIn(folder / names.used);
        if (limit && used) {
            const std::uint64_t needed =
                *used - std::min(*used, fieldIn(folder / "memory.stat", names.cache));
            const std::uint64_t left = *limit - std::min(*limit, needed);
            least = std::min(least.value_or(left), left);
        }
        if (group.empty() || group == "/") {
            return least;
        }
        group = Path(group).parent_path();
    }
}

std::optional<std::uint64_t> leftByGroups(const Path& root) {
    std::optional<std::uint64_t> least;
    std::istringstream lines(textOf(root / "proc/self/cgroup"));
    // "0::/user.slice" or "4:memory:/docker/1234"
    for (std::string line; std::getline(lines, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) {
            continue;
        }
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string group = line.substr(second + 1);
        const bool isVersion1 = (',' + controllers + ',').find(",memory,") != std::string::npos;
        const auto left = controllers.empty() ? leftBy(root / "sys/fs/cgroup", group, kVersion2)
                          : isVersion1        ? leftBy(root / "sys/fs/cgroup/memory", group, kVersion1)
                                              : std::nullopt;
        if (left) {
            least = std::min(least.value_or(*left), *left);
        }
    }
    return least;
}

}  // namespace

std::optional<std::uint64_t> availableMemory(const Path& root) {
    const std::uint64_t kibibytes = memoryInfoNumber(textOf(root / "proc/meminfo"), "MemAvailable");
    auto available = kibibytes == 0 ? std::nullopt : std::optional(kibibytes * 1024);
    if (const auto left = leftByGroups(root)) {
        available = std::min(available.value_or(*left), *left);
    }
    return available;
}

std::uint64_t memoryInfoNumber(std::string_view meminfo, std::string_view key) {
    while (!meminfo.empty()) {
        std::string_view line = meminfo.substr(0, meminfo.find('\n'));
        meminfo.remove_prefix(std::min(line.size() + 1, meminfo.size()));
        if (!line.starts_with(key) || !line.substr(key.size()).starts_with(':')) {
            continue;
        }
        line.remove_prefix(std::min(line.find_first_of("0123456789"), line.size()));
        std::uint64_t value = 0;
        std::from_chars(line.data(), line.data() + line.size(), value);
        return value;
    }
    return 0;
}

bool enoughHugePages(std::string_view meminfo, std::uint64_t bytes) {
    const std::uint64_t free = memoryInfoNumber(meminfo, "HugePages_Free");
    const std::uint64_t reserved = memoryInfoNumber(meminfo, "HugePages_Rsvd");
    const std::uint64_t needed = bytes / kHugePageBytes + (bytes % kHugePageBytes != 0 ? 1 : 0);
    return memoryInfoNumber(meminfo, "Hugepagesize") * 1024 == kHugePageBytes && free > reserved &&
           free - reserved >= needed;
}

std::string memoryText(std::uint64_t bytes) {
    const auto value = static_cast<double>(bytes);
    return bytes >= 1U << 30 ? fmt::format("{:.1f} GiB", value / (1U << 30))
                             : fmt::format("{:.1f} MiB", value / (1U << 20));
}

}  // namespace verbcast
