#include "app/bench/workers/device_ends.h"

#include "app/bench/workers/frame_pattern.h"
#include "core/base/log.h"
#include "core/gpu/gpu_memory.h"

namespace verbcast {
namespace {

/// The first that the driver counts: CUDA_VISIBLE_DEVICES chooses another.
constexpr int kFirstGpu = 0;

/// Null where it cannot be, as of a ring that this process may only read: copies then take the processor.
std::unique_ptr<PinnedMemory> pinnedOrNot(const DeviceMemory& device,
                                          const std::shared_ptr<const Memory>& memory) {
    try {
        return device.pin(memory);
    } catch (const Error& error) {
        log(LogCategory::Memory).info("copies to the GPU go without DMA: {}", error.what());
        return nullptr;
    }
}

}  // namespace

DeviceSource::DeviceSource(std::uint64_t payloadBytes, std::uint32_t slots)
    : ring_(makeGpuRing(kFirstGpu, payloadBytes, slots)),
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

DeviceSink::DeviceSink(std::uint64_t payloadBytes, std::uint32_t slots)
    : ring_(makeGpuRing(kFirstGpu, payloadBytes, slots)), payloadBytes_(payloadBytes) {}

void DeviceSink::pin(const std::shared_ptr<const Memory>& memory) {
    if (memory != from_) {
        pinned_.reset();
        from_ = memory;
        pinned_ = pinnedOrNot(ring_.device(), memory);
    }
}

void DeviceSink::take(const FrameLease& frame) {
    pin(frame.pool()->memory());
    auto slot = ring_.tryAcquire();  // never empty: two slots at least, of which one is held
    if (!slot) {
        throw Error(ErrorKind::Internal, "the receiver's ring in the GPU is full");
    }
    slot->write({frame.data(), payloadBytes_});
    bytesTaken_ += payloadBytes_;
    last_ = std::move(*slot);
}

bool DeviceSink::isIntact(std::uint64_t hash) {
    if (!last_) {
        return false;
    }
    if (!seen_) {
        seen_ = FramePool::create({.slotBytes = payloadBytes_, .slotCount = 1});
    }
    const std::span<std::byte> seen(seen_->slotData(0), payloadBytes_);
    last_.read(seen);
    return frameIsIntact(seen, hash);
}

}  // namespace verbcast
