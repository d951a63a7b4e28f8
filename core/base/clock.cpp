#include "core/base/clock.h"

#include <sys/resource.h>

#include <cctype>
#include <fstream>
#include <string>

namespace verbcast {

double processCpuSeconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

HostId hostId() {
    HostId id;
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string text;
    file >> text;
    std::size_t nibble = 0;
    for (char c : text) {
        if (!std::isxdigit(static_cast<unsigned char>(c)) || nibble >= 32) {
            continue;
        }
        const int value =
            std::isdigit(static_cast<unsigned char>(c)) ? c - '0' : (std::tolower(c) - 'a' + 10);
        id.bytes[nibble / 2] = static_cast<std::uint8_t>(id.bytes[nibble / 2] << 4 | value);
        ++nibble;
    }
    return id;
}

}  // namespace verbcast
