// The bytes of every rendered frame pass through here.
//
// Direct: glReadPixels into the slot; the driver makes the only copy, and the caller waits for it.
// Ring:   glReadPixels into a pixel-pack buffer, which the driver fills in the background while the next
//         picture is drawn; after its fence we copy once, from the mapped buffer into the slot.
//
// Software drivers do nothing in the background, so Direct saves them that copy.
// `render_bench` shows both against memcpy.
#include "render/readback/pixel_readback.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "core/base/log/log.h"
#include "core/base/os/clock.h"

namespace verbcast {
namespace {

constexpr int kWarmUpReads = 2;
constexpr std::size_t kMeasuredReads = 8;
// Very large pictures take long, but then so do their differences.
constexpr TimestampNs kMeasuredNs = 500'000'000;
constexpr std::size_t kFewestReads = 3;

/// Binds a framebuffer for reading and restores the previous one.
class ReadScope {
  public:
    explicit ReadScope(GLuint framebuffer) {
        glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &before_);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    }
    ReadScope(const ReadScope&) = delete;
    ReadScope& operator=(const ReadScope&) = delete;
    ~ReadScope() { glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(before_)); }

  private:
    GLint before_ = 0;
};

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double millisecondsSince(TimestampNs start) {
    return static_cast<double>(nowNs() - start) * 1e-6;
}

/// Draws something new and waits for it, so that only reading is measured.
void redraw(GLuint framebuffer, int turn) {
    GLint before = 0;
    std::array<GLfloat, 4> colour{};
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &before);
    glGetFloatv(GL_COLOR_CLEAR_VALUE, colour.data());
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    glClearColor(turn % 2 == 0 ? 0.25f : 0.75f, 0.5f, 0.5f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    glFinish();
    glClearColor(colour[0], colour[1], colour[2], colour[3]);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(before));
}

}  // namespace

PixelReadback::PixelReadback(const VideoFormat& format, RowOrder rows, ReadbackPath path, GLuint framebuffer,
                             std::byte* scratch)
    : format_(format),
      rows_(rows),
      glFormat_(format.pixelFormat == PixelFormat::rgba ? GL_RGBA : GL_BGRA),
      glType_(format.pixelFormat == PixelFormat::x2rgb10le ? GL_UNSIGNED_INT_2_10_10_10_REV
                                                           : GL_UNSIGNED_BYTE) {
    const bool directWorks = rows == RowOrder::TopFirst || epoxy_has_gl_extension("GL_MESA_pack_invert");
    if (path == ReadbackPath::Direct && !directWorks) {
        throw Error(ErrorKind::Display,
                    "reading straight into the slots: this OpenGL cannot turn rows (no MESA_pack_invert)",
                    "draw upside down, or read through the ring");
    }
    if (path == ReadbackPath::Direct) {
        report_ = {path, "asked for"};
        return;
    }
    makeBuffers();
    if (path == ReadbackPath::Ring) {
        report_ = {path, "asked for"};
    } else if (!directWorks) {
        report_ = {ReadbackPath::Ring, "this OpenGL cannot turn rows (no MESA_pack_invert)"};
    } else if (path == ReadbackPath::Trial) {
        report_ = {path, "being tried"};
    } else {
        measure(framebuffer, scratch);
    }
}

void PixelReadback::makeBuffers() {
    const auto bytes = static_cast<GLsizeiptr>(pictureBytes());
    // Without glGetError(): the errors of a program that is captured are its own.
    GLint smallest = std::numeric_limits<GLint>::max();
    for (Part& part : parts_) {
        part.buffer = GlBuffer::create();
        glBindBuffer(GL_PIXEL_PACK_BUFFER, part.buffer.get());
        glBufferData(GL_PIXEL_PACK_BUFFER, bytes, nullptr, GL_STREAM_READ);
        GLint given = 0;
        glGetBufferParameteriv(GL_PIXEL_PACK_BUFFER, GL_BUFFER_SIZE, &given);
        smallest = std::min(smallest, given);
    }
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    if (smallest < bytes) {
        throw Error(ErrorKind::Display,
                    fmt::format("the OpenGL driver gives no {} pixel buffers of {} bytes", kDepth, bytes),
                    "free graphics memory, or render a smaller picture (--size)");
    }
}

void PixelReadback::measure(GLuint framebuffer, std::byte* scratch) {
    std::vector<double> direct, ring;
    const TimestampNs begin = nowNs();
    const auto enough = [&] {
        return direct.size() >= kMeasuredReads ||
               (direct.size() >= kFewestReads && nowNs() - begin > kMeasuredNs);
    };
    for (int turn = 0; !enough(); ++turn) {
        redraw(framebuffer, turn);
        const double directMs = timeOnce(ReadbackPath::Direct, framebuffer, scratch);
        redraw(framebuffer, turn + 1);
        const double ringMs = timeOnce(ReadbackPath::Ring, framebuffer, scratch);
        if (turn >= kWarmUpReads) {
            direct.push_back(directMs);
            ring.push_back(ringMs);
        }
    }
    choose(direct, ring);
}

void PixelReadback::choose(const std::vector<double>& direct, const std::vector<double>& ring) {
    const double directMs = median(direct), ringMs = median(ring);
    const auto gigabytes = static_cast<double>(pictureBytes()) * 1e-9;
    report_.path = directMs <= ringMs ? ReadbackPath::Direct : ReadbackPath::Ring;
    report_.reason = fmt::format(
        "direct {:.2f} ms ({:.1f} GB/s), ring of pixel buffers {:.2f} ms ({:.1f} GB/s), median of {}",
        directMs, gigabytes / directMs * 1e3, ringMs, gigabytes / ringMs * 1e3, direct.size());
    log(LogCategory::Render).info("pictures are read back: {}", report_.reason);
    // Pictures not taken yet keep their buffers.
    for (std::size_t i = pending_; i < kDepth && report_.path == ReadbackPath::Direct; ++i) {
        parts_[(oldest_ + i) % kDepth].buffer.reset();
    }
}

void PixelReadback::countTrial(ReadbackPath path, double heldUpMs) {
    std::vector<double>& times = path == ReadbackPath::Direct ? directMs_ : ringMs_;
    times.push_back(heldUpMs);
    if (std::min(directMs_.size(), ringMs_.size()) == kWarmUpReads + kMeasuredReads) {
        directMs_.erase(directMs_.begin(), directMs_.begin() + kWarmUpReads);
        ringMs_.erase(ringMs_.begin(), ringMs_.begin() + kWarmUpReads);
        choose(directMs_, ringMs_);
    }
}

/// The time that the caller is held up, without the ring's wait for its fence: it can draw meanwhile.
double PixelReadback::timeOnce(ReadbackPath path, GLuint framebuffer, std::byte* scratch) {
    report_.path = path;
    const TimestampNs start = nowNs();
    static_cast<void>(this->start(framebuffer, scratch));  // nothing is pending
    double milliseconds = millisecondsSince(start);
    parts_[oldest_].fence.wait();
    const TimestampNs there = nowNs();
    bool damaged = false;
    static_cast<void>(take(damaged, std::chrono::nanoseconds(0)));
    return milliseconds + millisecondsSince(there);
}

/// Reads four bytes per pixel.
void PixelReadback::readPlane(GLenum glFormat, GLenum type, std::size_t rowBytes, void* target) const {
    glPixelStorei(GL_PACK_ROW_LENGTH, static_cast<GLint>(rowBytes / kBytesPerPixel));
    glReadPixels(0, 0, static_cast<GLsizei>(format_.width), static_cast<GLsizei>(format_.height), glFormat,
                 type, target);
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
}

Status PixelReadback::start(GLuint framebuffer, std::byte* payload) {
    if (pending_ == kDepth) {
        return Status::Busy;
    }
    const TimestampNs begin = nowNs();
    Part& part = parts_[(oldest_ + pending_) % kDepth];
    part.path = report_.path;
    if (report_.path == ReadbackPath::Trial) {
        part.path = directMs_.size() < ringMs_.size() ? ReadbackPath::Direct : ReadbackPath::Ring;
    }
    part.payload = payload;
    const ReadScope scope(framebuffer);
    if (part.path == ReadbackPath::Ring) {
        glBindBuffer(GL_PIXEL_PACK_BUFFER, part.buffer.get());
        readPlane(glFormat_, glType_, tightRow(), nullptr);
        if (format_.hasDepth()) {
            // NOLINTNEXTLINE(performance-no-int-to-ptr): OpenGL passes buffer offsets as pointers
            readPlane(GL_DEPTH_COMPONENT, GL_FLOAT, tightRow(), reinterpret_cast<void*>(tightPlane()));
        }
        glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
        part.fence.insert();
        glFlush();  // or the driver may start only when somebody waits
    } else {
        const bool turn = rows_ == RowOrder::BottomFirst;
        if (turn) {
            glPixelStorei(GL_PACK_INVERT_MESA, GL_TRUE);
        }
        const Plane& colour = format_.planes[0];
        readPlane(glFormat_, glType_, colour.stride, payload + colour.offset);
        if (format_.hasDepth()) {
            readPlane(GL_DEPTH_COMPONENT, GL_FLOAT, format_.depth.stride, payload + format_.depth.offset);
        }
        if (turn) {
            glPixelStorei(GL_PACK_INVERT_MESA, GL_FALSE);
        }
    }
    part.heldUpMs = millisecondsSince(begin);
    ++pending_;
    return Status::Ok;
}

Status PixelReadback::take(bool& damaged, std::chrono::nanoseconds timeout) {
    if (pending_ == 0) {
        return Status::Closed;
    }
    Part& part = parts_[oldest_];
    if (!part.fence.waitFor(static_cast<GLuint64>(std::max<std::int64_t>(0, timeout.count())))) {
        return Status::TimedOut;
    }
    const TimestampNs there = nowNs();
    damaged = part.path == ReadbackPath::Ring && !copyOut(part.buffer, part.payload);
    oldest_ = (oldest_ + 1) % kDepth;
    --pending_;
    if (report_.path == ReadbackPath::Trial) {
        countTrial(part.path, part.heldUpMs + millisecondsSince(there));
    } else if (part.path == ReadbackPath::Ring && report_.path == ReadbackPath::Direct) {
        part.buffer.reset();  // was pending when the other path was chosen
    }
    return Status::Ok;
}

/// False if the driver lost the buffer's content.
bool PixelReadback::copyOut(const GlBuffer& buffer, std::byte* target) const {
    const auto bytes = static_cast<GLsizeiptr>(pictureBytes());
    glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer.get());
    const auto* source =
        static_cast<const std::byte*>(glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, bytes, GL_MAP_READ_BIT));
    bool whole = source != nullptr;
    if (whole) {
        copyRows(source, target, format_.planes[0]);
        if (format_.hasDepth()) {
            copyRows(source + tightPlane(), target, format_.depth);
        }
        whole = glUnmapBuffer(GL_PIXEL_PACK_BUFFER) == GL_TRUE;
    }
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    return whole;
}

void PixelReadback::copyRows(const std::byte* source, std::byte* target, const Plane& plane) const {
    const std::size_t rowBytes = tightRow();
    target += plane.offset;
    if (rows_ == RowOrder::TopFirst && plane.stride == rowBytes) {
        std::memcpy(target, source, rowBytes * format_.height);
        return;
    }
    for (std::size_t row = 0; row < format_.height; ++row) {
        const std::size_t from = rows_ == RowOrder::TopFirst ? row : format_.height - 1 - row;
        std::memcpy(target + row * plane.stride, source + from * rowBytes, rowBytes);
    }
}

PixelFormat PixelReadback::preferredFormat(unsigned framebuffer) {
    if (epoxy_gl_version() < 41 && !epoxy_has_gl_extension("GL_ARB_ES2_compatibility")) {
        return PixelFormat::rgba;
    }
    const ReadScope scope(framebuffer);
    GLint format = GL_RGBA;
    glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_FORMAT, &format);
    return format == GL_BGRA ? PixelFormat::bgra : PixelFormat::rgba;
}

}  // namespace verbcast
