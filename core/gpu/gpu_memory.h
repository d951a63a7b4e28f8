// Rings in the memory of a GPU; no CUDA types.
#pragma once

#include <cstdint>
#include <memory>

#include "core/memory/device_memory.h"
#include "core/memory/device_pool.h"

namespace verbcast {

/// Memory of the GPU of that number, as GpuDevice counts; `bytes` are rounded up to 2 MiB, which is what
/// RDMA devices like. Loads the driver. Throws Error{Device} where there is no such GPU, with the reason and
/// what mends it, Error{Resource} when its memory is short.
std::unique_ptr<const DeviceMemory> allocateGpuMemory(int gpu, std::uint64_t bytes);

/// A ring there. Throws likewise, and Error{Usage} for a shape that cannot be.
DevicePool makeGpuRing(int gpu, std::uint64_t slotBytes, std::uint32_t slotCount);

}  // namespace verbcast
