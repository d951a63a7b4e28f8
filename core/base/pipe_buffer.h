// The kernel's buffer of a pipe between two programs.
#pragma once

#include <fcntl.h>

namespace verbcast {

/// Each switch between the programs on the two sides of a pipe moves a buffer's worth. The default, 64 KiB,
/// is less than a block; as much as everybody may have is asked for. Nothing happens to what is no pipe.
inline void growPipeBuffer(int descriptor) {
    constexpr int kUnprivilegedLimit = 1 << 20;  // /proc/sys/fs/pipe-max-size unless changed
    if (::fcntl(descriptor, F_GETPIPE_SZ) < kUnprivilegedLimit) {
        ::fcntl(descriptor, F_SETPIPE_SZ, kUnprivilegedLimit);
    }
}

}  // namespace verbcast
