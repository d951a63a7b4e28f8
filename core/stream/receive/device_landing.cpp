// Per frame: if the sender writes into the device, one flush, if the device needs any; else one copy over the
// bus, by the device, from the slot in which the frame has arrived. That slot is free before the consumer
// sees the frame.
#include "core/stream/receive/device_landing.h"

#include <fmt/format.h>

#include "core/base/log.h"
#include "core/base/wait_for.h"
#include "core/memory/available_memory.h"

namespace verbcast {
namespace {

void requireRoom(const DeviceAllocator& device, std::uint64_t slotBytes, std::uint32_t slots,
                 const std::optional<std::uint64_t>& limit) {
    constexpr std::uint64_t kMaxSlotBytes = 1ULL << 40;
    const auto free = limit ? std::nullopt : device.freeBytes();
    if (!limit && !free && slotBytes <= kMaxSlotBytes) {
        return;
    }
    const std::uint64_t allowed = limit ? *limit : free.value_or(0) / 2;
    if (slotBytes <= kMaxSlotBytes && slotBytesFor(slotBytes) * slots <= allowed) {
        return;
    }
    throw Error(ErrorKind::Resource,
                fmt::format("{} frames of {} need more of the memory of {} than the viewer allows: {} ({})",
                            slots, memoryText(slotBytes), device.deviceName(), memoryText(allowed),
                            limit ? "--max-memory" : "half of what is free; see --max-memory"),
                "allow more with --max-memory SIZE, or hold fewer frames with --slots N");
}

std::shared_ptr<FramePool> ringOn(const DeviceAllocator& device, std::uint64_t slotBytes, std::uint32_t slots,
                                  const std::optional<std::uint64_t>& limit) {
    requireRoom(device, slotBytes, slots, limit);
    return FramePool::onDevice(device.allocate(slotBytesFor(slotBytes) * slots), slotBytes, slots);
}

}  // namespace

std::shared_ptr<FramePool> DeviceLanding::makeRing(std::uint64_t slotBytes) {
    try {
        auto ring = ringOn(*device_, slotBytes, slots_, limit_);
        const std::lock_guard lock(mutex_);
        copyReason_.clear();
        return ring;
    } catch (const Error&) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
        throw;
    }
}

void DeviceLanding::framesMustBeCopied(const std::string& reason) {
    if (!reason.empty()) {
        log(LogCategory::Stream)
            .info("frames are copied to {} after they have arrived: {}", device_->deviceName(), reason);
    }
    const std::lock_guard lock(mutex_);
    copyReason_ = reason;
}

std::exception_ptr DeviceLanding::failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
}

std::string DeviceLanding::copyReason() const {
    const std::lock_guard lock(mutex_);
    return copyReason_;
}

Status DeviceLanding::awaitRoom(const Deadline& deadline, const Event& cancel) {
    if (!pool_ || pool_->slots().freeCount() > 0) {
        return Status::Ok;
    }
    return waitFor(
        pool_->slots().freed(), [this] { return pool_->slots().freeCount() > 0; }, deadline, &cancel);
}

FramePool& DeviceLanding::poolFor(std::uint64_t slotBytes) {
    if (!pool_ || pool_->slotBytes() < slotBytes) {
        pool_.reset();  // before the new one: leases may keep the old one for a while
        pool_ = ringOn(*device_, slotBytes, slots_, limit_);
    }
    return *pool_;
}

/// Pins it. If that fails, as for a ring that this process may only read, the processor does the copies.
void DeviceLanding::pin(const std::shared_ptr<const Memory>& host) {
    if (host == from_) {
        return;
    }
    pinned_.reset();
    from_ = host;
    try {
        pinned_ = pool_->memory()->device()->pin(host);
    } catch (const Error& error) {
        log(LogCategory::Stream).info("frames are copied to the GPU without DMA: {}", error.what());
    }
}

bool DeviceLanding::land(ReceivedFrame& frame, PathTotals& totals) {
    const FramePool& arrived = *frame.lease.pool();
    if (const DeviceMemory* device = arrived.memory()->device()) {
        device->settleRemoteWrites();
        pinned_.reset();
        from_.reset();
        pool_.reset();
        return true;
    }
    FramePool& pool = poolFor(arrived.slotBytes());
    auto slot = pool.tryAcquire();
    if (!slot) {
        throw Error(ErrorKind::Internal, "a frame is to be copied, and the ring in the device is full");
    }
    pin(arrived.memory());
    const std::uint64_t bytes = frame.info.payloadBytes;
    pool.memory()->device()->write(slot->slot() * pool.slotBytes(), {frame.lease.data(), bytes});
    totals.bytesToDevice += bytes;
    const bool whole = !frame.lease.takenBack();
    frame.lease = std::move(*slot);
    return whole;
}

}  // namespace verbcast
