#include "core/memory/dma_buf.h"

#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace verbcast {
std::optional<std::uint64_t> dmaBufBytes(int descriptor) {
    struct statfs system {};
    if (::fstatfs(descriptor, &system) != 0 || system.f_type != DMA_BUF_MAGIC) {
        return std::nullopt;
    }
    const off_t bytes = ::lseek(descriptor, 0, SEEK_END);
    return bytes < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(bytes));
}

}  // namespace verbcast
