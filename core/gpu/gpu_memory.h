// Rings in the memory of a GPU, and copies within it, made by that GPU; no CUDA types.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/memory/device_memory.h"
#include "core/memory/device_pool.h"

namespace verbcast {

/// The allocator of the GPU with that GpuDevice::number. It rounds sizes up to 2 MiB, which is what RDMA
/// devices like. Loads the driver. Throws Error{Device}, with the reason and a remedy, if there is no such
/// GPU.
std::shared_ptr<const DeviceAllocator> gpuAllocator(int gpu);

/// Memory of that GPU in its primary context in this process, which somebody else owns and keeps for as long
/// as the returned object lives. Other processes cannot share it. Throws as gpuAllocator() does.
std::unique_ptr<const DeviceMemory> lentGpuMemory(int gpu, DeviceMemoryAddress address, std::uint64_t bytes);

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
