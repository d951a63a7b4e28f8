// Files in memory (memfd_create), for sharing memory with other processes.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/os/unique_fd.h"

namespace verbcast {

struct MemoryFileOptions {
    const char* name;         ///< for /proc
    std::uint64_t bytes;      ///< its size
    unsigned flags = 0;       ///< of memfd_create(2), besides those for closing on exec and sealing
    std::string purpose;      ///< what it is for, in errors: "a ring of 1.0 GiB"
    const char* remedy = "";  ///< what to do if there is not enough memory
};

/// Creates one, of zeros. Throws Error{Resource}; also if it exceeds this process's limit on the size of
/// files (RLIMIT_FSIZE), which counts for memory, too: the kernel would end the process (SIGXFSZ).
UniqueFd makeMemoryFile(const MemoryFileOptions& options);

}  // namespace verbcast
