#include "core/stream/submission.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/base/log/log.h"

namespace verbcast {
namespace {

/// Pins the memory; null if that fails: the processor then does the copies.
std::unique_ptr<PinnedMemory> pinned(const DeviceMemory& device, const std::shared_ptr<const Memory>& host) {
    try {
        return device.pin(host);
    } catch (const Error& error) {
        log(LogCategory::Stream).info("frames are copied from the GPU without DMA: {}", error.what());
        return nullptr;
    }
}

/// Once for each frame. Sources give copies of one object, whose bytes are equal, padding included: that is
/// seen soonest.
bool isSame(const TrackFormat& a, const TrackFormat& b) {
    static_assert(std::is_trivially_copyable_v<VideoFormat>);
    const bool pictures = a.kind == TrackKind::Video && b.kind == TrackKind::Video;
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): where bytes differ, values are compared
    return (pictures && std::memcmp(&a.video, &b.video, sizeof a.video) == 0) || a == b;
}

}  // namespace

void Submission::update(Track& track, TrackId id, const TrackFormat& format,
                        const std::shared_ptr<FramePool>& pool) {
    CurrentFormat& current = track.current;
    const bool sameFormat = current.epoch && isSame(current.epoch->format, format);
    if (sameFormat && current.pool == pool) {
        return;
    }
    if (!sameFormat) {
        current.epoch = std::make_shared<const Epoch>(Epoch{id, format});
        track.firstOfEpoch = track.nextSequence;
    }
    current.pool = pool;
    if (pool->memory()->writable()) {
        audience_.setCurrent(current);
    }
}

QueuedFrame Submission::make(FrameLease&& lease, const TrackFormat& format, std::uint64_t payloadBytes,
                             const FrameInfo& info) {
    Track& track = tracks_[info.track];
    update(track, info.track, format, lease.pool());
    QueuedFrame frame{std::move(lease), info, track.current.epoch};
    frame.info.rectCount = track.nextSequence == track.firstOfEpoch ? std::uint16_t{0} : info.rectCount;
    frame.info.sequence = track.nextSequence++;
    frame.info.payloadBytes = payloadBytes;
    frame.info.submittedAt = nowNs();
    return frame;
}

/// Does the one copy: by the processor, or by the device over the bus.
void Submission::fill(const FrameLease& lease, const QueuedFrame& frame) {
    const std::uint64_t bytes = frame.info.payloadBytes;
    const FramePool& from = *frame.lease.pool();
    if (const DeviceMemory* device = from.memory()->device()) {
        device->read(frame.lease.slot() * from.slotBytes(), {lease.data(), bytes});
        audience_.shared().totals[&StreamStats::bytesFromDevice] += bytes;
    } else {
        std::memcpy(lease.data(), frame.lease.data(), bytes);
        audience_.shared().totals[&StreamStats::bytesCopied] += bytes;
    }
}

/// Copies the frame to memory of our own; empty if no slot is free, or if the last copy was too recent.
QueuedFrame Submission::copy(const QueuedFrame& frame, const std::string& reason) {
    Copies& copies = copies_[frame.epoch->track];
    const FramePool& from = *frame.lease.pool();
    if (!copies.pool || copies.pool->slotBytes() < from.slotBytes()) {
        log(LogCategory::Stream).info("frames are copied before they are sent: {}", reason);
        copies.pinned.reset();
        copies.pool = FramePool::create(
            {.slotBytes = from.slotBytes(), .slotCount = std::min(audience_.slotsOf(from), limits_.slots)});
        if (const DeviceMemory* device = from.memory()->device()) {
            copies.pinned = pinned(*device, copies.pool->memory());
        }
    }
    const TimestampNs now = nowNs();
    if (copies.last != 0 && std::chrono::nanoseconds(now - copies.last) < limits_.between) {
        return {};
    }
    auto lease = copies.pool->tryAcquire();
    if (!lease) {
        return {};
    }
    fill(*lease, frame);
    copies.last = now;
    return {std::move(*lease), frame.info, frame.epoch};
}

bool Submission::hasRoomFor(TrackId track, const Memory& memory) const {
    const auto& copies = copies_[track].pool;
    return memory.writable() || !copies || copies->slots().freeCount() > 0;
}

}  // namespace verbcast
