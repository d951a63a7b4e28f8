#include "core/memory/memory_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/error.h"

namespace verbcast {
namespace {

void requireAllowed(const MemoryFileOptions& options) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && options.bytes > limit.rlim_cur) {
        throw Error(ErrorKind::Resource,
                    fmt::format("{} takes {} bytes, but the limit on the size of files (RLIMIT_FSIZE), which "
                                "counts for shared memory, too, is {} bytes",
                                options.purpose, options.bytes, limit.rlim_cur),
                    "raise it: ulimit -f unlimited");
    }
}

}  // namespace

UniqueFd makeMemoryFile(const MemoryFileOptions& options) {
    requireAllowed(options);
    UniqueFd file(::memfd_create(options.name, MFD_CLOEXEC | MFD_ALLOW_SEALING | options.flags));
    if (!file) {
        throwErrno(ErrorKind::Resource, "memfd_create", options.purpose, errno, options.remedy);
    }
    if (::ftruncate(file.get(), static_cast<off_t>(options.bytes)) != 0) {
        throwErrno(ErrorKind::Resource, "ftruncate", options.purpose, errno, options.remedy);
    }
    return file;
}

}  // namespace verbcast
