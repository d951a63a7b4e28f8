// Pictures that OpenGL draws on a GPU, copied by that GPU; no CUDA types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/memory/device_memory.h"

namespace verbcast {

/// A texture that CUDA may read. Thread-bound to the OpenGL context in which it was registered.
class GlPicture {
  public:
    virtual ~GlPicture() = default;

    /// The most copies in flight.
    static constexpr std::size_t kDepth = 3;

    /// Begins to copy the picture as the drawing before this call leaves it: rows of 4 bytes a pixel,
    /// `stride` bytes apart, the texture's row 0 first. Returns at once; later drawing waits, in the GPU, for
    /// the copy. `into`: writable memory with room for all of it, of the same GPU or pinned for it
    /// (pinForGpu()). Call with fewer than kDepth copies in flight. Throws Error{Device} when the GPU fails.
    virtual void begin(DeviceMemoryAddress into, std::uint64_t stride) = 0;
    virtual void begin(std::byte* into, std::uint64_t stride) = 0;
    /// Whether the oldest copy in flight is done; like finish(), only while there is one. Throws
    /// Error{Device} when the GPU fails.
    virtual bool isDone() const = 0;
    /// Ends the oldest copy in flight: sleeps until the GPU has done it.
    /// Throws Error{Device} when the GPU fails.
    virtual void finish() = 0;
};

/// The GpuDevice::number of the GPU that draws for the OpenGL context that is current on this thread. Loads
/// the driver. Throws Error{Device}, with the reason and a remedy, if CUDA reaches none that does, or another
/// one was chosen: chosenGpu().
int gpuOfGl();

/// `texture`: the name of a GL_TEXTURE_2D of GL_RGBA8, of `width` x `height` pixels, in the current context.
/// It must outlive the result, and keep its size. Throws Error{Device}.
std::unique_ptr<GlPicture> registerGlPicture(int gpu, unsigned texture, std::uint32_t width,
                                             std::uint32_t height);

}  // namespace verbcast
