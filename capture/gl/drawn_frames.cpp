#include "capture/gl/drawn_frames.h"

#include <fmt/format.h>

#include <utility>

#include "core/gpu/gl_sharing.h"
#include "core/gpu/gpu_memory.h"
#include "render/gl/gl_renderer.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMaxBehind = FrameReadback::kDepth - 1;
constexpr int kLateFrames = 8;  // in a row, so that a hiccup does not count

std::uint32_t slotsOf(const DrawnFramesOptions& options) {
    return static_cast<std::uint32_t>(options.slots + FrameReadback::kDepth);
}

std::shared_ptr<FramePool> makeHostPool(const VideoFormat& format, std::uint32_t slots) {
    return FramePool::create({.slotBytes = format.payloadBytes, .slotCount = slots});
}

/// Slots that are buffers of the card. Changes the format to how these lie.
std::shared_ptr<FramePool> makePoolOn(const DrawingCard& card, VideoFormat& format, std::uint32_t slots) {
    CardBuffers buffers = card.makeBuffers(format, slots);
    format.planes[0].offset = buffers.offset;
    format.planes[0].stride = buffers.stride;
    format.payloadBytes = buffers.offset + std::uint64_t{buffers.stride} * format.height;
    return FramePool::onBuffers(std::move(buffers.descriptors), format.payloadBytes);
}

/// Whether frames may be in the GPU's memory.
bool mayBeInDevice(const DrawnFramesOptions& options) {
    return options.memory == PictureMemory::Device ||
           (options.memory == PictureMemory::Auto && options.readback == ReadbackPath::Measure &&
            !options.byOpenGlOnly);
}

/// Whether the next picture may be drawn meanwhile.
bool overlapsDrawing(const FrameReadback& readback) {
    return readback.report().path != ReadbackPath::Direct;
}

}  // namespace

/// In main memory only what a GPU of NVIDIA's draws is copied by it, for only then is CUDA worth loading.
DrawingPlace::DrawingPlace(const DrawnFramesOptions& options) : options_(options) {
    if (options.memory == PictureMemory::DmaBuf) {
        card_ = std::make_unique<DrawingCard>();
        return;
    }
    context_ = std::make_unique<OffscreenContext>();
    if (options.memory == PictureMemory::Device || options.readback == ReadbackPath::Pinned) {
        gpu_ = gpuOfGl();
    } else if (options.readback == ReadbackPath::Measure && !options.byOpenGlOnly && drawsOnNvidia()) {
        try {
            gpu_ = gpuOfGl();
        } catch (const Error& error) {
            notByGpu_ = error.what();
        }
    }
}

VideoFormat drawnFormat(std::uint32_t width, std::uint32_t height, PixelFormat pixelFormat,
                        Rational frameRate) {
    constexpr Rational kMicroseconds{1, 1'000'000};
    VideoFormat format = tightFormat(width, height, pixelFormat);
    format.frameRate = frameRate;
    format.timeBase =
        frameRate.numerator > 0 ? Rational{frameRate.denominator, frameRate.numerator} : kMicroseconds;
    format.colour.primaries = 1;
    format.colour.transfer = 13;
    return format;
}

DrawnFrames::DrawnFrames(const DrawingPlace& place, const VideoFormat& format, const DrawnTarget& target)
    : place_(place),
      options_(place.options()),
      target_(target),
      notByGpu_(place.notByGpu()),
      whyHost_(options_.whyHost),
      format_(format),
      pool_(makePool()),
      readback_(makeReadback()),
      behind_(options_.frameRate.numerator > 0 || !overlapsDrawing(readback_) ? 0 : kMaxBehind) {}

/// Slots that are buffers of the card, or in the memory of the GPU, or in main memory.
std::shared_ptr<FramePool> DrawnFrames::makePool() {
    const std::uint32_t slots = slotsOf(options_);
    if (place_.card() != nullptr) {
        return makePoolOn(*place_.card(), format_, slots);
    }
    if (place_.gpu() && mayBeInDevice(options_)) {
        try {
            return makeGpuFramePool(*place_.gpu(), format_.payloadBytes, slots);
        } catch (const Error& error) {
            if (options_.memory == PictureMemory::Device) {
                throw;
            }
            whyHost_ = error.what();
        }
    }
    return makeHostPool(format_, slots);
}

FrameReadback DrawnFrames::makeReadback() {
    if (options_.memory == PictureMemory::DmaBuf) {
        return FrameReadback(std::make_unique<SlotTargets>(format_, *pool_));
    }
    try {
        if (const std::optional<int>& gpu = place_.gpu()) {
            auto picture = registerGlPicture(*gpu, target_.texture, format_.width, format_.height);
            return pool_->memory()->device() != nullptr ? FrameReadback(std::move(picture), format_.planes[0])
                                                        : FrameReadback(std::move(picture), format_.planes[0],
                                                                        pinForGpu(*gpu, pool_->memory()));
        }
    } catch (const Error& error) {
        if (options_.readback != ReadbackPath::Measure || options_.memory == PictureMemory::Device) {
            throw;
        }
        notByGpu_ = error.what();
        pool_ = makeHostPool(format_, slotsOf(options_));
    }
    return {format_, RowOrder::TopFirst, options_.readback, target_.framebuffer, *pool_};
}

std::string DrawnFrames::way() const {
    const std::string why = !notByGpu_.empty()                  ? "; not copied by the GPU: " + notByGpu_
                            : place_.gpu() && !whyHost_.empty() ? ", since " + whyHost_
                                                                : "";
    switch (const ReadbackReport& report = readback_.report(); report.path) {
        case ReadbackPath::Slot:
            return "frames are drawn into their slots, dma-bufs of " + place_.card()->name() + why;
        case ReadbackPath::Device:
            return fmt::format("the GPU copies frames into their slots, in the memory of {}{}",
                               pool_->memory()->device()->deviceName(), why);
        case ReadbackPath::Pinned:
            return "the GPU copies frames into their slots in main memory" + why;
        case ReadbackPath::Direct:
            return "frames are read back straight into their slots: " + report.reason + why;
        default:
            return "frames are read back through a ring of pixel buffers: " + report.reason + why;
    }
}

std::vector<std::string> DrawnFrames::notesAfter(const std::string& whatDraws) const {
    std::vector<std::string> notes{whatDraws + "; " + way()};
    notes.insert(notes.end(), notes_.begin(), notes_.end());
    return notes;
}

std::optional<FrameLease> DrawnFrames::freeSlot(const Event& cancel) {
    std::optional<FrameLease> lease;
    while (!lease && !cancel.isSet()) {
        lease = pool_->acquire(1h, &cancel);
    }
    return lease;
}

Status DrawnFrames::deliver(CapturedFrame& frame, const Event& cancel) {
    ReadbackFrame picture;
    Status status = Status::TimedOut;
    while ((status = readback_.take(picture, 100ms)) == Status::TimedOut) {
        if (cancel.isSet()) {
            return Status::Cancelled;
        }
    }
    if (status != Status::Ok) {
        return status;
    }
    frame.lease = std::move(picture.lease);
    frame.format = format_;
    frame.pts = picture.stamp.pts;
    frame.flags = picture.damaged ? std::uint32_t{kFrameDamaged} : 0U;
    frame.capturedAt = picture.stamp.capturedAt;
    frame.inputSequence = picture.stamp.inputSequence;
    ++counters_.frames;
    counters_.framesDamaged += picture.damaged ? 1 : 0;
    counters_.pixelCopies += readback_.report().path == ReadbackPath::Ring ? 1 : 0;
    return Status::Ok;
}

/// Software OpenGL draws while glReadPixels waits, so a ring would not help.
void DrawnFrames::watchPace(TimestampNs busyNs) {
    if (behind_ > 0 || format_.frameRate.numerator <= 0 || !overlapsDrawing(readback_)) {
        return;
    }
    lateInARow_ = static_cast<double>(busyNs) * 1e-9 * format_.frameRate.value() > 1 ? lateInARow_ + 1 : 0;
    if (lateInARow_ == kLateFrames) {
        behind_ = kMaxBehind;
        notes_.push_back(
            fmt::format("drawing and reading back take longer than a frame's {:.1f} ms: frames are sent {} "
                        "later, so that both overlap",
                        1e3 / format_.frameRate.value(), behind_));
    }
}

}  // namespace verbcast
