#include "capture/gl/gl_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "render/gl/gl_renderer.h"
#include "render/stream_renderer.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

/// After a pause (no viewer) the scene continues where it stopped.
constexpr std::chrono::nanoseconds kMaxStep = 250ms;

SceneCanvas canvasOf(const GlSourceOptions& options) {
    return options.canvas.value_or(SceneCanvas{options.width, options.height, 0, 0});
}

VideoFormat pictureFormat(const GlSourceOptions& options, bool copiedByGpu, unsigned framebuffer) {
    // Parts of one picture have the same format on all machines, and the texture that a GPU copies is rgba.
    const bool isRgba = options.part || options.canvas || copiedByGpu;
    const PixelFormat pixelFormat = isRgba ? PixelFormat::rgba : PixelReadback::preferredFormat(framebuffer);
    VideoFormat format = drawnFormat(options.width, options.height, pixelFormat, options.frameRate);
    if (options.part) {
        addDepth(format);
    }
    return format;
}

DrawnFramesOptions framesOptions(const GlSourceOptions& options) {
    return {.frameRate = options.frameRate,
            .slots = options.slots,
            .readback = options.readback,
            .memory = options.memory,
            .whyHost = options.whyHost,
            .byOpenGlOnly = options.part.has_value()};
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
      place_(framesOptions(options)),
      // Multisampled parts could not be merged.
      target_(options.width, options.height, options.part ? 0 : sceneSamples(), canvasOf(options),
              place_.gpu() ? ScenePixels::Rgba8 : ScenePixels::Fastest),
      scene_(options.scene, canvasOf(options).width, canvasOf(options).height),
      frames_(place_, pictureFormat(options, place_.gpu().has_value(), target_.framebuffer()),
              {target_.framebuffer(), target_.texture()}),
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
}

std::vector<std::string> GlSource::notes() const {
    return frames_.notesAfter(fmt::format("{} draws {} boxes", renderer_, scene_.boxes()));
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
    return frames_.capture(frame, cancel, [&] { return drawNext(cancel); });
}

/// Waits for the host clock's next whole frame; only if drawn by the clock. False if `cancel` was set.
bool GlSource::waitForNextFrame(const Event& cancel) {
    const double rate = options_.frameRate.value();
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

std::optional<DrawnPicture> GlSource::drawNext(const Event& cancel) {
    if (byClock_ && !waitForNextFrame(cancel)) {
        return std::nullopt;
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
            std::chrono::duration<double>(static_cast<double>(clockFrame_) / options_.frameRate.value())));
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
    return DrawnPicture{stamp, now};
}

std::int64_t GlSource::ptsOf(std::uint64_t number, TimestampNs capturedAt) const {
    return options_.frameRate.numerator > 0 ? static_cast<std::int64_t>(number)
                                            : (capturedAt - firstAt_) / 1000;
}

}  // namespace verbcast
