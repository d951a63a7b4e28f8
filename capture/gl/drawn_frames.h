// Pictures that OpenGL draws off-screen, and their way into the slots of a source's pool.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capture/frame_source.h"
#include "capture/picture_memory.h"
#include "render/gl/offscreen_context.h"
#include "render/kms/drawing_card.h"
#include "render/readback/frame_readback.h"

namespace verbcast {

struct DrawnFramesOptions {
    Rational frameRate{60, 1};  ///< the caller's rate of capture; 0/1: as fast as possible
    std::uint32_t slots = 8;    ///< frames that consumers may hold
    /// Measure: by CUDA where NVIDIA's GPU draws, else the better of Direct and Ring. Pinned: by CUDA.
    ReadbackPath readback = ReadbackPath::Measure;
    /// With Device and DmaBuf, `readback` does not apply. Auto is Host with any `readback` but Measure.
    PictureMemory memory = PictureMemory::Host;
    std::string whyHost{};      ///< for a note where NVIDIA's GPU draws
    bool byOpenGlOnly = false;  ///< for what no GPU copies: depths, ten bits
};

/// OpenGL without a window, and the GPU that copies what it draws. Its context is current on the constructing
/// thread, which must also destroy it.
class DrawingPlace {
  public:
    /// Throws Error{Display} if there is no OpenGL 3.3, Error{Device} if what draws has no memory of the kind
    /// that is asked for.
    explicit DrawingPlace(const DrawnFramesOptions& options);

    const DrawnFramesOptions& options() const { return options_; }
    /// The GPU that copies, if one does: then draw into a texture of GL_RGBA8.
    const std::optional<int>& gpu() const { return gpu_; }
    /// With PictureMemory::DmaBuf: whose buffers the slots are; else null.
    const DrawingCard* card() const { return card_.get(); }
    /// Why CUDA does not copy frames in main memory; "": it does, or was not asked.
    const std::string& notByGpu() const { return notByGpu_; }

  private:
    const DrawnFramesOptions options_;
    // One of the two.
    std::unique_ptr<OffscreenContext> context_;
    std::unique_ptr<DrawingCard> card_;
    std::string notByGpu_;
    std::optional<int> gpu_;
};

/// The format of drawn pictures, tightly packed: sRGB, and time stamps that count frames, or microseconds
/// where there is no rate (0/1).
VideoFormat drawnFormat(std::uint32_t width, std::uint32_t height, PixelFormat pixelFormat,
                        Rational frameRate);

/// Where a picture is drawn.
struct DrawnTarget {
    unsigned framebuffer = 0;  ///< row 0 is the picture's first
    unsigned texture = 0;      ///< where it has its colours
};

/// A picture in its target.
struct DrawnPicture {
    ReadbackStamp stamp;
    TimestampNs begunAt = 0;  ///< when its drawing began
};

/// Thread-bound to the context of its DrawingPlace, which must outlive it, as must the target.
///
/// With a frame rate, each capture() draws a picture and waits for its readback, so that it leaves as young
/// as possible. Without one, or once drawing and readback take longer than a frame's time, pictures stay in
/// the readback ring while the next is drawn; each keeps its own times.
class DrawnFrames {
  public:
    /// `format`: rgba or bgra, with or without depth, or x2rgb10le. Throws Error{Resource}, and Error{Device}
    /// if the memory that is asked for cannot be had.
    DrawnFrames(const DrawingPlace& place, const VideoFormat& format, const DrawnTarget& target);

    const VideoFormat& format() const { return format_; }
    /// FrameSource::notes(): what draws, how frames get into their slots, and what has been noticed since.
    std::vector<std::string> notesAfter(const std::string& whatDraws) const;
    SourceCounters counters() const { return counters_; }
    const ReadbackReport& report() const { return readback_.report(); }

    /// FrameSource::capture(). Once there is a slot it calls `draw`, which draws into the target and returns
    /// an optional DrawnPicture; without one the status is Cancelled.
    template <typename Draw>
    Status capture(CapturedFrame& frame, const Event& cancel, Draw&& draw) {
        frame.lease.reset();
        TimestampNs begunAt = 0;
        do {
            std::optional<FrameLease> lease = freeSlot(cancel);
            const std::optional<DrawnPicture> drawn = lease ? draw() : std::nullopt;
            if (!drawn) {
                return Status::Cancelled;
            }
            begunAt = drawn->begunAt;
            if (const Status status = readback_.start(target_.framebuffer, std::move(*lease), drawn->stamp);
                status != Status::Ok) {
                return status;
            }
        } while (readback_.pending() <= behind_);
        const Status status = deliver(frame, cancel);
        watchPace(nowNs() - begunAt);
        return status;
    }

  private:
    std::string way() const;
    std::shared_ptr<FramePool> makePool();
    FrameReadback makeReadback();
    std::optional<FrameLease> freeSlot(const Event& cancel);
    Status deliver(CapturedFrame& frame, const Event& cancel);
    void watchPace(TimestampNs busyNs);

    const DrawingPlace& place_;
    const DrawnFramesOptions& options_;  // of the place
    const DrawnTarget target_;
    std::string notByGpu_;
    std::string whyHost_;  // why frames are in main memory, unless somebody said so
    VideoFormat format_;
    std::shared_ptr<FramePool> pool_;
    FrameReadback readback_;
    std::size_t behind_;  // pictures left in the ring when capture() returns
    int lateInARow_ = 0;
    SourceCounters counters_;
    std::vector<std::string> notes_;
};

}  // namespace verbcast
