// Rings in the memory of a GPU; no CUDA types.
#pragma once

#include <cstdint>
#include <memory>

#include "core/memory/device_memory.h"
#include "core/memory/device_pool.h"

namespace verbcast {

/// The allocator of the GPU with that GpuDevice::number. It rounds sizes up to 2 MiB, which is what RDMA
/// devices like. Loads the driver. Throws Error{Device}, with the reason and a remedy, if there is no such
/// GPU.
std::shared_ptr<const DeviceAllocator> gpuAllocator(int gpu);

/// Pins main memory (not a file's) for that GPU, which then copies from there without the processor. Throws
/// Error{Device, Resource}.
std::unique_ptr<PinnedMemory> pinForGpu(int gpu, std::shared_ptr<const Memory> host);

/// Makes a pool there, for a source or a renderer. Throws as gpuAllocator() and FramePool::onDevice() do.
inline std::shared_ptr<FramePool> makeGpuFramePool(int gpu, std::uint64_t slotBytes,
                                                   std::uint32_t slotCount) {
    return FramePool::onDevice(*gpuAllocator(gpu), slotBytes, slotCount);
}

/// The same, for leases without pointers.
inline DevicePool makeGpuRing(int gpu, std::uint64_t slotBytes, std::uint32_t slotCount) {
    return DevicePool(makeGpuFramePool(gpu, slotBytes, slotCount));
}

}  // namespace verbcast
