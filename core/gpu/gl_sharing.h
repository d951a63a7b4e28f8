// What OpenGL and CUDA share on a GPU: pictures that OpenGL draws, and textures and buffers that the GPU
// fills; no CUDA types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

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

/// Rows of a payload, and their place in textures or in a buffer. All in bytes, but rows and textures.
struct PixelRows {
    std::uint64_t from = 0;    ///< offset of the first in the payload
    std::uint64_t stride = 0;  ///< from one to the next, at least rowBytes
    std::uint64_t rowBytes = 0;
    std::uint64_t rows = 0;
    std::uint64_t into = 0;   ///< offset of the first in a buffer, where they lie without gaps
    std::size_t texture = 0;  ///< else: which of the textures, and where in it
    std::uint64_t x = 0, y = 0;
};

/// Textures, or a buffer, that CUDA may write. Thread-bound to the OpenGL context in which they were
/// registered.
class GlPixels {
  public:
    virtual ~GlPixels() = default;

    /// Copies these rows, once OpenGL has finished what it was told before; what it is told from now on sees
    /// them. Returns when the payload has been read, and sleeps until then. `payload`: in memory of the same
    /// GPU, or in main memory, from where the GPU fetches it without the processor if it is pinned
    /// (pinForGpu()). Throws Error{Device} when the GPU fails, and when it cannot copy rows that lie so.
    virtual void fill(DeviceMemoryAddress payload, std::span<const PixelRows> parts) = 0;
    virtual void fill(const std::byte* payload, std::span<const PixelRows> parts) = 0;
};

/// `buffer`: the name of a buffer of the current context with storage for all rows. It must outlive the
/// result, and keep its size. Throws Error{Device}.
std::unique_ptr<GlPixels> registerGlBuffer(int gpu, unsigned buffer);

/// `textures`: names of GL_TEXTURE_2D of the current context, of one level and of a format of one, two or
/// four equal components, which CUDA knows: GL_R8, GL_RG16, GL_RGBA8 and so on. What is not filled stays as
/// it is. They must outlive the result, and keep their sizes. Throws Error{Device}.
std::unique_ptr<GlPixels> registerGlTextures(int gpu, std::span<const unsigned> textures);

}  // namespace verbcast
