// Device memory shared by descriptor (dma-buf), as the kernel sees it; no library.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/base/os/unique_fd.h"

namespace verbcast {

/// Size of the dma-buf; nothing if the descriptor is not one. The size never changes.
std::optional<std::uint64_t> dmaBufBytes(int descriptor);

/// Waits until the device has written what it was told to write, and lets processors see it
/// (DMA_BUF_IOCTL_SYNC): those of every process that maps the buffer, until endDmaBufRead(). False, with
/// errno, if the kernel refuses. A GPU's buffers need it; a V4L2 driver does it when a buffer is dequeued.
[[nodiscard]] bool beginDmaBufRead(int descriptor) noexcept;
/// Ends what beginDmaBufRead() began, before the device writes there again. Does not wait for the device.
void endDmaBufRead(int descriptor) noexcept;

/// Keeps the processor's view of a ring of dma-bufs right (DMA_BUF_IOCTL_SYNC): its reads of a buffer lie
/// between allow() and end(), its device's writes outside. Two system calls for a frame that the processor
/// reads, none for others. All functions are safe from any thread and block only as long as the exporting
/// driver needs.
class ProcessorReads {
  public:
    /// The buffers must outlive this.
    explicit ProcessorReads(std::span<const UniqueFd> buffers);

    /// Call before the processor reads a buffer that is held. Costs a system call the first time. A driver
    /// that refuses is reported once in the log; what is read then may be stale.
    void allow(std::size_t buffer) noexcept;
    /// Call before the device may write into the buffer again, once nobody reads it any more.
    void end(std::size_t buffer) noexcept;

  private:
    void sync(std::size_t buffer, std::uint64_t flags) noexcept;

    const std::span<const UniqueFd> buffers_;
    const std::unique_ptr<std::atomic<bool>[]> allowed_;
    std::atomic<bool> reported_{false};
};

}  // namespace verbcast
