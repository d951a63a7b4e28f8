// Copies within the memory of a GPU, made by that GPU; no CUDA types.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/memory/device_memory.h"

namespace verbcast {

/// Rows to copy, all in bytes but `rows`.
struct GpuRows {
    DeviceMemoryAddress from{};
    std::uint64_t fromStride = 0;  ///< from one to the next, at least rowBytes, as is intoStride
    DeviceMemoryAddress into{};
    std::uint64_t intoStride = 0;
    std::uint64_t rowBytes = 0;
    std::uint64_t rows = 0;
};

/// Used by one thread.
class GpuCopy {
  public:
    virtual ~GpuCopy() = default;

    /// Copies after all work that was started before in the GPU's default stream, as FFmpeg's is; returns
    /// when the copies are done. Both ends are memory of the GPU in its primary context. Throws
    /// Error{Device} when the GPU fails.
    virtual void copy(std::span<const GpuRows> parts) = 0;
};

/// Loads the driver. Throws Error{Device}, with the reason and a remedy, if there is no such GPU.
std::unique_ptr<GpuCopy> makeGpuCopy(int gpu);

}  // namespace verbcast
