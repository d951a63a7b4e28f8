#include "render/api/picture_sender.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "render/gl/gl_state_guard.h"

using namespace verbcast;

namespace {

/// OpenGL is asked to wait no longer than this.
constexpr std::chrono::nanoseconds kLongest = std::chrono::hours(1);

/// The context current on this thread, by EGL or GLX; null if none. Asks the libraries that the program has
/// loaded, because libepoxy aborts the process if there is none.
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
        dlclose(library);  // it was loaded before and stays loaded
        if (context != nullptr) {
            return context;
        }
    }
    return nullptr;
}

/// Returns the current context. Throws Error{Usage} if there is none, Error{Display} if it is too old.
const void* usableContext() {
    const void* const context = currentContext();
    require(context != nullptr, "no OpenGL context is current on this thread");
    const int version = epoxy_gl_version();
    if (version < (epoxy_is_desktop_gl() ? 32 : 30)) {
        throw Error(ErrorKind::Display,
                    fmt::format("OpenGL{} {}.{} is current: 3.2, or OpenGL ES 3.0, is needed",
                                epoxy_is_desktop_gl() ? "" : " ES", version / 10, version % 10));
    }
    return context;
}

int millisecondsLeft(const Deadline& deadline) {
    return deadline.isNever() ? -1 : static_cast<int>((deadline.left().count() + 999'999) / 1'000'000);
}

/// A framebuffer of this size for measuring.
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
      context(usableContext()),
      format_(tightFormat(options.width, options.height, PixelFormat::rgba)) {
    checkLimits(format_);
    const GlStateGuard guard;
    const Scratch scratch(static_cast<GLsizei>(format_.width), static_cast<GLsizei>(format_.height));
    format_ =
        tightFormat(format_.width, format_.height, PixelReadback::preferredFormat(scratch.framebuffer.get()));
    const bool rateGiven = options.fps_numerator != 0 || options.fps_denominator != 0;
    require(!rateGiven || (options.fps_numerator > 0 && options.fps_denominator > 0),
            "vc_gl_options: the frame rate must be above 0");
    vc_video_format sent = VC_INIT(vc_video_format);
    sent.pixel_format = static_cast<vc_pixel_format>(format_.pixelFormat);
    sent.width = format_.width;
    sent.height = format_.height;
    sent.frame_rate = {options.fps_numerator, options.fps_denominator};
    if (vc_sender_set_format(sender, VC_PICTURE_TRACK, &sent) != VC_OK) {
        throw SaidAlready();
    }
    vc_slot place = VC_INIT(vc_slot);
    if (const vc_status status = vc_sender_acquire(sender, VC_PICTURE_TRACK, &place, 10'000);
        status != VC_OK) {
        require(status == VC_ERROR, "all slots of the sender's ring are in use");
        throw SaidAlready();
    }
    const std::unique_ptr<vc_slot, void (*)(vc_slot*)> giveBack(&place, &vc_slot_discard);
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
    for (vc_slot& slot : slots_) {
        vc_slot_discard(&slot);
    }
    if (whole_) {
        vc_slot_discard(&*whole_);
    }
    if (currentContext() != context) {
        // Its objects are out of reach and die with their context. Without memory here the program ends.
        new GlParts(std::move(gl_));  // NOLINT(bugprone-unhandled-exception-at-new)
    }
}

void vc_gl::requireContext() const {
    require(currentContext() == context, "the OpenGL context of vc_gl_open() is not current");
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

/// Attaches it to the framebuffer bound for reading.
void vc_gl::attach(GLuint texture) const {
    const bool known = texture != 0 && glIsTexture(texture) == GL_TRUE;
    if (known) {
        glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    }
    if (!known || glCheckFramebufferStatus(GL_READ_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        forgetGlErrors();
        throw Error(ErrorKind::Usage, fmt::format("texture {} cannot be read", texture),
                    "give a two-dimensional texture of the current context, with colours that OpenGL can "
                    "draw into");
    }
    checkSize(texture);
}

/// Reads beyond a texture's edge are undefined. OpenGL ES before 3.1 does not tell the size.
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
    if (vc_sender_viewers(sender) == 0) {
        return VC_BUSY;
    }
    vc_slot slot = VC_INIT(vc_slot);
    if (const vc_status status = acquire(slot, deadline); status != VC_OK) {
        return status;
    }
    // Acquired before the pending ones are submitted, so its number may be one of theirs.
    slot.pts = nextPts_ = std::max(nextPts_, slot.pts);
    ++nextPts_;
    slot.input_serial = inputSerial;
    slots_[(oldest_ + gl_.readback->pending()) % kDepth] = slot;
    // acquire() made room.
    static_cast<void>(gl_.readback->start(framebuffer, reinterpret_cast<std::byte*>(slot.planes[0])));
    const vc_status status = submitWhole();
    return status == VC_BUSY ? VC_OK : status;  // accepted all the same: a later call sends it
}

/// Gets a slot of the ring and room in the readback.
vc_status vc_gl::acquire(vc_slot& slot, const Deadline& deadline) {
    if (const vc_status status = submitWhole(); status != VC_OK) {
        return status;
    }
    while (gl_.readback->pending() == kDepth) {
        if (const vc_status status = submitOldest(deadline); status != VC_OK) {
            return status;
        }
    }
    for (;;) {
        // Pending pictures hold slots that only we give back.
        const bool last = gl_.readback->pending() == 0;
        vc_status status =
            vc_sender_acquire(sender, VC_PICTURE_TRACK, &slot, last ? millisecondsLeft(deadline) : 0);
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

/// Submits all that have been read. VC_BUSY: there is no receiver.
vc_status vc_gl::submitWhole() {
    const Deadline now = Deadline::in(std::chrono::nanoseconds(0));
    vc_status status = VC_OK;
    while (status == VC_OK && (whole_ || gl_.readback->pending() > 0)) {
        status = submitOldest(now);
    }
    return status == VC_TIMEOUT ? VC_OK : status;
}

vc_status vc_gl::submitOldest(const Deadline& deadline) {
    if (!whole_) {
        bool damaged = false;
        if (gl_.readback->take(damaged, std::min(deadline.left(), kLongest)) != Status::Ok) {
            return VC_TIMEOUT;
        }
        whole_ = std::exchange(slots_[oldest_], vc_slot{});
        oldest_ = (oldest_ + 1) % kDepth;
        if (damaged) {
            vc_slot_discard(&*whole_);
            whole_.reset();
            return VC_OK;
        }
    }
    const vc_status status = vc_sender_submit(sender, &*whole_);
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
