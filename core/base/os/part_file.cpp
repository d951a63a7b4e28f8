#include "core/base/os/part_file.h"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/os/output_file.h"

namespace verbcast {
namespace {

// O_NONBLOCK: a named pipe in the file's place must not block the open.
constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
// Another process may finish its part between our open and our lock; a hundred times in a row is no accident.
constexpr int kAttempts = 100;

/// A file that we have just created is ours, whatever owner the file system shows.
void requireOurs(const struct stat& status, bool made, const std::string& shown) {
    if (!S_ISREG(status.st_mode)) {
        throwInItsPlace(shown, "something that is not a file");
    }
    if (status.st_nlink > 1) {
        throwInItsPlace(shown, "a file with a second name (a hard link)");
    }
    if (!made && status.st_uid != ::geteuid()) {
        throwInItsPlace(shown, "another user's file");
    }
}

/// The longest beginning in whole UTF-8 characters that leaves room for an ending on every file system.
std::string beginOf(const std::string& name) {
    constexpr std::size_t kMost = 100;
    std::size_t end = std::min(name.size(), kMost);
    while (end > 0 && end < name.size() && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) {
        --end;
    }
    return name.substr(0, end);
}

}  // namespace

UniqueFd folderOf(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path();
    UniqueFd opened(::open(folder.empty() ? "." : folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!opened) {
        throwErrno(ErrorKind::Usage, "writing", path, errno, kChooseWritable);
    }
    return opened;
}

std::string nameIn(const std::string& path) {
    return std::filesystem::path(path).filename();
}

std::string unguessableName(const std::string& prefix) {
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != sizeof random) {
        throwErrno(ErrorKind::Internal, "getrandom", "the name of a file", errno);
    }
    return fmt::format("{}.{:016x}", beginOf(prefix), random);
}

std::string partNameOf(const std::string& name) {
    constexpr std::string_view kEnding = ".part";
    if (name.size() + kEnding.size() <= NAME_MAX) {
        return name + std::string(kEnding);
    }
    return fmt::format("{}.{:016x}{}", beginOf(name), checksumOf(std::as_bytes(std::span(name))), kEnding);
}

std::optional<PartFile> PartFile::attempt(UniqueFd& folder, const std::string& name, mode_t mode,
                                          const std::string& shown) {
    UniqueFd file(::openat(folder.get(), name.c_str(), kFlags));
    const bool make = !file && errno == ENOENT;
    if (make) {
        file.reset(::openat(folder.get(), name.c_str(), kFlags | O_CREAT | O_EXCL, mode));
    }
    if (!file) {
        switch (errno) {
            case ENOENT:
            case EEXIST:
                return std::nullopt;
            case ELOOP:
                throwInItsPlace(shown, "a link");
            case ENXIO:
            case EISDIR:
                throwInItsPlace(shown, "something that is not a file");
            default:
                throwErrno(ErrorKind::Usage, "writing", shown, errno, kChooseWritable);
        }
    }
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) {
        throwErrno(ErrorKind::Resource, "writing", shown, errno);
    }
    if (status.st_nlink == 0) {
        return std::nullopt;  // its last owner has removed it
    }
    requireOurs(status, make, shown);
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) {
            throwErrno(ErrorKind::Resource, "locking", shown, errno);
        }
        throw Error(ErrorKind::Usage, fmt::format("another process is writing {}", shown),
                    "wait for it to end, or choose another place");
    }
    PartFile part(std::move(folder), name, std::move(file));
    if (!part.hasItsName()) {
        folder = std::move(part.folder_);  // finished before we locked it: no longer a part
        return std::nullopt;
    }
    return part;
}

PartFile PartFile::open(UniqueFd folder, const std::string& name, mode_t mode, const std::string& shown) {
    for (int count = 0; count < kAttempts; ++count) {
        if (auto part = attempt(folder, name, mode, shown)) {
            return std::move(*part);
        }
    }
    throw Error(ErrorKind::Usage, fmt::format("another process is writing {}", shown),
                "wait for it to end, or choose another place");
}

bool PartFile::hasItsName() const {
    struct stat ours {};
    struct stat named {};
    return ::fstat(file_.get(), &ours) == 0 &&
           ::fstatat(folder_.get(), name_.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

int PartFile::rename(const std::string& name) {
    if (!hasItsName()) {
        return ESTALE;  // somebody has renamed it
    }
    if (::renameat(folder_.get(), name_.c_str(), folder_.get(), name.c_str()) != 0) {
        return errno;
    }
    name_ = name;
    return 0;
}

void PartFile::syncName() const {
    if (const UniqueFd folder(::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)); folder) {
        ::fsync(folder.get());
    }
}

void PartFile::remove() {
    if (hasItsName()) {
        ::unlinkat(folder_.get(), name_.c_str(), 0);
    }
}

}  // namespace verbcast
