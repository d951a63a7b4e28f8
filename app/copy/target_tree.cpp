#include "app/copy/target_tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <span>
#include <tuple>
#include <utility>

#include "core/base/checksum.h"
#include "core/base/error.h"
#include "core/base/os/output_file.h"
#include "core/base/text/clean_text.h"

namespace verbcast {
namespace {

constexpr mode_t kPermissions = 0777;
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// Never too long for a file name, and the same when a copy is resumed.
std::string partName(const std::string& name) {
    return fmt::format(".{:016x}.verbcast-part",
                       checksumOf(std::as_bytes(std::span(name.data(), name.size()))));
}

std::array<timespec, 2> timesOf(const CopyEntry& entry) {
    const timespec changed{static_cast<time_t>(entry.seconds), static_cast<long>(entry.nanoseconds)};
    return {timespec{0, UTIME_OMIT}, changed};
}

/// The first component and what follows its slash.
std::pair<std::string, std::string> split(const std::string& path) {
    const auto slash = path.find('/');
    return slash == std::string::npos ? std::pair{path, std::string()}
                                      : std::pair{path.substr(0, slash), path.substr(slash + 1)};
}

/// Nothing, with errno set, if it is no folder.
UniqueFd openFolder(std::string path) {
    while (path.size() > 1 && path.back() == '/') {
        path.pop_back();  // of a link it would mean its folder
    }
    const OutputPlace place = findOutput(path);
    return UniqueFd(place.found ? ::openat(place.found.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1);
}

}  // namespace

TargetTree::TargetTree(const std::string& target, bool intoFolder) : rootName_(target) {
    root_ = openFolder(target);
    if (!root_ && !intoFolder && errno != EACCES) {
        const std::filesystem::path path(target);
        newName_ =
            path.filename().empty() ? path.parent_path().filename().string() : path.filename().string();
        const auto folder = path.filename().empty() ? path.parent_path().parent_path() : path.parent_path();
        rootName_ = folder.empty() ? "." : folder.string();
        check(newName_);
        root_ = openFolder(rootName_);
    }
    if (!root_) {
        throwErrno(ErrorKind::Usage, "writing into", rootName_, errno, "name a folder that exists");
    }
}

std::string TargetTree::placeOf(const std::string& path) const {
    const auto [first, rest] = split(path);
    return rootName_ + "/" + (newName_.empty() ? first : newName_) + (rest.empty() ? "" : "/" + rest);
}

std::string TargetTree::partOf(const std::string& path) const {
    const auto place = std::filesystem::path(placeOf(path));
    return place.parent_path() / partName(place.filename());
}

void TargetTree::check(const std::string& path) {
    std::string rest = path;
    bool harmless = !path.empty() && path.find('\0') == std::string::npos && path.back() != '/';
    while (harmless && !rest.empty()) {
        std::string name;
        std::tie(name, rest) = split(rest);
        harmless = !name.empty() && name != "." && name != "..";
    }
    if (!harmless) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the sender names \"{}\", which is outside the target", cleanText(path)));
    }
}

TargetTree::Place TargetTree::find(const std::string& path) const {
    check(path);
    auto [name, rest] = split(path);
    if (!newName_.empty()) {
        name = newName_;
    }
    Place place{UniqueFd(::openat(root_.get(), ".", kFolderFlags)), name};
    while (place.folder && !rest.empty()) {
        place.folder.reset(::openat(place.folder.get(), place.name.c_str(), kFolderFlags));
        std::tie(place.name, rest) = split(std::exchange(rest, {}));
    }
    if (!place.folder) {
        throwErrno(ErrorKind::Resource, "writing", placeOf(path), errno,
                   "links are not followed, and files are in the way of folders: move them");
    }
    return place;
}

void TargetTree::makeFolder(const CopyEntry& entry) const {
    const Place place = find(entry.path);
    if (::mkdirat(place.folder.get(), place.name.c_str(), 0700) == 0) {
        return;
    }
    struct stat status {};
    const int code = errno;
    if (code != EEXIST ||
        ::fstatat(place.folder.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISDIR(status.st_mode)) {
        throwErrno(ErrorKind::Resource, "making the folder", placeOf(entry.path), code);
    }
}

void TargetTree::finishFolder(const CopyEntry& entry) const {
    const Place place = find(entry.path);
    const UniqueFd folder(::openat(place.folder.get(), place.name.c_str(), kFolderFlags));
    const auto times = timesOf(entry);
    if (!folder || ::futimens(folder.get(), times.data()) != 0 ||
        ::fchmod(folder.get(), entry.mode & kPermissions) != 0) {
        throwErrno(ErrorKind::Resource, "finishing the folder", placeOf(entry.path), errno);
    }
}

void TargetTree::makeLink(const CopyEntry& entry) const {
    const Place place = find(entry.path);
    const std::string aside = unguessableName(".verbcast-link");
    const int folder = place.folder.get();
    const auto times = timesOf(entry);
    if (::symlinkat(entry.target.c_str(), folder, aside.c_str()) != 0) {
        throwErrno(ErrorKind::Resource, "making the link", placeOf(entry.path), errno);
    }
    if (::utimensat(folder, aside.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) != 0 ||
        ::renameat(folder, aside.c_str(), folder, place.name.c_str()) != 0) {
        const int code = errno;
        ::unlinkat(folder, aside.c_str(), 0);
        throwErrno(ErrorKind::Resource, "making the link", placeOf(entry.path), code);
    }
}

bool TargetTree::has(const CopyEntry& entry) const {
    struct stat status {};
    try {
        const Place place = find(entry.path);
        if (::fstatat(place.folder.get(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
            return false;
        }
    } catch (const Error&) {
        return false;  // its folder does not exist yet
    }
    return S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) == entry.size &&
           status.st_mtim.tv_sec == entry.seconds &&
           status.st_mtim.tv_nsec == static_cast<long>(entry.nanoseconds);
}

std::optional<PartFile> TargetTree::existingPart(const CopyEntry& entry) const {
    std::optional<Place> place;
    try {
        place = find(entry.path);
    } catch (const Error&) {
        return std::nullopt;  // its folder does not exist yet
    }
    return PartFile::openExisting(std::move(place->folder), partName(place->name), partOf(entry.path));
}

PartFile TargetTree::openPart(const CopyEntry& entry, std::uint64_t start,
                              const std::optional<PartFile::State>& kept) const {
    Place place = find(entry.path);
    PartFile part = PartFile::open(std::move(place.folder), partName(place.name), 0600, partOf(entry.path));
    if (kept && part.state() != *kept) {
        throw Error(ErrorKind::Usage,
                    fmt::format("another copy wrote {} in the meantime", partOf(entry.path)),
                    "start again with --resume");
    }
    if (::ftruncate(part.descriptor(), static_cast<off_t>(start)) != 0) {
        throwErrno(ErrorKind::Resource, "writing", placeOf(entry.path), errno);
    }
    return part;
}

void TargetTree::finishPart(const CopyEntry& entry, PartFile& part) const {
    const auto times = timesOf(entry);
    const int file = part.descriptor();
    int code = 0;
    if (::ftruncate(file, static_cast<off_t>(entry.size)) != 0 ||
        ::fchmod(file, entry.mode & kPermissions) != 0 || ::futimens(file, times.data()) != 0 ||
        ::fsync(file) != 0) {
        code = errno;
    } else {
        code = part.rename(find(entry.path).name);
    }
    if (code != 0) {
        throwErrno(ErrorKind::Resource, "finishing", placeOf(entry.path), code);
    }
}

}  // namespace verbcast
