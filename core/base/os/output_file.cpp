#include "core/base/os/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <utility>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr int kMaxLinks = 40;  // like the kernel's limit
// Other processes may create and remove files meanwhile; so many times in a row is no accident.
constexpr int kMaxTries = 100;

struct stat statusOf(const UniqueFd& file) {
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) {
        throwErrno(ErrorKind::Resource, "fstat", "a file to write", errno);
    }
    return status;
}

bool isOurs(const struct stat& status) {
    return status.st_uid == ::geteuid();
}

/// Ours or root's (whose id is a different one in a user namespace).
bool isTrusted(const struct stat& status) {
    struct stat root {};
    return isOurs(status) || (::stat("/", &root) == 0 && status.st_uid == root.st_uid);
}

bool isWritableByAll(const struct stat& folder) {
    return (folder.st_mode & S_IWOTH) != 0;
}

void requireUnplanted(const struct stat& file, const struct stat& folder, const std::string& shown) {
    const bool shared = isWritableByAll(folder);
    if (S_ISREG(file.st_mode) && file.st_nlink > 1 && (!isOurs(file) || shared || !isTrusted(folder))) {
        throwInItsPlace(shown, "a file with a second name (a hard link)");
    }
    if (shared && !isOurs(file) && (S_ISREG(file.st_mode) || S_ISFIFO(file.st_mode))) {
        throwInItsPlace(shown, S_ISREG(file.st_mode) ? "another user's file" : "another user's named pipe");
    }
}

void requireUnplantedLink(const struct stat& link, const struct stat& folder, const std::string& shown) {
    if (isWritableByAll(folder)) {
        throwInItsPlace(shown, "a link, in a folder that everybody can write to,");
    }
    if (!isTrusted(link)) {
        throwInItsPlace(shown, "another user's link");
    }
}

/// Throws for a file that `existing` protects. `linked`: found through a link. Mode 0: there is no file.
void requireReplaceable(const struct stat& file, bool linked, Existing existing, const std::string& shown) {
    const bool isFile = S_ISREG(file.st_mode);
    if (existing == Existing::Refused && isFile && file.st_size > 0) {
        throw Error(ErrorKind::Usage, fmt::format("{} exists", shown),
                    "name another file, or add --force to replace it");
    }
    if (existing == Existing::Replaced && linked && (isFile || file.st_mode == 0)) {
        throwInItsPlace(shown, "a link, which --force does not follow,");
    }
}

/// The links in /proc/self/fd lead to open files, which may have no name.
bool isOfProc(const UniqueFd& folder) {
    struct statfs system {};
    return ::fstatfs(folder.get(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

std::string linkText(const UniqueFd& link) {
    std::array<char, PATH_MAX> text{};
    const ssize_t bytes = ::readlinkat(link.get(), "", text.data(), text.size());
    return {text.data(), static_cast<std::size_t>(bytes > 0 ? bytes : 0)};
}

UniqueFd pathOnly(const UniqueFd& folder, const std::string& name, int flags) {
    return UniqueFd(::openat(folder ? folder.get() : AT_FDCWD, name.c_str(), O_PATH | O_CLOEXEC | flags));
}

/// Resolves the last component. `path` is relative to `base`, or to the working folder.
OutputPlace findFrom(UniqueFd base, std::string path, const std::string& shown, Existing existing) {
    for (int links = 0; links <= kMaxLinks; ++links) {
        const std::filesystem::path parts(path);
        const std::string parent = parts.parent_path();
        const std::string name = parts.filename();
        OutputPlace place{.folder = pathOnly(base, parent.empty() ? "." : parent, O_DIRECTORY),
                          .name = name.empty() ? "." : name};
        if (!place.folder) {
            return {};
        }
        const struct stat folder = statusOf(place.folder);
        place.found = pathOnly(place.folder, place.name, O_NOFOLLOW);
        if (!place.found && errno != ENOENT) {
            return {};
        }
        if (!place.found) {
            requireReplaceable({}, links > 0, existing, shown);
            return place;
        }
        struct stat file = statusOf(place.found);
        if (S_ISLNK(file.st_mode)) {
            requireUnplantedLink(file, folder, shown);
            if (!isOfProc(place.folder)) {
                path = linkText(place.found);
                base = std::move(place.folder);
                continue;
            }
            place.found = pathOnly(place.folder, place.name, 0);
            if (!place.found) {
                return {};
            }
            file = statusOf(place.found);
        } else {
            requireReplaceable(file, links > 0, existing, shown);
        }
        requireUnplanted(file, folder, shown);
        place.kind = file.st_mode & S_IFMT;
        return place;
    }
    errno = ELOOP;
    return {};
}

}  // namespace

const char* unwrittenRemedy(int code) {
    switch (code) {
        case ENOSPC:
        case EDQUOT:
            return "free some space there, or write elsewhere";
        case EBADF:
            return "start the program with it open for writing";
        case EFBIG:
            return "raise the limit on the size of files: ulimit -f unlimited; or write elsewhere";
        default:
            return "";
    }
}

void throwInItsPlace(const std::string& path, const char* what) {
    throw Error(ErrorKind::Usage, fmt::format("writing {}: {} is in its place", path, what),
                "move it away, or choose another place");
}

OutputPlace findOutput(const std::string& path, Existing existing) {
    return findFrom({}, path, path, existing);
}

UniqueFd OutputPlace::open(int flags) const {
    const int all = O_WRONLY | O_NOCTTY | O_CLOEXEC | flags;
    if (found) {
        return UniqueFd(::open(fmt::format("/proc/self/fd/{}", found.get()).c_str(), all | O_TRUNC));
    }
    return UniqueFd(::openat(folder.get(), name.c_str(), all | O_CREAT | O_EXCL | O_NOFOLLOW, 0666));
}

UniqueFd openOutput(const std::string& path, int flags, Existing existing) {
    for (int attempt = 0; attempt < kMaxTries; ++attempt) {
        const OutputPlace place = findOutput(path, existing);
        UniqueFd opened = place.folder ? place.open(flags) : UniqueFd();
        if (opened || errno != EEXIST) {
            return opened;
        }
    }
    return {};
}

}  // namespace verbcast
