#include "app/bench/workers/device_ends.h"

#include "app/bench/workers/frame_pattern.h"
#include "core/base/log/log.h"
#include "core/gpu/gpu_devices.h"
#include "core/gpu/gpu_memory.h"

namespace verbcast {

std::unique_ptr<PinnedMemory> pinnedOrNot(const DeviceMemory& device,
                                          const std::shared_ptr<const Memory>& memory) {
    try {
        return device.pin(memory);
    } catch (const Error& error) {
        log(LogCategory::Memory).info("copies to the GPU go without DMA: {}", error.what());
        return nullptr;
    }
}

DeviceSource::DeviceSource(std::uint64_t payloadBytes, std::uint32_t slots)
    : ring_(makeGpuRing(chosenGpu(), payloadBytes, slots)),
      payloadBytes_(payloadBytes),
      drawn_(FramePool::create({.slotBytes = payloadBytes, .slotCount = 1})),
      pinned_(pinnedOrNot(ring_.device(), drawn_->memory())) {}

std::optional<DeviceLease> DeviceSource::acquire(std::chrono::nanoseconds timeout, const Event* cancel) {
    return timeout.count() > 0 ? ring_.acquire(timeout, cancel) : ring_.tryAcquire();
}

std::uint64_t DeviceSource::fill(DeviceLease& lease, std::uint64_t number) {
    const std::span<std::byte> drawn(drawn_->slotData(0), payloadBytes_);
    const std::uint64_t hash = writeFrame(drawn, number);
    lease.write(drawn);
    return hash;
}

}  // namespace verbcast
