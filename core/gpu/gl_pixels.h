// Buffers of OpenGL that a GPU fills by itself; no CUDA types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/memory/device_memory.h"

namespace verbcast {

/// Rows of a payload, and the place in a buffer where they lie without gaps. All in bytes, but `rows`.
struct PixelRows {
    std::uint64_t from = 0;    ///< offset of the first in the payload
    std::uint64_t stride = 0;  ///< from one to the next, at least rowBytes
    std::uint64_t rowBytes = 0;
    std::uint64_t rows = 0;
    std::uint64_t into = 0;  ///< offset of the first in the buffer
};

/// A buffer that CUDA may write. Thread-bound to the OpenGL context in which it was registered.
class GlPixels {
  public:
    virtual ~GlPixels() = default;

    /// Copies these rows into the buffer, once OpenGL has finished what it was told before to do with it.
    /// Returns when they are there. `payload`: in memory of the same GPU, or in main memory, from where the
    /// GPU fetches it without the processor if it is pinned (pinForGpu()). Throws Error{Device} when the GPU
    /// fails.
    virtual void fill(DeviceMemoryAddress payload, std::span<const PixelRows> parts) = 0;
    virtual void fill(const std::byte* payload, std::span<const PixelRows> parts) = 0;
};

/// `buffer`: the name of a buffer of the current context with storage for all rows. It must outlive the
/// result, and keep its size. Throws Error{Device}.
std::unique_ptr<GlPixels> registerGlPixels(int gpu, unsigned buffer);

}  // namespace verbcast
