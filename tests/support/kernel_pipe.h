// A kernel pipe, like a shell's "|".
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "core/base/os/unique_fd.h"

namespace verbcast::testing {

/// Both ends are closed in programs that are started, except for ends passed to them.
struct KernelPipe {
    KernelPipe() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
            throw std::system_error(errno, std::generic_category(), "pipe2");
        }
        reading.reset(ends[0]);
        writing.reset(ends[1]);
    }

    UniqueFd reading, writing;
};

}  // namespace verbcast::testing
