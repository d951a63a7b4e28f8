// Copies from slots to OpenGL that the GPU makes by itself (CUDA).
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/gpu/gl_sharing.h"
#include "core/memory/frame_pool.h"
#include "render/gl/gl_handles.h"

namespace verbcast {

/// Thread-bound to the OpenGL context that is current at construction.
class GpuCopies {
  public:
    /// Throws Error{Device}, with the reason, if CUDA reaches no GPU that draws here.
    GpuCopies();

    int gpu() const { return gpu_; }
    /// Copies these rows of the slot's payload. A slot in main memory is pinned with its ring, which stays so
    /// until a slot of another ring comes. Throws Error{Device, Resource}; Error{Device}, too, for a slot in
    /// the memory of another GPU.
    void copy(const FrameLease& slot, std::span<const PixelRows> parts, GlPixels& into);

  private:
    void pin(const std::shared_ptr<const Memory>& memory);

    const int gpu_;
    const std::shared_ptr<const DeviceAllocator> device_;  // of that GPU; shared with what is in its memory
    std::weak_ptr<const Memory> pinnedOf_;
    std::unique_ptr<PinnedMemory> pinned_;
};

/// A pixel-unpack buffer that the GPU fills: for textures that CUDA does not know. Thread-bound as above.
struct GpuStaging {
    /// Room for one picture. Throws Error{Device}.
    GpuStaging(int gpu, std::size_t pictureBytes);

    GlBuffer buffer = GlBuffer::create();
    std::unique_ptr<GlPixels> pixels;  ///< registered as long as there is a buffer
};

}  // namespace verbcast
