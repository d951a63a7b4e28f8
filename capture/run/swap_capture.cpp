#include "capture/run/swap_capture.h"

#include <epoxy/gl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <mutex>
#include <vector>

#include "capture/run/gl_state_guard.h"
#include "core/session/frame_sender.h"
#include "core/session/stats_stream.h"
#include "render/frame_readback.h"
#include "render/gl_handles.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

constexpr TimestampNs kMillisecond = 1'000'000;
/// A program that swaps more rarely draws when something has changed: its picture is waited for, since no
/// later swap might come to fetch it.
constexpr TimestampNs kDrawsOnDemand = 40 * kMillisecond;
constexpr auto kPatience = 20ms;
/// Besides those that the sender holds: one being read and one waiting for its turn.
constexpr std::uint32_t kExtraSlots = FrameReadback::kDepth + 1;

/// The picture scaled, or turned over: a framebuffer of our own in the program's context.
struct ScaledPicture {
    GlTexture texture;
    GlFramebuffer framebuffer;
};

}  // namespace

class SwapCapture::Impl {
  public:
    explicit Impl(const RunSettings& settings) : settings_(settings), sender_(settings.sender) {
        if (settings_.figuresDescriptor >= 0) {
            figures_ = std::make_unique<StatsStream>(settings_.figuresDescriptor, sender_);
        }
        if (!settings_.quiet) {
            say(settings_.sender.listen
                    ? fmt::format("this program's pictures can be viewed at {}",
                                  fmt::join(sender_.listenAddresses(), ", "))
                    : fmt::format("this program's pictures go to {}", settings_.sender.url.text()));
        }
    }

    void beforeSwap(const SwapTarget& target) {
        const TimestampNs now = nowNs();
        interval_ = now - std::exchange(lastSwap_, now);
        if (surface_ == 0) {
            surface_ = target.surface;
            tell(RunStatus::Swapped);
        }
        if (target.surface != surface_ || target.width == 0 || !watched() || now < due_) {
            return;
        }
        due_ = std::max(due_ + period(), now - period());
        const GlStateGuard guard;
        prepare(target);
        auto lease = pool_->tryAcquire();
        if (lease) {
            const ReadbackStamp stamp{number_++, now / 1000, now, 0};
            static_cast<void>(readback_->start(draw(target), std::move(*lease), stamp));
        }
    }

    void afterSwap(const SwapTarget& target) {
        if (target.surface != surface_ || target.context != context_ || !readback_ ||
            readback_->pending() == 0) {
            return;
        }
        const GlStateGuard guard;
        for (ReadbackFrame frame;
             readback_->take(frame, interval_ > kDrawsOnDemand ? kPatience : 0ms) == Status::Ok;) {
            submit(std::move(frame));
        }
    }

    void finish() { static_cast<void>(sender_.finish("the program ended", 1s, never_)); }

    void say(const std::string& text) { fmt::print(stderr, "verbcast: {}\n", text); }

  private:
    bool watched() const { return sender_.receiverCount() > 0 || sender_.previewWatched(); }

    TimestampNs period() const { return static_cast<TimestampNs>(1e9 / settings_.fps.value()); }

    bool scaled() const { return settings_.width && settings_.height; }

    /// Makes what depends on the context and on the picture's size.
    void prepare(const SwapTarget& target) {
        const std::uint32_t width = scaled() ? *settings_.width : target.width;
        const std::uint32_t height = scaled() ? *settings_.height : target.height;
        if (context_ == target.context && format_.width == width && format_.height == height) {
            return;
        }
        requireOpenGl();
        if (context_ != nullptr && context_ != target.context) {
            // Its objects went with the context, or are out of reach.
            static_cast<void>(readback_.release());
            new ScaledPicture(std::move(picture_));
        }
        context_ = target.context;
        readback_.reset();
        picture_ = {};
        const unsigned framebuffer = scaled() ? makePicture(width, height) : 0;
        format_ = tightFormat(width, height, FrameReadback::preferredFormat(framebuffer));
        format_.frameRate = settings_.fps;
        format_.timeBase = {1, 1'000'000};
        if (!pool_ || pool_->slotBytes() < format_.payloadBytes) {
            pool_ = FramePool::create({.slotBytes = format_.payloadBytes,
                                       .slotCount = settings_.sender.slots + kExtraSlots +
                                                    (settings_.sender.preview ? kPreviewSlots : 0)});
        }
        // The default framebuffer is the program's: nothing is drawn into it to measure. The ring holds the
        // program up for less long wherever reading is asynchronous.
        readback_ =
            std::make_unique<FrameReadback>(format_, scaled() ? RowOrder::TopFirst : RowOrder::BottomFirst,
                                            ReadbackPath::Ring, framebuffer, *pool_);
        if (!settings_.quiet) {
            say(fmt::format("sending {}", describe(format_)));
        }
    }

    static void requireOpenGl() {
        const int version = epoxy_gl_version();
        if (version < (epoxy_is_desktop_gl() ? 32 : 30)) {
            throw Error(
                ErrorKind::Display,
                fmt::format("the program uses OpenGL{} {}.{}: reading back without holding it up needs "
                            "OpenGL 3.2 or OpenGL ES 3.0",
                            epoxy_is_desktop_gl() ? "" : " ES", version / 10, version % 10));
        }
    }

    unsigned makePicture(std::uint32_t width, std::uint32_t height) {
        GLint texture = 0;
        glGetIntegerv(GL_TEXTURE_BINDING_2D, &texture);
        picture_ = {GlTexture::create(), GlFramebuffer::create()};
        glBindTexture(GL_TEXTURE_2D, picture_.texture.get());
        glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, static_cast<GLsizei>(width), static_cast<GLsizei>(height));
        glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(texture));
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, picture_.framebuffer.get());
        glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                               picture_.texture.get(), 0);
        return picture_.framebuffer.get();
    }

    /// The framebuffer to read: the program's own, or ours with the picture scaled into it.
    unsigned draw(const SwapTarget& target) {
        if (!scaled()) {
            return 0;
        }
        glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, picture_.framebuffer.get());
        // Upside down, so that its first row is the top.
        glBlitFramebuffer(0, 0, static_cast<GLint>(target.width), static_cast<GLint>(target.height), 0,
                          static_cast<GLint>(format_.height), static_cast<GLint>(format_.width), 0,
                          GL_COLOR_BUFFER_BIT, GL_LINEAR);
        return picture_.framebuffer.get();
    }

    void submit(ReadbackFrame&& frame) {
        if (frame.lease.pool() != pool_) {
            return;  // of the size before
        }
        FrameInfo info;
        info.pts = frame.stamp.pts;
        info.capturedAt = frame.stamp.capturedAt;
        info.flags = frame.damaged ? kFrameDamaged : 0U;
        if (sender_.receiverCount() == 0 && sender_.previewWatched()) {
            sender_.submitPreview(std::move(frame.lease), format_, info);
            return;
        }
        if (sender_.submit(std::move(frame.lease), format_, info, never_) == Status::Ok && !told_) {
            told_ = true;
            tell(RunStatus::Captured);
        }
    }

    void tell(RunStatus status) const {
        const char byte = static_cast<char>(status);
        [[maybe_unused]] const auto written = ::write(settings_.statusDescriptor, &byte, 1);
    }

    RunSettings settings_;
    FrameSender sender_;
    std::unique_ptr<StatsStream> figures_;  // null when nobody asked for it
    Event never_;
    const void* context_ = nullptr;
    std::uint64_t surface_ = 0;
    VideoFormat format_;
    std::shared_ptr<FramePool> pool_;  // shared with the frames in flight
    std::unique_ptr<FrameReadback> readback_;
    ScaledPicture picture_;
    TimestampNs due_ = 0, lastSwap_ = 0, interval_ = 0;
    std::uint64_t number_ = 0;
    bool told_ = false;
};

SwapCapture::SwapCapture(const RunSettings& settings) : impl_(std::make_unique<Impl>(settings)) {}
SwapCapture::~SwapCapture() = default;

namespace {

/// Runs work(); when it fails, says so and lets go of what it works on.
template <typename Impl, typename Work>
void orLetGo(std::unique_ptr<Impl>& impl, Work&& work) noexcept {
    if (!impl) {
        return;
    }
    try {
        work();
    } catch (const std::exception& error) {
        impl->say(fmt::format("{}; the program runs on, and nothing more is sent", error.what()));
        // Its OpenGL objects may belong to a context that is not current: they end with the program.
        static_cast<void>(impl.release());
    }
}

}  // namespace

void SwapCapture::beforeSwap(const SwapTarget& target) noexcept {
    orLetGo(impl_, [&] { impl_->beforeSwap(target); });
}
void SwapCapture::afterSwap(const SwapTarget& target) noexcept {
    orLetGo(impl_, [&] { impl_->afterSwap(target); });
}
void SwapCapture::finish() noexcept {
    orLetGo(impl_, [&] { impl_->finish(); });
}

}  // namespace verbcast
