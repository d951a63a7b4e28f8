#include "core/base/os/private_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/os/unique_fd.h"

namespace verbcast {
namespace {

/// Nobody can have planted one: it has no name.
bool isUnnamedPipe(const UniqueFd& file) {
    struct statfs system {};
    return ::fstatfs(file.get(), &system) == 0 && system.f_type == PIPEFS_MAGIC;
}

UniqueFd openPrivate(const std::string& path, const std::string& what, const std::string& renewal) {
    UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0) {
        return {};
    }
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) {
        throw Error(ErrorKind::Usage, fmt::format("reading {}: {} is no file", what, path),
                    "name the file that holds it");
    }
    if (status.st_uid != ::geteuid() && status.st_uid != 0 && !isUnnamedPipe(file)) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} in {} belongs to another user (number {})", what, path, status.st_uid),
                    fmt::format("use a file of your own, and {}", renewal));
    }
    if ((status.st_mode & 077) != 0) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} in {} can be read or written by others than its owner (mode {:04o})",
                                what, path, status.st_mode & 07777),
                    fmt::format("chmod 600 {}; and {} if somebody may have read it", path, renewal));
    }
    ::fcntl(file.get(), F_SETFL, 0);
    return file;
}

}  // namespace

std::optional<std::string> configFile(std::string_view name) {
    if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config == '/') {
        return fmt::format("{}/verbcast/{}", config, name);
    }
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
        return fmt::format("{}/.config/verbcast/{}", home, name);
    }
    return std::nullopt;
}

std::optional<std::string> readPrivate(const std::string& path, const std::string& what,
                                       const std::string& renewal, std::size_t limit) {
    const UniqueFd file = openPrivate(path, what, renewal);
    if (!file) {
        return std::nullopt;
    }
    std::string text;
    for (;;) {
        std::array<char, 4096> part;
        const ssize_t got = ::read(file.get(), part.data(), std::min(part.size(), limit - text.size()));
        if (got == 0) {
            return text;
        }
        if (got < 0 && errno != EINTR) {
            return std::nullopt;
        }
        text.append(part.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    }
}

}  // namespace verbcast
