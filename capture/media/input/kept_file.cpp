#include "capture/media/input/kept_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace verbcast {

KeptFile::KeptFile(const std::string& path) : path_(path) {
    struct stat named {};
    if (::stat(path.c_str(), &named) == 0 && S_ISREG(named.st_mode)) {
        file_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    }
}

std::string KeptFile::path() const {
    struct stat kept {};
    struct stat named {};
    if (!file_ || ::fstat(file_.get(), &kept) != 0) {
        return path_;
    }
    const bool isNamed =
        ::stat(path_.c_str(), &named) == 0 && named.st_dev == kept.st_dev && named.st_ino == kept.st_ino;
    return isNamed ? path_ : fmt::format("/proc/self/fd/{}", file_.get());
}

}  // namespace verbcast
