// A pixel-unpack buffer that the GPU fills by itself (CUDA), from slots.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/gpu/gl_pixels.h"
#include "core/memory/frame_pool.h"
#include "render/gl_handles.h"

namespace verbcast {

/// Thread-bound to the OpenGL context that is current at construction.
class GpuStaging {
  public:
    /// Room for one picture. Throws Error{Device}, with the reason, if CUDA reaches no GPU that draws here.
    explicit GpuStaging(std::size_t pictureBytes);
    ~GpuStaging();

    /// Copies these rows of the slot's payload and binds the buffer. A slot in main memory is pinned with its
    /// ring, which stays so until a slot of another ring comes. Throws Error{Device, Resource};
    /// Error{Device}, too, for a slot in the memory of another GPU.
    void begin(const FrameLease& slot, std::span<const PixelRows> parts);
    /// Call after the GL commands that read the buffer; unbinds it.
    void end();

  private:
    void pin(const std::shared_ptr<const Memory>& memory);

    const int gpu_;
    const std::shared_ptr<const DeviceAllocator> device_;  // of that GPU; shared with what is in its memory
    GlBuffer buffer_;
    std::unique_ptr<GlPixels> pixels_;
    std::weak_ptr<const Memory> pinnedOf_;
    std::unique_ptr<PinnedMemory> pinned_;
};

}  // namespace verbcast
