// The sending end of a run whose rings are in a GPU's memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/memory/device_pool.h"

namespace verbcast {

/// Returns null if the memory cannot be pinned, such as a ring mapped read-only: copies then go through the
/// CPU.
std::unique_ptr<PinnedMemory> pinnedOrNot(const DeviceMemory& device,
                                          const std::shared_ptr<const Memory>& memory);

/// Makes the frames to send. Not thread-safe. Throws as makeGpuRing() does.
class DeviceSource {
  public:
    DeviceSource(std::uint64_t payloadBytes, std::uint32_t slots);

    /// As FramePool::acquire(); does not wait if the timeout is 0.
    std::optional<DeviceLease> acquire(std::chrono::nanoseconds timeout, const Event* cancel);
    /// As writeFrame(): written by the CPU and copied in over PCIe; a real GPU program would draw there.
    std::uint64_t fill(DeviceLease& lease, std::uint64_t number);

  private:
    DevicePool ring_;
    std::uint64_t payloadBytes_;
    std::shared_ptr<FramePool> drawn_;  // one slot of host memory; shared like all pools
    std::unique_ptr<PinnedMemory> pinned_;
};

}  // namespace verbcast
