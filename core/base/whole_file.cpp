#include "core/base/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/part_file.h"

namespace verbcast {
namespace {

/// Creates a file beside `path`, under a name that nobody can have prepared anything for.
std::pair<UniqueFd, std::string> makeAside(const std::string& path) {
    std::string name = unguessableName(path);
    UniqueFd file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file) {
        throwErrno(ErrorKind::Usage, "writing", path, errno, kChooseWritable);
    }
    return {std::move(file), std::move(name)};
}

/// Renaming would replace a pipe or device by a file. Throws for a folder.
bool isWrittenDirectly(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return false;
    }
    if (S_ISDIR(status.st_mode)) {
        throwErrno(ErrorKind::Usage, "writing", path, EISDIR, kChooseWritable);
    }
    return !S_ISREG(status.st_mode);
}

/// Returns 0 or the errno of what failed.
int writeAndClose(UniqueFd file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t put = ::write(file.get(), text.data(), text.size());
        if (put < 0 && errno != EINTR) {
            return errno;
        }
        text.remove_prefix(put > 0 ? static_cast<std::size_t>(put) : 0);
    }
    return ::close(file.release()) == 0 ? 0 : errno;
}

}  // namespace

void writeWhole(const std::string& path, const std::string& text) {
    int code = 0;
    if (isWrittenDirectly(path)) {
        UniqueFd file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY));
        if (!file) {
            throwErrno(ErrorKind::Usage, "writing", path, errno, kChooseWritable);
        }
        code = writeAndClose(std::move(file), text);
    } else {
        auto [file, aside] = makeAside(path);
        code = writeAndClose(std::move(file), text);
        if (code == 0 && std::rename(aside.c_str(), path.c_str()) != 0) {
            code = errno;
        }
        if (code != 0) {
            ::unlink(aside.c_str());
        }
    }
    if (code != 0) {
        throwErrno(ErrorKind::Resource, "writing", path, code);
    }
}

void checkWritable(const std::string& path) {
    if (path.empty() || path == "-") {
        return;
    }
    if (isWrittenDirectly(path)) {
        if (::access(path.c_str(), W_OK) != 0) {
            throwErrno(ErrorKind::Usage, "writing", path, errno, kChooseWritable);
        }
        return;
    }
    ::unlink(makeAside(path).second.c_str());
}

}  // namespace verbcast
