#include "core/base/os/clock.h"

#include <sys/random.h>
#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <span>

#include "core/base/checksum.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

bool isHexDigit(char c) {
    return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}

HostId randomId() {
    HostId id;
    // So few bytes are returned whole or not at all.
    if (::getrandom(id.bytes, sizeof id.bytes, 0) != static_cast<ssize_t>(sizeof id.bytes)) {
        throwErrno(ErrorKind::Internal, "getrandom", "the host's id", errno);
    }
    return id;
}

/// Of CLOCK_MONOTONIC, as "seconds nanoseconds".
std::string clockOffset(const std::string& path) {
    std::ifstream file(path);
    std::string clock, seconds, nanoseconds;
    while (file >> clock >> seconds >> nanoseconds) {
        if (clock == "monotonic") {
            return seconds == "0" && nanoseconds == "0" ? "" : seconds + " " + nanoseconds;
        }
    }
    return "";
}

}  // namespace

double processCpuSeconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

HostId hostIdFrom(const std::string& bootIdPath, const std::string& offsetsPath) {
    std::ifstream file(bootIdPath);
    std::string text;
    file >> text;
    std::erase(text, '-');
    HostId id;
    if (text.size() == 2 * sizeof id.bytes && std::all_of(text.begin(), text.end(), isHexDigit)) {
        for (std::size_t i = 0; i < sizeof id.bytes; ++i) {
            std::from_chars(&text[2 * i], &text[2 * i] + 2, id.bytes[i], 16);
        }
    }
    if (id == HostId{}) {
        return randomId();
    }
    if (const std::string offset = clockOffset(offsetsPath); !offset.empty()) {
        const std::uint64_t hash = checksumOf(std::as_bytes(std::span(offset)));
        for (std::size_t i = 0; i < sizeof hash; ++i) {
            id.bytes[i] ^= static_cast<std::uint8_t>(hash >> (8 * i));
        }
    }
    return id;
}

HostId hostId() {
    static const HostId id = hostIdFrom("/proc/sys/kernel/random/boot_id", "/proc/self/timens_offsets");
    return id;
}

}  // namespace verbcast
