#include "render/readback/frame_readback.h"

#include <optional>
#include <utility>

#include "core/memory/device_pool.h"

namespace verbcast {
namespace {

/// To measure with; nothing if nothing is measured.
std::optional<FrameLease> scratchOf(FramePool& pool, ReadbackPath path) {
    if (path != ReadbackPath::Measure) {
        return std::nullopt;
    }
    std::optional<FrameLease> scratch = pool.tryAcquire();
    if (!scratch) {
        throw Error(ErrorKind::Resource, "no free slot to measure the read-back with", "use more --slots");
    }
    return scratch;
}

}  // namespace

FrameReadback::FrameReadback(const VideoFormat& format, RowOrder rows, ReadbackPath path,
                             unsigned framebuffer, FramePool& pool) {
    const std::optional<FrameLease> scratch = scratchOf(pool, path);
    pixels_.emplace(format, rows, path, framebuffer, scratch ? scratch->data() : nullptr);
}

FrameReadback::FrameReadback(std::unique_ptr<GlPicture> picture, const Plane& plane,
                             std::unique_ptr<PinnedMemory> ring)
    : ring_(std::move(ring)),
      picture_(std::move(picture)),
      plane_(plane),
      byDevice_{.path = ring_ ? ReadbackPath::Pinned : ReadbackPath::Device, .reason = {}} {}

FrameReadback::FrameReadback(std::unique_ptr<SlotTargets> targets)
    : targets_(std::move(targets)), byDevice_{.path = ReadbackPath::Slot, .reason = {}} {}

void FrameReadback::abandon() {
    if (pixels_) {  // whose buffers are its own; a GPU may still write into slots
        parts_ = {};
    }
}

void FrameReadback::beginCopy(unsigned framebuffer, const FrameLease& lease) {
    if (targets_) {
        targets_->begin(framebuffer, lease.slot());
    } else if (isInDevice(lease)) {
        const auto slot = static_cast<std::uint64_t>(DeviceLease::of(lease.share()).address());
        picture_->begin(DeviceMemoryAddress{slot + plane_.offset}, plane_.stride);
    } else {
        picture_->begin(lease.data() + plane_.offset, plane_.stride);
    }
    ++copies_;
}

Status FrameReadback::start(unsigned framebuffer, FrameLease&& lease, const ReadbackStamp& stamp) {
    Part& part = parts_[(oldest_ + pending()) % kDepth];
    Status status = Status::Ok;
    if (pixels_) {
        status = pixels_->start(framebuffer, lease.data());
    } else if (copies_ == kDepth) {
        status = Status::Busy;
    } else {
        beginCopy(framebuffer, lease);
    }
    if (status == Status::Ok) {
        part = {std::move(lease), stamp};
    }
    return status;
}

/// CUDA waits for as long as the GPU takes, or not at all.
bool FrameReadback::awaitCopy(std::chrono::nanoseconds timeout) {
    if (targets_) {
        return targets_->finish(timeout);
    }
    if (timeout <= std::chrono::nanoseconds(0) && !picture_->isDone()) {
        return false;
    }
    picture_->finish();
    return true;
}

Status FrameReadback::take(ReadbackFrame& frame, std::chrono::nanoseconds timeout) {
    Status status = Status::Ok;
    if (pixels_) {
        status = pixels_->take(frame.damaged, timeout);
    } else if (copies_ == 0) {
        status = Status::Closed;
    } else if (awaitCopy(timeout)) {
        frame.damaged = false;
        --copies_;
    } else {
        status = Status::TimedOut;
    }
    if (status == Status::Ok) {
        Part& part = parts_[oldest_];
        frame.lease = std::move(part.lease);
        frame.stamp = part.stamp;
        oldest_ = (oldest_ + 1) % kDepth;
    }
    return status;
}

}  // namespace verbcast
