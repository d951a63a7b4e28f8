#include "core/gpu/gpu_memory.h"

#include <fmt/format.h>

namespace verbcast {

std::unique_ptr<const DeviceMemory> allocateGpuMemory(int gpu, std::uint64_t bytes) {
    return gpuAllocator(gpu)->allocate(bytes);
}

std::shared_ptr<FramePool> makeGpuFramePool(int gpu, std::uint64_t slotBytes, std::uint32_t slotCount) {
    return FramePool::onDevice(allocateGpuMemory(gpu, slotBytesFor(slotBytes) * slotCount), slotBytes,
                               slotCount);
}

DevicePool makeGpuRing(int gpu, std::uint64_t slotBytes, std::uint32_t slotCount) {
    if (slotCount < 1 || slotCount > kMaxSlots || slotBytes == 0 ||
        slotBytes > UINT64_MAX / (2 * kMaxSlots)) {
        throw Error(ErrorKind::Usage, fmt::format("a ring of {} slots of {} bytes: 1 to {} slots expected",
                                                  slotCount, slotBytes, kMaxSlots));
    }
    return DevicePool(allocateGpuMemory(gpu, slotBytesFor(slotBytes) * slotCount), slotBytes, slotCount);
}

}  // namespace verbcast
