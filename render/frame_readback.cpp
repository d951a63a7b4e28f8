#include "render/frame_readback.h"

#include <optional>
#include <utility>

namespace verbcast {
namespace {

PixelReadback makeReadback(const VideoFormat& format, RowOrder rows, ReadbackPath path, unsigned framebuffer,
                           FramePool& pool) {
    std::optional<FrameLease> scratch;
    if (path == ReadbackPath::Measure) {
        scratch = pool.tryAcquire();
        if (!scratch) {
            throw Error(ErrorKind::Resource, "no free slot to measure the read-back with",
                        "use more --slots");
        }
    }
    return {format, rows, path, framebuffer, scratch ? scratch->data() : nullptr};
}

}  // namespace

FrameReadback::FrameReadback(const VideoFormat& format, RowOrder rows, ReadbackPath path,
                             unsigned framebuffer, FramePool& pool)
    : pixels_(makeReadback(format, rows, path, framebuffer, pool)) {}

Status FrameReadback::start(unsigned framebuffer, FrameLease&& lease, const ReadbackStamp& stamp) {
    Part& part = parts_[(oldest_ + pending()) % kDepth];
    const Status status = pixels_.start(framebuffer, lease.data());
    if (status == Status::Ok) {
        part = {std::move(lease), stamp};
    }
    return status;
}

Status FrameReadback::take(ReadbackFrame& frame, std::chrono::nanoseconds timeout) {
    const Status status = pixels_.take(frame.damaged, timeout);
    if (status == Status::Ok) {
        Part& part = parts_[oldest_];
        frame.lease = std::move(part.lease);
        frame.stamp = part.stamp;
        oldest_ = (oldest_ + 1) % kDepth;
    }
    return status;
}

}  // namespace verbcast
