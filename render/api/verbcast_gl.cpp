// The C interface on PixelReadback and libverbcast's own C interface: pictures are read straight into the
// places that vc_frame_acquire() gives.
#include "render/api/verbcast_gl.h"

#include <dlfcn.h>
#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/api/sized_struct.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "render/gl_handles.h"
#include "render/gl_state_guard.h"
#include "render/pixel_readback.h"

using namespace verbcast;

template <>
struct verbcast::SizedStruct<vc_gl_options> {
    static constexpr const char* kName = "vc_gl_options";
    static constexpr const char* kInitialiser = "VC_GL_OPTIONS_INIT";
    static constexpr std::size_t kLeastSize = offsetof(vc_gl_options, fps_numerator);
};

namespace {

/// libverbcast has said what is wrong; vc_error() holds it.
struct SaidAlready {};

/// Runs work(); whatever it throws is told by vc_error() and `failed` returned.
template <typename Result, typename Work>
Result guarded(Result failed, Work&& work) noexcept {
    try {
        vc_set_error("");
        return work();
    } catch (const SaidAlready&) {
    } catch (const Error& error) {
        vc_set_error(error.remedy().empty()
                         ? error.what()
                         : fmt::format("{}; try: {}", error.what(), error.remedy()).c_str());
    } catch (const std::exception& error) {
        vc_set_error(error.what());
    }
    return failed;
}

void require(bool condition, const char* what) {
    if (!condition) {
        throw Error(ErrorKind::Usage, what);
    }
}

/// The context that is current on this thread, by EGL or GLX; null for none. Asked of the libraries that the
/// program has loaded, since libepoxy ends the process when there is none.
const void* currentContext() {
    struct Source {
        const char* library;
        const char* function;
    };
    static constexpr Source kSources[] = {{"libEGL.so.1", "eglGetCurrentContext"},
                                          {"libGLX.so.0", "glXGetCurrentContext"},
                                          {"libGL.so.1", "glXGetCurrentContext"}};
    for (const Source& source : kSources) {
        void* library = dlopen(source.library, RTLD_LAZY | RTLD_NOLOAD);
        if (library == nullptr) {
            continue;
        }
        using Function = void* (*)();
        const auto function = reinterpret_cast<Function>(dlsym(library, source.function));
        const void* context = function != nullptr ? function() : nullptr;
        dlclose(library);  // it was loaded before, and stays
        if (context != nullptr) {
            return context;
        }
    }
    return nullptr;
}

void requireOpenGl() {
    require(currentContext() != nullptr, "no OpenGL context is current on this thread");
    const int version = epoxy_gl_version();
    if (version < (epoxy_is_desktop_gl() ? 32 : 30)) {
        throw Error(ErrorKind::Display,
                    fmt::format("OpenGL{} {}.{} is current: 3.2, or OpenGL ES 3.0, is needed",
                                epoxy_is_desktop_gl() ? "" : " ES", version / 10, version % 10));
    }
}

void clearErrors() {
    for (int i = 0; i < 16 && glGetError() != GL_NO_ERROR; ++i) {
    }
}

/// Until then a call may wait.
class Deadline {
  public:
    explicit Deadline(int milliseconds)
        : endless_(milliseconds < 0), at_(nowNs() + std::int64_t{std::max(0, milliseconds)} * 1'000'000) {}
    std::chrono::nanoseconds left() const {
        return std::chrono::nanoseconds(endless_ ? kLongNs : std::max<std::int64_t>(0, at_ - nowNs()));
    }
    int leftMs() const { return endless_ ? -1 : static_cast<int>((left().count() + 999'999) / 1'000'000); }

  private:
    static constexpr std::int64_t kLongNs = 3'600'000'000'000;
    bool endless_;
    std::int64_t at_;
};

/// What must be deleted with its context current.
struct GlParts {
    GlFramebuffer framebuffer;  ///< to which textures are attached for reading
    std::unique_ptr<PixelReadback> readback;
};

}  // namespace

/// What a vc_gl points to.
struct vc_gl {
    vc_gl(vc_sender* to, const vc_gl_options& options);
    ~vc_gl();
    vc_gl(const vc_gl&) = delete;
    vc_gl& operator=(const vc_gl&) = delete;

    vc_status sendTexture(GLuint texture, std::uint64_t inputSerial, const Deadline& deadline);
    vc_status sendFramebuffer(GLuint framebuffer, std::uint64_t inputSerial, const Deadline& deadline);
    vc_status finish(const Deadline& deadline);
    void requireContext() const {
        require(currentContext() == context, "the OpenGL context of vc_gl_open() is not current");
    }

    vc_sender* sender;
    const void* context;
    std::string description;

  private:
    static constexpr std::size_t kDepth = PixelReadback::kDepth;

    vc_status send(GLuint framebuffer, std::uint64_t inputSerial, const Deadline& deadline);
    vc_status acquire(vc_frame& frame, const Deadline& deadline);
    vc_status submitOldest(const Deadline& deadline);
    vc_status submitWhole();
    void attach(GLuint texture) const;
    void checkSize(GLuint texture) const;

    VideoFormat format_;
    GlParts gl_;
    std::array<vc_frame, kDepth> frames_{};  // those of the pictures on their way, in step with the read-back
    std::size_t oldest_ = 0;
    std::int64_t nextPts_ = 0;
    std::optional<vc_frame> whole_;  // read, and not taken by any receiver yet
};

namespace {

/// A framebuffer of that size to measure with.
struct Scratch {
    GlRenderbuffer colour = GlRenderbuffer::create();
    GlFramebuffer framebuffer = GlFramebuffer::create();

    Scratch(GLsizei width, GLsizei height) {
        GLint before = 0;
        glGetIntegerv(GL_RENDERBUFFER_BINDING, &before);
        glBindRenderbuffer(GL_RENDERBUFFER, colour.get());
        glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
        glBindRenderbuffer(GL_RENDERBUFFER, static_cast<GLuint>(before));
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer.get());
        glFramebufferRenderbuffer(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour.get());
        if (glCheckFramebufferStatus(GL_DRAW_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
            throw Error(ErrorKind::Display,
                        fmt::format("this OpenGL cannot draw pictures of {}x{}", width, height),
                        "send smaller pictures");
        }
    }
};

ReadbackPath pathFrom(vc_read_path path) {
    return path == VC_READ_DIRECT     ? ReadbackPath::Direct
           : path == VC_READ_BUFFERED ? ReadbackPath::Ring
                                      : ReadbackPath::Measure;
}

void checkLimits(const VideoFormat& format) {
    GLint most = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most);
    if (std::max(format.width, format.height) > static_cast<std::uint32_t>(most)) {
        throw Error(ErrorKind::Display,
                    fmt::format("this OpenGL draws at most {} pixels on a side, {}x{} is "
                                "asked for",
                                most, format.width, format.height),
                    "send smaller pictures");
    }
}

}  // namespace

vc_gl::vc_gl(vc_sender* to, const vc_gl_options& options)
    : sender(to),
      context(currentContext()),
      format_(tightFormat(options.width, options.height, PixelFormat::rgba)) {
    checkLimits(format_);
    const GlStateGuard guard;
    const Scratch scratch(static_cast<GLsizei>(format_.width), static_cast<GLsizei>(format_.height));
    format_ =
        tightFormat(format_.width, format_.height, PixelReadback::preferredFormat(scratch.framebuffer.get()));
    const bool rateGiven = options.fps_numerator != 0 || options.fps_denominator != 0;
    if (vc_sender_format(sender, std::string(pixelFormatName(format_.pixelFormat)).c_str(), format_.width,
                         format_.height, rateGiven ? options.fps_numerator : 60,
                         rateGiven ? options.fps_denominator : 1) != VC_OK) {
        throw SaidAlready();
    }
    vc_frame place = VC_FRAME_INIT;
    if (const vc_status status = vc_frame_acquire(sender, &place, 10'000); status != VC_OK) {
        require(status == VC_ERROR, "all places of the sender's ring are taken");
        throw SaidAlready();
    }
    const std::unique_ptr<vc_frame, void (*)(vc_frame*)> giveBack(
        &place, [](vc_frame* frame) { vc_frame_discard(nullptr, frame); });
    format_.planes[0] = {.offset = 0, .stride = place.strides[0]};
    gl_.framebuffer = GlFramebuffer::create();
    gl_.readback = std::make_unique<PixelReadback>(
        format_, options.rows == VC_TOP_FIRST ? RowOrder::TopFirst : RowOrder::BottomFirst,
        pathFrom(options.path), scratch.framebuffer.get(), reinterpret_cast<std::byte*>(place.planes[0]));
    const ReadbackReport& report = gl_.readback->report();
    description = fmt::format(
        "{}: {}",
        report.path == ReadbackPath::Direct ? "straight into the ring" : "through a ring of pixel buffers",
        report.reason);
}

vc_gl::~vc_gl() {
    for (vc_frame& frame : frames_) {
        vc_frame_discard(sender, &frame);
    }
    if (whole_) {
        vc_frame_discard(sender, &*whole_);
    }
    if (currentContext() != context) {
        // Out of reach: its objects end with their context.
        new GlParts(std::move(gl_));
    }
}

vc_status vc_gl::sendTexture(GLuint texture, std::uint64_t inputSerial, const Deadline& deadline) {
    const GlStateGuard guard;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, gl_.framebuffer.get());
    attach(texture);
    const vc_status status = send(gl_.framebuffer.get(), inputSerial, deadline);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, gl_.framebuffer.get());
    glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, 0, 0);
    return status;
}

vc_status vc_gl::sendFramebuffer(GLuint framebuffer, std::uint64_t inputSerial, const Deadline& deadline) {
    const GlStateGuard guard;
    const bool known = framebuffer == 0 || glIsFramebuffer(framebuffer) == GL_TRUE;
    if (known) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    }
    if (!known || glCheckFramebufferStatus(GL_READ_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        throw Error(ErrorKind::Usage, fmt::format("framebuffer {} cannot be read", framebuffer),
                    "give one that is complete and belongs to the current context");
    }
    return send(framebuffer, inputSerial, deadline);
}

/// To the framebuffer that is bound for reading.
void vc_gl::attach(GLuint texture) const {
    const bool known = texture != 0 && glIsTexture(texture) == GL_TRUE;
    if (known) {
        glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    }
    if (!known || glCheckFramebufferStatus(GL_READ_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        clearErrors();
        throw Error(ErrorKind::Usage, fmt::format("texture {} cannot be read", texture),
                    "give a two-dimensional texture of the current context, with colours that OpenGL can "
                    "draw into");
    }
    checkSize(texture);
}

/// Reading beyond a texture's edge would give anything. OpenGL ES before 3.1 does not tell the size.
void vc_gl::checkSize(GLuint texture) const {
    if (!epoxy_is_desktop_gl() && epoxy_gl_version() < 31) {
        return;
    }
    GLint before = 0, width = 0, height = 0;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &before);
    glBindTexture(GL_TEXTURE_2D, texture);
    glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &width);
    glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_HEIGHT, &height);
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(before));
    if (static_cast<std::uint32_t>(width) < format_.width ||
        static_cast<std::uint32_t>(height) < format_.height) {
        throw Error(ErrorKind::Usage, fmt::format("texture {} has {}x{} pixels, {}x{} are to be sent",
                                                  texture, width, height, format_.width, format_.height));
    }
}

vc_status vc_gl::send(GLuint framebuffer, std::uint64_t inputSerial, const Deadline& deadline) {
    if (vc_sender_receivers(sender) == 0) {
        return VC_BUSY;
    }
    vc_frame frame = VC_FRAME_INIT;
    if (const vc_status status = acquire(frame, deadline); status != VC_OK) {
        return status;
    }
    // Acquired before those on their way are submitted, it has a number that they may have, too.
    frame.pts = nextPts_ = std::max(nextPts_, frame.pts);
    ++nextPts_;
    frame.input_serial = inputSerial;
    frames_[(oldest_ + gl_.readback->pending()) % kDepth] = frame;
    // acquire() has made room.
    static_cast<void>(gl_.readback->start(framebuffer, reinterpret_cast<std::byte*>(frame.planes[0])));
    const vc_status status = submitWhole();
    return status == VC_BUSY ? VC_OK : status;  // taken all the same: it leaves with a later call
}

/// A place in the ring, and one in the read-back.
vc_status vc_gl::acquire(vc_frame& frame, const Deadline& deadline) {
    if (const vc_status status = submitWhole(); status != VC_OK) {
        return status;
    }
    while (gl_.readback->pending() == kDepth) {
        if (const vc_status status = submitOldest(deadline); status != VC_OK) {
            return status;
        }
    }
    for (;;) {
        // Pictures on their way hold places that nobody else gives back.
        const bool last = gl_.readback->pending() == 0;
        vc_status status = vc_frame_acquire(sender, &frame, last ? deadline.leftMs() : 0);
        if (status == VC_ERROR) {
            throw SaidAlready();
        }
        if (status == VC_OK || last) {
            return status;
        }
        if (status = submitOldest(deadline); status != VC_OK) {
            return status;
        }
    }
}

/// All that are there. VC_BUSY: nobody takes them.
vc_status vc_gl::submitWhole() {
    const Deadline now(0);
    vc_status status = VC_OK;
    while (status == VC_OK && (whole_ || gl_.readback->pending() > 0)) {
        status = submitOldest(now);
    }
    return status == VC_TIMEOUT ? VC_OK : status;
}

vc_status vc_gl::submitOldest(const Deadline& deadline) {
    if (!whole_) {
        bool damaged = false;
        if (gl_.readback->take(damaged, deadline.left()) != Status::Ok) {
            return VC_TIMEOUT;
        }
        whole_ = std::exchange(frames_[oldest_], vc_frame{});
        oldest_ = (oldest_ + 1) % kDepth;
        if (damaged) {
            vc_frame_discard(sender, &*whole_);
            whole_.reset();
            return VC_OK;
        }
    }
    const vc_status status = vc_frame_submit(sender, &*whole_);
    if (status == VC_ERROR) {
        throw SaidAlready();
    }
    if (status != VC_BUSY) {
        whole_.reset();
    }
    return status;
}

vc_status vc_gl::finish(const Deadline& deadline) {
    const GlStateGuard guard;
    while (whole_ || gl_.readback->pending() > 0) {
        if (const vc_status status = submitOldest(deadline); status != VC_OK) {
            return status;
        }
    }
    return VC_OK;
}

extern "C" {

vc_gl* vc_gl_open(vc_sender* sender, const vc_gl_options* options) {
    return guarded<vc_gl*>(nullptr, [&] {
        require(sender != nullptr && options != nullptr,
                "vc_gl_open: a sender and options expected, NULL given");
        requireOpenGl();
        return new vc_gl(sender, readSized(options));
    });
}

void vc_gl_close(vc_gl* gl) {
    delete gl;
}

const char* vc_gl_description(vc_gl* gl) {
    return gl != nullptr ? gl->description.c_str() : "";
}

vc_status vc_gl_send_texture(vc_gl* gl, uint32_t texture, uint64_t input_serial, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        require(gl != nullptr, "vc_gl_send_texture: a vc_gl expected, NULL given");
        gl->requireContext();
        return gl->sendTexture(texture, input_serial, Deadline(timeout_ms));
    });
}

vc_status vc_gl_send_framebuffer(vc_gl* gl, uint32_t framebuffer, uint64_t input_serial, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        require(gl != nullptr, "vc_gl_send_framebuffer: a vc_gl expected, NULL given");
        gl->requireContext();
        return gl->sendFramebuffer(framebuffer, input_serial, Deadline(timeout_ms));
    });
}

vc_status vc_gl_finish(vc_gl* gl, int timeout_ms) {
    return guarded(VC_ERROR, [&] {
        require(gl != nullptr, "vc_gl_finish: a vc_gl expected, NULL given");
        gl->requireContext();
        return gl->finish(Deadline(timeout_ms));
    });
}

}  // extern "C"
