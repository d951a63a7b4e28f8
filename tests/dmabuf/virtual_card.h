// The kernel's virtual graphics card (vgem) and its buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/os/unique_fd.h"
#include "core/memory/frame_pool.h"
#include "render/kms/gbm_context.h"

namespace verbcast::testing {

/// Throws if the guest has no such card, because the tests would be pointless.
class VirtualCard {
  public:
    VirtualCard();
    int descriptor() const { return card_.get(); }

    /// A dma-buf of this size that starts with `content`.
    UniqueFd buffer(std::uint64_t bytes, std::span<const std::byte> content) const;
    /// A ring of such dma-bufs, all with the same content.
    std::shared_ptr<FramePool> ring(std::uint32_t slots, std::span<const std::byte> content) const;

  private:
    UniqueFd card_;
};

/// Writes into a dma-buf as its device would.
void write(const UniqueFd& buffer, std::span<const std::byte> content);

}  // namespace verbcast::testing
