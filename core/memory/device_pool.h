// A ring of frames in a device's memory. Its leases give no pointer: the processor reads and writes only
// through explicit copies.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/memory/device_memory.h"
#include "core/memory/frame_pool.h"

namespace verbcast {

/// The right to use one slot, like FrameLease. Move-only.
class DeviceLease {
  public:
    DeviceLease() = default;
    explicit operator bool() const { return static_cast<bool>(lease_); }

    std::uint32_t slot() const { return lease_.slot(); }
    std::uint64_t capacity() const { return lease_.capacity(); }
    DeviceMemoryAddress address() const;

    /// Copies over the bus, complete on return. Throws as DeviceMemory::write() and read() do.
    void write(std::span<const std::byte> from, std::uint64_t offset = 0);
    void read(std::span<std::byte> into, std::uint64_t offset = 0) const;

    /// Wraps the lease of a frame that arrived in a device's memory. Throws Error{Internal} for a lease on
    /// other memory.
    static DeviceLease of(FrameLease lease);

    /// Hands the same right over as a FrameLease, for a Broadcast. Its data() throws.
    FrameLease release() && { return std::move(lease_); }

  private:
    friend class DevicePool;
    explicit DeviceLease(FrameLease lease) : lease_(std::move(lease)) {}
    std::uint64_t placeOf(std::uint64_t offset, std::uint64_t bytes) const;

    FrameLease lease_;
};

/// Whether that slot is in a device's memory.
bool isInDevice(const FrameLease& lease);

/// Payloads for the processor to read: where they lie, or copied out of a device. Used by one thread.
class HostPayload {
  public:
    /// The slot's first bytes; valid as long as the lease, and at most until the next call. Throws as
    /// DeviceLease::read() does.
    const std::byte* of(const FrameLease& lease, std::uint64_t bytes);

  private:
    std::vector<std::byte> copied_;
};

/// All functions are safe from any thread.
class DevicePool {
  public:
    /// `pool`: of FramePool::onDevice().
    explicit DevicePool(std::shared_ptr<FramePool> pool) : pool_(std::move(pool)) {}

    const DeviceMemory& device() const { return *pool_->memory()->device(); }
    std::uint64_t slotBytes() const { return pool_->slotBytes(); }
    std::uint32_t slotCount() const { return pool_->slotCount(); }

    /// As in FramePool.
    std::optional<DeviceLease> tryAcquire() noexcept;
    std::optional<DeviceLease> acquire(std::chrono::nanoseconds timeout, const Event* cancel = nullptr);

  private:
    std::shared_ptr<FramePool> pool_;  // shared with the leases
};

}  // namespace verbcast
