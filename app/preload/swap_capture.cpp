#include "app/preload/swap_capture.h"

#include <epoxy/gl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "app/preload/drawing_start.h"
#include "app/preload/presented_picture.h"
#include "app/preload/program_stream.h"
#include "app/preload/told_changes.h"
#include "core/base/os/standard_streams.h"
#include "core/gpu/gl_sharing.h"
#include "render/gl/gl_handles.h"
#include "render/gl/gl_renderer.h"
#include "render/gl/gl_state_guard.h"
#include "render/readback/frame_readback.h"

namespace verbcast {
namespace {

using namespace std::chrono_literals;

/// A context that has not swapped for so long is not waited for. While several swap a window in turn, one is
/// enough: each would need a ring of its own.
constexpr TimestampNs kTurn = 1'000'000'000;
/// Waits this long for the picture of a program that draws on demand: no later swap might fetch it.
constexpr auto kPatience = 20ms;
/// Beyond those that the sender holds: one being read and one waiting for its turn.
constexpr std::uint32_t kExtraSlots = FrameReadback::kDepth + 1;

/// Selects the back buffer of the program's window for reading, and restores the program's choice. Use within
/// a GlStateGuard, which keeps the bindings.
class BackBufferGuard {
  public:
    BackBufferGuard() {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
        glGetIntegerv(GL_READ_BUFFER, &readBuffer_);
        glReadBuffer(GL_BACK);
    }
    ~BackBufferGuard() {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
        glReadBuffer(static_cast<GLenum>(readBuffer_));
    }
    BackBufferGuard(const BackBufferGuard&) = delete;
    BackBufferGuard& operator=(const BackBufferGuard&) = delete;

  private:
    GLint readBuffer_ = 0;
};

/// Our own framebuffer in the program's context.
struct OwnPicture {
    GlTexture texture;
    GlFramebuffer framebuffer;
};

}  // namespace

class SwapCapture::Impl {
  public:
    explicit Impl(const RunSettings& settings) : settings_(settings), stream_(settings) {
        mention(settings_.options.sender.listen
                    ? fmt::format("this program's pictures can be viewed at {}",
                                  fmt::join(stream_.listenAddresses(), ", "))
                    : fmt::format("this program's pictures go to {}", settings_.options.sender.url.text()));
    }

    bool beforeSwap(const SwapTarget& target) {
        if (!turnsTo(target)) {
            return false;
        }
        const TimestampNs now = nowNs();
        interval_ = now - std::exchange(lastSwap_, now);
        if (!stream_.repainter().watched()) {
            changes_.forget();
            return false;
        }
        changes_.swapped(target.changes());
        stream_.repainter().shown(now);
        if (now >= due_ && (lossless() || !stream_.behind())) {
            begin(target, now);
        }
        return presented_ && presented_->expected();
    }

    void presents(const PresentedImage& image) { presented_->presents(image); }

    void afterSwap(const SwapTarget& target) {
        if (taker_ != std::this_thread::get_id() || taken_ != target.surface()) {
            return;  // another's, or a swap within a swap
        }
        if (presented_) {
            if (std::optional<ReadbackFrame> frame = presented_->swapped()) {
                submit(std::move(*frame));
            }
        }
        if (readback_ && readback_->pending() > 0 && target.context() == context_ && !contextGone_) {
            const GlStateGuard guard;
            while (submitOne(interval_ > kDrawsOnDemand ? kPatience : 0ms)) {
            }
        }
        if (settings_.options.sender.allowInput) {
            drawingStart_.swapped();
        }
        taker_ = std::thread::id();
    }

    void closed(std::uint64_t surface) { surface_.compare_exchange_strong(surface, kNone); }
    void contextDestroyed(const void* context) {
        if (context_ == context) {
            contextGone_ = true;
        }
    }
    void displayEnded(std::span<const std::uint64_t> surfaces) {
        if (std::ranges::find(surfaces, surface_.load()) != surfaces.end()) {
            surface_ = kNone;
            contextGone_ = context_ != nullptr;
        }
    }

    void finish() { stream_.finish(); }

    void giveUp(const std::string& reason) noexcept {
        say(fmt::format("{}; the program continues, but nothing more is sent", reason));
        stream_.giveUp(reason);
    }

    static void say(const std::string& text) { printToStderr("verbcast: {}\n", text); }
    void mention(const std::string& text) const {
        if (settings_.options.verbosity != Verbosity::Quiet) {
            say(text);
        }
    }

  private:
    bool lossless() const { return settings_.options.sender.policy == Policy::Lossless; }

    /// Whether this surface is the one that is sent, or has now become it. Then this thread is the taker
    /// until afterSwap(). Never waits for another thread: only while one surface follows another can there be
    /// two.
    bool turnsTo(const SwapTarget& target) {
        const std::uint64_t surface = target.surface();
        if (surface == kNone) {
            return false;
        }
        if (surface_ != surface && !mayFollow(target)) {
            stream_.repainter().alsoShows(target.window());
            return false;
        }
        std::thread::id taker;
        const bool takes = taker_.compare_exchange_strong(taker, std::this_thread::get_id());
        // The second: this thread's last swap never returned (longjmp).
        if (!takes && (taker != std::this_thread::get_id() || taken_ != surface)) {
            return false;
        }
        taken_ = surface;
        if (surface_ == surface) {
            return true;
        }
        if (!mayFollow(target)) {
            taker_ = std::thread::id();
            return false;
        }
        follow(target);
        return true;
    }
    bool mayFollow(const SwapTarget& target) const {
        return target.isRead() && (surface_ == kNone || stream_.repainter().isNext(target.window()));
    }

    /// Starts everything that needs the surface's window.
    void follow(const SwapTarget& target) {
        if (context_ != nullptr) {
            mention("the program shows another window: from now on its pictures are sent");
            if (contextGone_ || context_ != target.context()) {
                letGoOfContext();
            }
            size_ = {};  // everything that depends on the window is made anew
        }
        stream_.begin(target.window());
        surface_ = target.surface();
    }
    /// Its objects died with it, or are out of reach.
    void letGoOfContext() {
        context_ = nullptr;
        contextGone_ = false;
        presented_.reset();
        changes_.forget();
        if (readback_) {
            readback_->abandon();
            static_cast<void>(readback_.release());
        }
        new OwnPicture(std::move(picture_));
        new OwnPicture(std::move(opaque_));
        new OwnPicture(std::move(resolved_));
    }

    /// Starts to read the picture, if there is a slot for it.
    void begin(const SwapTarget& target, TimestampNs now) {
        if (!target.isRead() || !isItsTurn(target.context(), now)) {
            return;
        }
        const auto [width, height] = target.size();
        if (width == 0 || height == 0) {
            return;
        }
        const bool isNew = !isPrepared(target.context(), {width, height});
        if (isNew) {
            requireOpenGl();
        }
        due_ = std::max(due_ + period(), now - period());
        const std::uint64_t shown =
            settings_.options.sender.allowInput ? stream_.inputLog().shownBy(drawingStart_.at(now)) : 0;
        const GlStateGuard guard;
        const BackBufferGuard backBuffer;
        if (isNew) {
            prepare(target, {width, height});
        }
        auto lease = lossless() ? stream_.acquire(*pool_) : pool_->tryAcquire();
        if (!lease) {
            return;
        }
        const ReadbackStamp stamp{number_++, now / 1000, now, shown};
        changes_.reading(stamp.number, width, height);
        if (presented_->proven() && readback_->pending() == 0) {
            presented_->expectInto(std::move(*lease), format_.planes[0].offset, format_.planes[0].stride,
                                   stamp);
            return;
        }
        if (presented_->unproven()) {
            presented_->expectDrawn();
        }
        while (lossless() && readback_->pending() == FrameReadback::kDepth) {
            submitOne(kPatience);
        }
        static_cast<void>(readback_->start(draw(), std::move(*lease), stamp));
    }

    /// Returns false if the oldest picture is not there by then, or there is none.
    bool submitOne(std::chrono::nanoseconds patience) {
        ReadbackFrame frame;
        if (readback_->take(frame, patience) != Status::Ok) {
            return false;
        }
        submit(std::move(frame));
        return true;
    }

    TimestampNs period() const { return static_cast<TimestampNs>(1e9 / settings_.options.rate.value()); }

    /// Size of the pictures that are sent.
    PictureSize wanted() const { return settings_.options.size.value_or(size_); }
    /// Whether they are drawn into a picture of ours first: scaled, or flipped for a GPU, or without alpha,
    /// which the screen does not show either.
    bool drawsOwn() const { return turns() || hasAlpha_; }
    bool turns() const { return wanted() != size_ || gpu_; }

    bool isPrepared(const void* context, PictureSize size) const {
        return context_ == context && !contextGone_ && size_ == size;
    }
    bool isItsTurn(const void* context, TimestampNs now) {
        if (context_ == context || context_ == nullptr || contextGone_) {
            turnAt_ = now;
            return true;
        }
        return now - turnAt_ >= kTurn;
    }

    /// Creates what depends on the context and the picture's size.
    void prepare(const SwapTarget& target, PictureSize size) {
        const void* const context = target.context();
        if (context_ != nullptr && (context_ != context || contextGone_)) {
            letGoOfContext();
        }
        context_ = context;
        size_ = size;
        changes_.forget();
        if (settings_.options.memory == PictureMemory::Device && !readsBack_) {
            try {
                make(target, gpuToUse());
                return;
            } catch (const Error& error) {
                readsBack_ = true;
                mention(fmt::format("pictures are read back, not kept in a GPU's memory: {}", error.what()));
            }
        }
        make(target, std::nullopt);
    }

    static int gpuToUse() {
        if (!epoxy_is_desktop_gl()) {
            throw Error(ErrorKind::Device, "the program uses OpenGL ES");
        }
        return gpuOfGl();
    }

    /// For pictures in that GPU's memory, or in main memory.
    void make(const SwapTarget& target, std::optional<int> gpu) {
        const auto [width, height] = wanted();
        readback_.reset();
        picture_ = {};
        opaque_ = {};
        resolved_ = {};
        gpu_ = gpu;
        const bool hasAlpha = windowHasAlpha();
        hasAlpha_ = hasAlpha && epoxy_is_desktop_gl();
        fillsAlpha_ = hasAlpha && !epoxy_is_desktop_gl();
        const unsigned framebuffer = drawsOwn() ? makePictures(width, height) : 0;
        if (wanted() != size_ && isMultisampled()) {
            resolved_ = makePicture(windowFormat(hasAlpha), size_.width, size_.height);
        }
        presented_.emplace(
            !turns() && target.mayPresentImages() && epoxy_is_desktop_gl() && rendersInSoftware(),
            target.window(), width, height);
        format_ = tightFormat(width, height,
                              gpu_                     ? PixelFormat::rgba
                              : presented_->unproven() ? PixelFormat::bgra
                                                       : PixelReadback::preferredFormat(framebuffer));
        format_.frameRate = settings_.options.rate;
        format_.timeBase = {1, 1'000'000};
        makePool();
        if (gpu_) {
            readback_ = std::make_unique<FrameReadback>(
                registerGlPicture(*gpu_, picture_.texture.get(), width, height), format_.planes[0]);
        } else {
            readback_ =
                std::make_unique<FrameReadback>(format_, turns() ? RowOrder::TopFirst : RowOrder::BottomFirst,
                                                ReadbackPath::Trial, framebuffer, *pool_);
        }
        mention(fmt::format("sending {}{}", describe(format_),
                            gpu_ ? " from the memory of " + pool_->memory()->device()->deviceName() : ""));
    }

    /// Keeps one that fits.
    void makePool() {
        if (pool_ && pool_->slotBytes() >= format_.payloadBytes && poolGpu_ == gpu_) {
            return;
        }
        const auto slots = settings_.options.sender.slots + kExtraSlots +
                           (settings_.options.sender.preview ? kPreviewSlots : 0);
        pool_ = gpu_ ? stream_.makeGpuPool(*gpu_, format_.payloadBytes, slots)
                     : stream_.makePool({.slotBytes = format_.payloadBytes, .slotCount = slots});
        poolGpu_ = gpu_;
    }

    static bool windowHasAlpha() {
        GLint alphaBits = 1;
        glGetFramebufferAttachmentParameteriv(GL_READ_FRAMEBUFFER,
                                              epoxy_is_desktop_gl() ? GL_BACK_LEFT : GL_BACK,
                                              GL_FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE, &alphaBits);
        return alphaBits != 0;
    }

    /// Of the framebuffer that is drawn to.
    static bool isMultisampled() {
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
        GLint buffers = 0;
        glGetIntegerv(GL_SAMPLE_BUFFERS, &buffers);
        return buffers > 0;
    }
    /// OpenGL ES copies multisampled pixels only into those of the same format.
    static GLenum windowFormat(bool hasAlpha) {
        GLint redBits = 8;
        glGetFramebufferAttachmentParameteriv(GL_READ_FRAMEBUFFER,
                                              epoxy_is_desktop_gl() ? GL_BACK_LEFT : GL_BACK,
                                              GL_FRAMEBUFFER_ATTACHMENT_RED_SIZE, &redBits);
        return redBits == 5 ? GL_RGB565 : redBits == 10 ? GL_RGB10_A2 : hasAlpha ? GL_RGBA8 : GL_RGB8;
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

    /// Returns the framebuffer to read. A picture without alpha reads as opaque; CUDA knows none.
    unsigned makePictures(std::uint32_t width, std::uint32_t height) {
        picture_ = makePicture(hasAlpha_ && !gpu_ ? GL_RGB8 : GL_RGBA8, width, height);
        opaque_ = hasAlpha_ && gpu_ ? makePicture(GL_RGB8, width, height) : OwnPicture{};
        return picture_.framebuffer.get();
    }
    static OwnPicture makePicture(GLenum format, std::uint32_t width, std::uint32_t height) {
        GLint texture = 0;
        glGetIntegerv(GL_TEXTURE_BINDING_2D, &texture);
        OwnPicture made{GlTexture::create(), GlFramebuffer::create()};
        glBindTexture(GL_TEXTURE_2D, made.texture.get());
        glTexStorage2D(GL_TEXTURE_2D, 1, format, static_cast<GLsizei>(width), static_cast<GLsizei>(height));
        glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(texture));
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, made.framebuffer.get());
        glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, made.texture.get(),
                               0);
        return made;
    }

    /// The framebuffer to read: the program's own, or ours with the scaled picture.
    unsigned draw() {
        if (!drawsOwn()) {
            return 0;
        }
        const GLuint first = (opaque_.texture.get() != 0 ? opaque_ : picture_).framebuffer.get();
        glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
        if (resolved_.texture.get() != 0) {
            const auto width = static_cast<GLint>(size_.width), height = static_cast<GLint>(size_.height);
            glBindFramebuffer(GL_DRAW_FRAMEBUFFER, resolved_.framebuffer.get());
            glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
            glBindFramebuffer(GL_READ_FRAMEBUFFER, resolved_.framebuffer.get());
        }
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, first);
        const auto width = static_cast<GLint>(format_.width), height = static_cast<GLint>(format_.height);
        // Flipped where that costs nothing, so that its first row is the top.
        glBlitFramebuffer(0, 0, static_cast<GLint>(size_.width), static_cast<GLint>(size_.height), 0,
                          turns() ? height : 0, width, turns() ? 0 : height, GL_COLOR_BUFFER_BIT,
                          turns() ? GL_LINEAR : GL_NEAREST);
        if (first != picture_.framebuffer.get()) {
            glBindFramebuffer(GL_READ_FRAMEBUFFER, first);
            glBindFramebuffer(GL_DRAW_FRAMEBUFFER, picture_.framebuffer.get());
            glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        }
        return picture_.framebuffer.get();
    }

    void fillAlpha(std::byte* payload) const {
        constexpr std::uint32_t kOpaque = 0xFF000000;  // of rgba and bgra, little-endian
        for (std::uint32_t y = 0; y < format_.height; ++y) {
            auto* row = reinterpret_cast<std::uint32_t*>(payload + format_.planes[0].offset +
                                                         std::size_t{y} * format_.planes[0].stride);
            std::transform(row, row + format_.width, row,
                           [](std::uint32_t pixel) { return pixel | kOpaque; });
        }
    }

    void submit(ReadbackFrame&& frame) {
        if (frame.lease.pool() != pool_) {
            return;  // of the previous size
        }
        if (fillsAlpha_) {
            fillAlpha(frame.lease.data());
        }
        FrameInfo info;
        info.pts = frame.stamp.pts;
        info.capturedAt = frame.stamp.capturedAt;
        info.flags = frame.damaged ? kFrameDamaged : 0U;
        info.inputSequence = frame.stamp.inputSequence;
        const PictureChanges changed = changes_.sending(frame.stamp.number);
        if (wanted() == size_) {
            changed.tellIn(info);
        }
        if (frame.damaged) {
            info.rectCount = 0;
            changes_.forget();  // the next picture must not build on this one
        }
        stream_.submit(std::move(frame.lease), format_, info);
        if (frame.stamp.capturedAt == lastSwap_) {
            stream_.repainter().sent();
        }
    }

    RunSettings settings_;
    ProgramStream stream_;
    std::atomic<const void*> context_ = nullptr;
    std::atomic<bool> contextGone_ = false;  // destroyed; another may get its address
    static constexpr std::uint64_t kNone = 0;
    std::atomic<std::uint64_t> surface_{kNone};  // whose pictures are sent
    std::uint64_t taken_ = kNone;                // what the taker swaps; the taker's
    std::atomic<std::thread::id> taker_{};       // the thread that swaps it now; the rest is for that
    PictureSize size_;                           // of the surface
    VideoFormat format_;
    std::optional<int> gpu_;           // whose memory is to hold pictures; nothing: main memory
    std::shared_ptr<FramePool> pool_;  // shared with the frames in flight
    std::optional<int> poolGpu_;
    bool hasAlpha_ = false;  // the window
    // The same in OpenGL ES, which copies no multisampled picture into one of another format.
    bool fillsAlpha_ = false;
    bool readsBack_ = false;  // in spite of PictureMemory::Device
    OwnPicture picture_;
    OwnPicture opaque_;    // before it, if that is the GPU's
    OwnPicture resolved_;  // before these, of a multisampled window that is scaled
    std::unique_ptr<FrameReadback> readback_;
    std::optional<PresentedPicture> presented_;  // made with readback_
    TimestampNs due_ = 0, lastSwap_ = 0, interval_ = 0, turnAt_ = 0;
    std::uint64_t number_ = 0;
    ToldChanges changes_;
    DrawingStart drawingStart_;  // with sender.allowInput
};

SwapCapture::SwapCapture(const RunSettings& settings) : impl_(new Impl(settings)) {}

namespace {

/// Runs work(impl); if that fails, reports it and drops the impl.
template <typename Impl, typename Work>
void orLetGo(std::atomic<Impl*>& impl, Work&& work) noexcept {
    Impl* const working = impl;
    if (working == nullptr) {
        return;
    }
    try {
        work(*working);
    } catch (const std::exception& error) {
        if (impl.exchange(nullptr) != nullptr) {
            working->giveUp(error.what());
        }
        // Leaked until the program ends: other threads may be in it, and its OpenGL objects belong to a
        // context that need not be current.
    }
}

}  // namespace

bool SwapCapture::beforeSwap(const SwapTarget& target) noexcept {
    bool expectsImage = false;
    orLetGo(impl_, [&](Impl& impl) { expectsImage = impl.beforeSwap(target); });
    return expectsImage;
}
void SwapCapture::presents(const PresentedImage& image) noexcept {
    orLetGo(impl_, [&](Impl& impl) { impl.presents(image); });
}
void SwapCapture::afterSwap(const SwapTarget& target) noexcept {
    orLetGo(impl_, [&](Impl& impl) { impl.afterSwap(target); });
}
void SwapCapture::closed(std::uint64_t surface) noexcept {
    orLetGo(impl_, [&](Impl& impl) { impl.closed(surface); });
}
void SwapCapture::contextDestroyed(const void* context) noexcept {
    orLetGo(impl_, [&](Impl& impl) { impl.contextDestroyed(context); });
}
void SwapCapture::displayEnded(std::span<const std::uint64_t> surfaces) noexcept {
    orLetGo(impl_, [&](Impl& impl) { impl.displayEnded(surfaces); });
}
void SwapCapture::finish() noexcept {
    orLetGo(impl_, [](Impl& impl) { impl.finish(); });
}

}  // namespace verbcast
