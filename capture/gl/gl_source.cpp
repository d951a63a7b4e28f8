#include "capture/gl/gl_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/gpu/gl_sharing.h"
#include "core/gpu/gpu_memory.h"
#include "render/gl_renderer.h"
#include "render/stream_renderer.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMaxBehind = FrameReadback::kDepth - 1;
constexpr int kLateFrames = 8;  // in a row, so that a hiccup does not count
/// After a pause (no viewer) the scene continues where it stopped.
constexpr std::chrono::nanoseconds kMaxStep = 250ms;
constexpr Rational kMicroseconds{1, 1'000'000};

SceneCanvas canvasOf(const GlSourceOptions& options) {
    return options.canvas.value_or(SceneCanvas{options.width, options.height, 0, 0});
}

VideoFormat pictureFormat(const GlSourceOptions& options, bool copiedByGpu, unsigned framebuffer) {
    // Parts of one picture have the same format on all machines, and the texture that a GPU copies is rgba.
    const bool isRgba = options.part || options.canvas || copiedByGpu;
    const PixelFormat pixelFormat = isRgba ? PixelFormat::rgba : PixelReadback::preferredFormat(framebuffer);
    VideoFormat format = tightFormat(options.width, options.height, pixelFormat);
    if (options.part) {
        addDepth(format);
    }
    format.frameRate = options.frameRate;
    format.timeBase = options.frameRate.numerator > 0
                          ? Rational{options.frameRate.denominator, options.frameRate.numerator}
                          : kMicroseconds;
    format.colour.primaries = 1;
    format.colour.transfer = 13;
    return format;
}

/// Slots that are buffers of the card. Changes the format to how these lie.
std::shared_ptr<FramePool> makePoolOn(const DrawingCard& card, VideoFormat& format, std::uint32_t slots) {
    CardBuffers buffers = card.makeBuffers(format, slots);
    format.planes[0].offset = buffers.offset;
    format.planes[0].stride = buffers.stride;
    format.payloadBytes = buffers.offset + std::uint64_t{buffers.stride} * format.height;
    return FramePool::onBuffers(std::move(buffers.descriptors), format.payloadBytes);
}

std::uint32_t slotsOf(const GlSourceOptions& options) {
    return static_cast<std::uint32_t>(options.slots + FrameReadback::kDepth);
}

std::shared_ptr<FramePool> makeHostPool(const VideoFormat& format, std::uint32_t slots) {
    return FramePool::create({.slotBytes = format.payloadBytes, .slotCount = slots});
}

/// Whether frames may be in the GPU's memory.
bool mayBeInDevice(const GlSourceOptions& options) {
    return options.memory == PictureMemory::Device ||
           (options.memory == PictureMemory::Auto && options.readback == ReadbackPath::Measure &&
            !options.part);
}

/// Whether the next picture may be drawn meanwhile.
bool overlapsDrawing(const FrameReadback& readback) {
    return readback.report().path != ReadbackPath::Direct;
}

/// How frames get into their slots, for a note.
std::string wayOf(const ReadbackReport& report, const FramePool& pool, const DrawingCard* card) {
    switch (report.path) {
        case ReadbackPath::Slot:
            return "frames are drawn into their slots, dma-bufs of " + card->name();
        case ReadbackPath::Device:
            return fmt::format("the GPU copies frames into their slots, in the memory of {}",
                               pool.memory()->device()->deviceName());
        case ReadbackPath::Pinned:
            return "the GPU copies frames into their slots in main memory";
        case ReadbackPath::Direct:
            return "frames are read back straight into their slots: " + report.reason;
        default:
            return "frames are read back through a ring of pixel buffers: " + report.reason;
    }
}

/// Two fifths of the CPU time per frame, over all processors: the rest is for readback, hand-over and perhaps
/// a viewer on this machine, which needs as much.
std::chrono::nanoseconds timeForDrawing(Rational frameRate) {
    const double processors = std::max(1U, std::thread::hardware_concurrency());
    return std::chrono::nanoseconds(static_cast<std::int64_t>(0.4 * processors * 1e9 / frameRate.value()));
}

}  // namespace

GlSource::GlSource(const GlSourceOptions& options)
    : options_(options),
      byClock_(options.part || options.eye || options.canvas),
      context_(options.memory == PictureMemory::DmaBuf ? nullptr : std::make_unique<OffscreenContext>()),
      card_(context_ ? nullptr : std::make_unique<DrawingCard>()),
      gpu_(gpuFor()),
      whyHost_(options.whyHost),
      // Multisampled parts could not be merged.
      target_(options.width, options.height, options.part ? 0 : sceneSamples(), canvasOf(options),
              gpu_ ? ScenePixels::Rgba8 : ScenePixels::Fastest),
      scene_(options.scene, canvasOf(options).width, canvasOf(options).height),
      format_(pictureFormat(options, gpu_.has_value(), target_.framebuffer())),
      pool_(makePool()),
      readback_(makeReadback()),
      behind_(options.frameRate.numerator > 0 || !overlapsDrawing(readback_) ? 0 : kMaxBehind),
      renderer_(glRendererName()) {
    if (options.eye) {
        scene_.setEye(*options.eye);
    }
    if (byClock_) {
        const ScenePart share = options.part.value_or(ScenePart{});
        scene_.setShare(share.index, share.count);  // the same number of boxes on every machine
    } else if (options.frameRate.numerator > 0) {
        scene_.fitTo(target_, timeForDrawing(options.frameRate));
    }
    notes_.push_back(fmt::format("{} draws {} boxes; {}{}", renderer_, scene_.boxes(),
                                 wayOf(readback_.report(), *pool_, card_.get()),
                                 !notByGpu_.empty()          ? "; not copied by the GPU: " + notByGpu_
                                 : gpu_ && !whyHost_.empty() ? ", since " + whyHost_
                                                             : ""));
}

/// Slots that are buffers of the card, or in the memory of the GPU, or in main memory.
std::shared_ptr<FramePool> GlSource::makePool() {
    const std::uint32_t slots = slotsOf(options_);
    if (card_) {
        return makePoolOn(*card_, format_, slots);
    }
    if (gpu_ && mayBeInDevice(options_)) {
        try {
            return makeGpuFramePool(*gpu_, format_.payloadBytes, slots);
        } catch (const Error& error) {
            if (options_.memory == PictureMemory::Device) {
                throw;
            }
            whyHost_ = error.what();
        }
    }
    return makeHostPool(format_, slots);
}

/// The GPU that copies frames into their slots, if one does. In main memory only what a GPU of NVIDIA's
/// draws, for only then is CUDA worth loading.
std::optional<int> GlSource::gpuFor() {
    if (options_.memory == PictureMemory::Device || options_.readback == ReadbackPath::Pinned) {
        return gpuOfGl();
    }
    if (options_.memory == PictureMemory::DmaBuf || options_.readback != ReadbackPath::Measure ||
        options_.part || !drawsOnNvidia()) {
        return std::nullopt;
    }
    try {
        return gpuOfGl();
    } catch (const Error& error) {
        notByGpu_ = error.what();
        return std::nullopt;
    }
}

FrameReadback GlSource::makeReadback() {
    if (options_.memory == PictureMemory::DmaBuf) {
        return FrameReadback(std::make_unique<SlotTargets>(format_, *pool_));
    }
    try {
        if (gpu_) {
            auto picture = registerGlPicture(*gpu_, target_.texture(), target_.width(), target_.height());
            return pool_->memory()->device() != nullptr ? FrameReadback(std::move(picture), format_.planes[0])
                                                        : FrameReadback(std::move(picture), format_.planes[0],
                                                                        pinForGpu(*gpu_, pool_->memory()));
        }
    } catch (const Error& error) {
        if (options_.readback != ReadbackPath::Measure || options_.memory == PictureMemory::Device) {
            throw;
        }
        notByGpu_ = error.what();
        pool_ = makeHostPool(format_, slotsOf(options_));
    }
    return {format_, RowOrder::TopFirst, options_.readback, target_.framebuffer(), *pool_};
}

std::string GlSource::describe() const {
    const std::string part =
        options_.part ? fmt::format("part {}/{} of ", options_.part->index + 1, options_.part->count) : "";
    const std::string eye =
        options_.eye ? fmt::format("{} eye of ", *options_.eye == Eye::Left ? "left" : "right") : "";
    const SceneCanvas& canvas = target_.canvas();
    const bool whole = canvas.width == target_.width() && canvas.height == target_.height();
    const std::string place =
        whole ? "" : fmt::format("{}x{} at {},{} of ", target_.width(), target_.height(), canvas.x, canvas.y);
    return fmt::format("{}{}{}scene {} ({} boxes, {})", place, eye, part, options_.scene, scene_.boxes(),
                       renderer_);
}

class GlSource::Injector final : public InputInjector {
  public:
    explicit Injector(GlSource& source) : source_(source) {}
    void apply(std::span<const ViewerInput> events) override {
        const std::lock_guard lock(source_.inputMutex_);
        source_.arrived_.insert(source_.arrived_.end(), events.begin(), events.end());
    }

  private:
    GlSource& source_;
};

std::unique_ptr<InputInjector> GlSource::inputInjector() {
    return std::make_unique<Injector>(*this);
}

void GlSource::takeInput() {
    {
        const std::lock_guard lock(inputMutex_);
        input_.swap(arrived_);
    }
    for (const ViewerInput& input : input_) {
        scene_.input(input);
        inputSequence_ = input.serial;
    }
    input_.clear();
}

Status GlSource::capture(CapturedFrame& frame, const Event& cancel) {
    frame.lease.reset();
    do {
        if (const Status drawn = drawNext(cancel); drawn != Status::Ok) {
            return drawn;
        }
    } while (readback_.pending() <= behind_);
    const Status status = deliver(frame, cancel);
    watchPace(nowNs() - lastAt_);
    return status;
}

/// Waits for the host clock's next whole frame; only if drawn by the clock. False if `cancel` was set.
bool GlSource::waitForNextFrame(const Event& cancel) {
    const double rate = format_.frameRate.value();
    std::int64_t next = 0;
    for (;;) {
        const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
        const auto current =
            static_cast<std::int64_t>(std::floor(std::chrono::duration<double>(now).count() * rate));
        if (next != 0 && current >= next) {
            break;
        }
        // After a pause, or if the clock was set, continue from the new time.
        const bool follows = clockFrame_ >= current && clockFrame_ <= current + 1;
        next = (follows ? clockFrame_ : current) + 1;
        const std::chrono::duration<double> due(static_cast<double>(next) / rate);
        waitReadable({cancel.descriptor()},
                     Deadline::in(std::chrono::duration_cast<std::chrono::nanoseconds>(due) - now));
        if (cancel.isSet()) {
            return false;
        }
    }
    clockFrame_ = next;
    return true;
}

Status GlSource::drawNext(const Event& cancel) {
    std::optional<FrameLease> lease;
    while (!lease) {
        if (cancel.isSet()) {
            return Status::Cancelled;
        }
        lease = pool_->acquire(1h, &cancel);
    }
    if (byClock_ && !waitForNextFrame(cancel)) {
        return Status::Cancelled;
    }
    takeInput();
    const TimestampNs now = nowNs();
    firstAt_ = drawn_ == 0 ? now : firstAt_;
    const auto passed = drawn_ == 0 ? 0ns : std::chrono::nanoseconds(now - lastAt_);
    lastAt_ = now;
    if (options_.drawing) {
        options_.drawing();
    }
    if (byClock_) {
        scene_.showAt(std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::duration<double>(static_cast<double>(clockFrame_) / format_.frameRate.value())));
    } else {
        scene_.advance(std::min(passed, kMaxStep));
    }
    scene_.draw(target_, drawn_);
    if (options_.drawn) {
        finishGl();
        options_.drawn();
    }
    const ReadbackStamp stamp{.number = drawn_,
                              .pts = byClock_ ? clockFrame_ : ptsOf(drawn_, now),
                              .capturedAt = now,
                              .inputSequence = inputSequence_};
    ++drawn_;
    return readback_.start(target_.framebuffer(), std::move(*lease), stamp);
}

Status GlSource::deliver(CapturedFrame& frame, const Event& cancel) {
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
void GlSource::watchPace(TimestampNs busyNs) {
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

std::int64_t GlSource::ptsOf(std::uint64_t number, TimestampNs capturedAt) const {
    return format_.frameRate.numerator > 0 ? static_cast<std::int64_t>(number)
                                           : (capturedAt - firstAt_) / 1000;
}

}  // namespace verbcast
