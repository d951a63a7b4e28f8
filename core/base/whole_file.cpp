#include "core/base/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "core/base/error.h"
#include "core/base/unique_fd.h"

namespace verbcast {
namespace {

constexpr const char* kRemedy = "choose a file in a folder that exists and can be written";

std::string asideName(const std::string& path) {
    return path + ".part" + std::to_string(::getpid());
}

/// Renaming would put a file in the place of a pipe or device. Throws for a folder.
bool isWrittenDirectly(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        return false;
    }
    if (S_ISDIR(status.st_mode)) {
        throwErrno(ErrorKind::Usage, "writing", path, EISDIR, kRemedy);
    }
    return !S_ISREG(status.st_mode);
}

/// Returns 0 or the errno of what failed.
int writeAndClose(std::FILE* file, const std::string& text) {
    errno = 0;
    const bool wrote = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const int code = errno;
    if (std::fclose(file) != 0) {
        return errno;
    }
    return wrote ? 0 : code;
}

}  // namespace

void writeWhole(const std::string& path, const std::string& text) {
    const bool direct = isWrittenDirectly(path);
    const std::string target = direct ? path : asideName(path);
    std::FILE* file = std::fopen(target.c_str(), "we");
    if (file == nullptr) {
        throwErrno(ErrorKind::Usage, "writing", path, errno, kRemedy);
    }
    int code = writeAndClose(file, text);
    if (!direct && code == 0 && std::rename(target.c_str(), path.c_str()) != 0) {
        code = errno;
    }
    if (code != 0) {
        if (!direct) {
            ::unlink(target.c_str());
        }
        throwErrno(ErrorKind::Resource, "writing", path, code);
    }
}

void checkWritable(const std::string& path) {
    if (path.empty() || path == "-") {
        return;
    }
    if (isWrittenDirectly(path)) {
        if (::access(path.c_str(), W_OK) != 0) {
            throwErrno(ErrorKind::Usage, "writing", path, errno, kRemedy);
        }
        return;
    }
    const std::string aside = asideName(path);
    UniqueFd fd(::open(aside.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    if (!fd) {
        throwErrno(ErrorKind::Usage, "writing", path, errno, kRemedy);
    }
    ::unlink(aside.c_str());
}

}  // namespace verbcast
