// The two ends of a run whose rings lie in a GPU's memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/memory/device_pool.h"

namespace verbcast {

/// Where the frames to be sent are made. Used by one thread. Throws as makeGpuRing() does.
class DeviceSource {
  public:
    DeviceSource(std::uint64_t payloadBytes, std::uint32_t slots);

    /// As FramePool::acquire(); without waiting when the timeout is 0.
    std::optional<DeviceLease> acquire(std::chrono::nanoseconds timeout, const Event* cancel);
    /// As writeFrame(), made by the processor and copied in over PCIe: a GPU's program would draw there.
    std::uint64_t fill(DeviceLease& lease, std::uint64_t number);

  private:
    DevicePool ring_;
    std::uint64_t payloadBytes_;
    std::shared_ptr<FramePool> drawn_;  // one slot of host memory; shared, as all pools are
    std::unique_ptr<PinnedMemory> pinned_;
};

/// Where frames that have arrived go. Used by one thread. Throws as makeGpuRing() does.
class DeviceSink {
  public:
    DeviceSink(std::uint64_t payloadBytes, std::uint32_t slots);

    /// Copies the frame over PCIe into the next slot, and returns when it is there.
    void take(const FrameLease& frame);
    /// Whether what take() put there last is what writeFrame() gave this hash for: reads it back.
    bool isIntact(std::uint64_t hash);
    std::uint64_t bytesTaken() const { return bytesTaken_; }

  private:
    void pin(const std::shared_ptr<const Memory>& memory);

    DevicePool ring_;
    std::uint64_t payloadBytes_;
    DeviceLease last_;
    std::shared_ptr<const Memory> from_;  // shared with the receiver: what is pinned
    std::unique_ptr<PinnedMemory> pinned_;
    std::shared_ptr<FramePool> seen_;  // one slot of host memory
    std::uint64_t bytesTaken_ = 0;
};

}  // namespace verbcast
