#include "core/memory/huge_pages.h"

#include <algorithm>
#include <charconv>

namespace verbcast {

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

}  // namespace verbcast
