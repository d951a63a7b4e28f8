// The kernel's buffer of a pipe between two programs.
#pragma once

#include <fcntl.h>

namespace verbcast {

/// Each switch between the programs at the two ends of a pipe moves one buffer's worth. The default, 64 KiB,
/// is less than a block, so this asks for as much as an unprivileged user may have. Does nothing to other
/// kinds of descriptors.
inline void growPipeBuffer(int descriptor) {
    constexpr int kUnprivilegedLimit = 1 << 20;  // /proc/sys/fs/pipe-max-size unless changed
    if (::fcntl(descriptor, F_GETPIPE_SZ) < kUnprivilegedLimit) {
        ::fcntl(descriptor, F_SETPIPE_SZ, kUnprivilegedLimit);
    }
}

}  // namespace verbcast
