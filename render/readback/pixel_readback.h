// Reads drawn pictures back into memory without delaying the next.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/video/video_format.h"
#include "render/gl/gl_handles.h"
#include "render/gl/target_part.h"

namespace verbcast {

enum class ReadbackPath {
    Measure,  ///< tries both briefly at the start and keeps the one that holds the caller up for less time
    Trial,    ///< measures both on the first pictures: for when nothing may be drawn just to measure
    Direct,   ///< glReadPixels directly into the memory: no extra copy, but start() waits for it
    Ring,     ///< through a ring of pixel-pack buffers with fences; take() copies into the memory
    Device,   ///< not with PixelReadback: the GPU copies within its own memory, see FrameReadback
    Pinned,   ///< not with PixelReadback: the GPU copies into main memory by itself, see FrameReadback
    Slot,     ///< not with PixelReadback: what draws writes into the slots itself, see SlotTargets
};

struct ReadbackReport {
    ReadbackPath path = ReadbackPath::Direct;
    std::string reason;  ///< "direct 2.10 ms (15.8 GB/s), ring of pixel buffers 3.40 ms (9.8 GB/s), ..."
};

/// Thread-bound to the OpenGL context (3.2 or OpenGL ES 3.0, or later) that is current at construction.
/// Leaves no pixel buffer bound, pixel-store values at their defaults and framebuffer bindings unchanged.
class PixelReadback {
  public:
    /// Pictures that may be pending at once.
    static constexpr std::size_t kDepth = 3;

    /// The 8-bit format in which the driver reads `framebuffer` without converting: rgba or bgra.
    static PixelFormat preferredFormat(GLuint framebuffer);

    /// `format` is rgba or bgra, with or without depth, or x2rgb10le; with depth, the framebuffer has a
    /// single-sample depth attachment. With BottomFirst, rows are flipped by the copy (Ring) or the driver
    /// (Direct). Measure draws over `framebuffer`, which is at least as large as the format, and reads into
    /// `scratch`, which has room for the payload; the other paths use neither. Throws Error{Display} if the
    /// driver has no room for the ring, or if Direct is required with BottomFirst but the driver cannot flip
    /// rows (no MESA_pack_invert).
    PixelReadback(const VideoFormat& format, RowOrder rows, ReadbackPath path, GLuint framebuffer,
                  std::byte* scratch);

    /// Starts to read what was drawn into `framebuffer`. `payload` is the start of the frame; it may be
    /// written to until the picture is taken. Ring: returns at once. Returns Busy, without effect, if kDepth
    /// pictures are pending.
    Status start(GLuint framebuffer, std::byte* payload);

    /// Ok: the oldest picture is complete in its place; `damaged`: the driver lost it (reported when
    /// unmapping). TimedOut: not complete yet. Closed: none is pending.
    Status take(bool& damaged, std::chrono::nanoseconds timeout);

    std::size_t pending() const { return pending_; }
    const ReadbackReport& report() const { return report_; }

  private:
    /// A pending picture.
    struct Part {
        GlBuffer buffer;  // Ring only
        GlFence fence;    // Ring only
        ReadbackPath path = ReadbackPath::Direct;
        double heldUpMs = 0;  // time that start() held the caller up
        std::byte* payload = nullptr;
    };

    static constexpr std::size_t kBytesPerPixel = 4;

    std::size_t tightRow() const { return kBytesPerPixel * format_.width; }
    std::size_t tightPlane() const { return tightRow() * format_.height; }
    std::size_t pictureBytes() const { return tightPlane() * (format_.hasDepth() ? 2 : 1); }
    void makeBuffers();
    void measure(GLuint framebuffer, std::byte* scratch);
    void choose(const std::vector<double>& direct, const std::vector<double>& ring);
    void countTrial(ReadbackPath path, double heldUpMs);
    double timeOnce(ReadbackPath path, GLuint framebuffer, std::byte* scratch);
    void readPlane(GLenum glFormat, GLenum type, std::size_t rowBytes, void* target) const;
    bool copyOut(const GlBuffer& buffer, std::byte* target) const;
    void copyRows(const std::byte* source, std::byte* target, const Plane& plane) const;

    VideoFormat format_;
    RowOrder rows_;
    GLenum glFormat_, glType_;
    std::array<Part, kDepth> parts_;
    std::size_t oldest_ = 0, pending_ = 0;
    std::vector<double> directMs_, ringMs_;  // of a trial
    ReadbackReport report_;
};

}  // namespace verbcast
