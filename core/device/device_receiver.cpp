// Per frame: if the sender writes into the device, one flush, if the device needs any; else one copy over the
// bus, by the device, from the slot in which the frame has arrived. That slot is free before the consumer
// sees the frame.
#include "core/device/device_receiver.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/log/peer_log.h"
#include "core/base/os/event.h"
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
    return FramePool::onDevice(device, slotBytes, slots);
}

}  // namespace

std::shared_ptr<FramePool> DeviceReceiver::makeRing(std::uint64_t slotBytes) {
    auto ring = makeOnDevice(slotBytes);
    const std::lock_guard lock(mutex_);
    reason_.clear();
    copiesEnd_ = true;
    return ring;
}

/// A format that is too large is this sender's; a device that fails will fail the next one, too.
std::shared_ptr<FramePool> DeviceReceiver::makeOnDevice(std::uint64_t slotBytes) {
    try {
        return ringOn(*device_, slotBytes, slots_, limit_);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Device && copiesFrames_) {
            const std::lock_guard lock(mutex_);
            failure_ = std::current_exception();
        }
        throw;
    }
}

void DeviceReceiver::makeRoomForCopies(std::uint64_t slotBytes) {
    if (!copiesFrames_) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        copiesEnd_ = false;
    }
    copyPoolFor(slotBytes);
}

std::shared_ptr<FramePool> DeviceReceiver::copyPoolFor(std::uint64_t slotBytes) {
    std::shared_ptr<FramePool> old;
    {
        const std::lock_guard lock(mutex_);
        if (copies_ && copies_->slotBytes() >= slotBytes) {
            return copies_;
        }
        old = std::exchange(copies_, nullptr);
    }
    if (old) {
        old->slots().freed().notify();  // who waits for room there need not
        old.reset();                    // before the new one: leases may keep it for a while
    }
    auto made = makeOnDevice(slotBytes);
    const std::lock_guard lock(mutex_);
    if (!copies_ || copies_->slotBytes() < slotBytes) {
        copies_ = made;
    }
    return made;
}

/// Once a frame needs no copy, and its sender's others need none either.
void DeviceReceiver::endCopies() {
    std::shared_ptr<FramePool> unused;  // freed outside the lock
    const std::lock_guard lock(mutex_);
    if (copiesEnd_) {
        unused = std::move(copies_);
    }
}

void DeviceReceiver::framesArriveInMainMemory(const std::string& reason) {
    if (!reason.empty()) {
        tellOfPeer(LogCategory::Stream, "in main memory", "", "frames arrive in main memory{} {}: {}",
                   copiesFrames_ ? " and are copied to" : ", not in the memory of", device_->deviceName(),
                   reason);
    }
    const std::lock_guard lock(mutex_);
    reason_ = reason;
    copiesEnd_ = reason.empty();
}

std::exception_ptr DeviceReceiver::failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
}

std::string DeviceReceiver::reason() const {
    const std::lock_guard lock(mutex_);
    return reason_;
}

std::shared_ptr<FramePool> DeviceReceiver::copyPool() const {
    const std::lock_guard lock(mutex_);
    return copies_;
}

void DeviceReceiver::wake() {
    if (const auto pool = copyPool()) {
        pool->slots().freed().notify();
    }
}

bool DeviceReceiver::hasRoom() const {
    const auto pool = copyPool();
    return !pool || pool->slots().freeCount() > 0;
}

Status DeviceReceiver::awaitRoom(const std::function<bool()>& ends, const Deadline& deadline,
                                 const Event& cancel) {
    const auto pool = copyPool();
    if (!pool) {
        return Status::Ok;
    }
    return waitFor(
        pool->slots().freed(), [&] { return pool->slots().freeCount() > 0 || copyPool() != pool || ends(); },
        deadline, &cancel);
}

/// Pins it. If that fails, as for a ring that this process may only read, the processor does the copies.
void DeviceReceiver::pin(const DeviceMemory& device, const std::shared_ptr<const Memory>& host) {
    if (host == from_) {
        return;
    }
    pinned_.reset();
    from_ = host;
    try {
        pinned_ = device.pin(host);
    } catch (const Error& error) {
        tellOfPeer(LogCategory::Stream, "without DMA", "", "frames are copied to the GPU without DMA: {}",
                   error.what());
    }
}

bool DeviceReceiver::land(ReceivedFrame& frame, StreamTotals& totals) {
    const FramePool& arrived = *frame.lease.pool();
    if (const DeviceMemory* device = arrived.memory()->device()) {
        device->settleRemoteWrites();
        pinned_.reset();
        from_.reset();
        endCopies();
        return true;
    }
    if (!copiesFrames_) {
        return true;
    }
    // The ring is there already, unless a larger one replaced it that could not be made.
    const auto pool = copyPoolFor(arrived.slotBytes());
    const DeviceMemory& device = *pool->memory()->device();
    auto slot = pool->tryAcquire();
    if (!slot) {
        throw Error(ErrorKind::Internal, "a frame is to be copied, and the ring in the device is full");
    }
    pin(device, arrived.memory());
    const std::uint64_t bytes = frame.info.payloadBytes;
    device.write(slot->slot() * pool->slotBytes(), {frame.lease.data(), bytes});
    totals[&StreamStats::bytesToDevice] += bytes;
    const bool whole = !frame.lease.takenBack();
    frame.lease = std::move(*slot);
    return whole;
}

void DeviceRings::refused(const std::string& reason) {
    refused_ = true;
    receiver_.framesArriveInMainMemory(reason);
}

std::shared_ptr<FramePool> DeviceRings::make(std::uint64_t slotBytes) {
    if (!refused_) {
        try {
            return receiver_.makeRing(slotBytes);
        } catch (const Error& error) {
            if (receiver_.copiesFrames()) {
                throw;  // that device and no other
            }
            refused(error.what());
        }
    }
    return RingSource::make(slotBytes);
}

void DeviceRings::inUse(const FramePool& ring, bool sendersOwn) {
    const bool there = ring.memory()->device() != nullptr;
    if (sendersOwn) {
        receiver_.framesArriveInMainMemory(there ? "" : "the sender's ring lies in main memory");
    }
    if (!there) {
        receiver_.makeRoomForCopies(ring.slotBytes());
    }
}

}  // namespace verbcast
