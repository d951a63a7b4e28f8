// Device memory shared by descriptor (dma-buf), as the kernel sees it; no library.
#pragma once

#include <cstdint>
#include <optional>

namespace verbcast {

// Cache coherency is the exporter's business: a V4L2 driver takes care of it when a buffer is dequeued and
// queued, so its pictures need no DMA_BUF_IOCTL_SYNC. A GPU's buffers would.

/// Size of the dma-buf; nothing if the descriptor is not one. The size never changes.
std::optional<std::uint64_t> dmaBufBytes(int descriptor);

}  // namespace verbcast
