#include "core/memory/dma_buf.h"

#include <linux/dma-buf.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/error.h"
#include "core/base/log/peer_log.h"

namespace verbcast {
namespace {

/// Repeats the call when a signal interrupts it. False, with errno, if the kernel refuses.
bool synchronise(int descriptor, std::uint64_t flags) noexcept {
    const dma_buf_sync request{.flags = flags};
    int result = -1;
    do {
        result = ::ioctl(descriptor, DMA_BUF_IOCTL_SYNC, &request);
    } while (result != 0 && (errno == EINTR || errno == EAGAIN));
    return result == 0;
}

}  // namespace

std::optional<std::uint64_t> dmaBufBytes(int descriptor) {
    struct statfs system {};
    if (::fstatfs(descriptor, &system) != 0 || system.f_type != DMA_BUF_MAGIC) {
        return std::nullopt;
    }
    const off_t bytes = ::lseek(descriptor, 0, SEEK_END);
    return bytes < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(bytes));
}

bool beginDmaBufRead(int descriptor) noexcept {
    return synchronise(descriptor, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
}

void endDmaBufRead(int descriptor) noexcept {
    static_cast<void>(synchronise(descriptor, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ));
}

ProcessorReads::ProcessorReads(std::span<const UniqueFd> buffers)
    : buffers_(buffers), allowed_(std::make_unique<std::atomic<bool>[]>(buffers.size())) {}

void ProcessorReads::sync(std::size_t buffer, std::uint64_t flags) noexcept {
    if (synchronise(buffers_[buffer].get(), flags)) {
        return;
    }
    if (const int code = errno; !reported_.exchange(true)) {
        warnOfPeer(LogCategory::Memory, "dma-buf", "",
                   "dma-buf {}: DMA_BUF_IOCTL_SYNC: {}: what the processor reads may be stale", buffer,
                   errnoText(code));
    }
}

void ProcessorReads::allow(std::size_t buffer) noexcept {
    // Two threads may both begin: the kernel does not count.
    if (!allowed_[buffer].load(std::memory_order_acquire)) {
        sync(buffer, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
        allowed_[buffer].store(true, std::memory_order_release);
    }
}

void ProcessorReads::end(std::size_t buffer) noexcept {
    if (allowed_[buffer].exchange(false, std::memory_order_acq_rel)) {
        sync(buffer, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
    }
}

}  // namespace verbcast
