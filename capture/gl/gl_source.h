// Frames drawn by OpenGL, off-screen, and read back into the pool's slots.
#pragma once

#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "capture/frame_source.h"
#include "render/frame_readback.h"
#include "render/offscreen_context.h"
#include "render/scenes/scene.h"
#include "render/scenes/scene_target.h"

namespace verbcast {

/// A share of a scene's boxes, from 0: see Scene::setShare().
struct ScenePart {
    std::uint32_t index = 0, count = 1;
};

/// What a part, an eye or a canvas shows, and its pts, are those of the host's clock (CLOCK_REALTIME) in
/// frames since 1970, so that frames with equal pts belong together wherever they were drawn. They want a
/// frame rate; if they take the same input, they show the same.
struct GlSourceOptions {
    std::string scene = "waves";  ///< a name of kSceneNames
    std::uint32_t width = 1920, height = 1080;
    /// Draws that part of a larger picture.
    std::optional<SceneCanvas> canvas{};
    Rational frameRate{60, 1};  ///< at which the caller captures; 0/1: as fast as it can
    std::uint32_t slots = 8;    ///< frames that the consumers may hold
    ReadbackPath readback = ReadbackPath::Measure;
    /// Draws that part, and sends depths with it.
    std::optional<ScenePart> part{};
    /// Draws what that eye sees.
    std::optional<Eye> eye{};
    /// For measurements, by the capturing thread: before a picture is drawn, and, then waiting for that, when
    /// it is. Waiting makes drawing and reading back go on one after the other.
    std::function<void()> drawing{}, drawn{};
};

/// Thread-bound: it has an OpenGL context of its own, current on the constructing thread.
///
/// At a frame rate each capture() draws a picture and waits until it is read back, so that it leaves as young
/// as possible. As fast as possible, or once drawing and reading take longer than a frame's time, it leaves
/// pictures in the read-back ring and draws the next meanwhile; each keeps its own times.
class GlSource final : public FrameSource {
  public:
    /// Throws Error{Display} when there is no OpenGL 3.3 or it cannot draw at this size, Error{Usage} for
    /// unknown scenes, Error{Resource}.
    explicit GlSource(const GlSourceOptions& options);

    std::string describe() const override;
    std::vector<std::string> notes() const override { return notes_; }
    const VideoFormat& format() const override { return format_; }
    bool isLive() const override { return true; }
    bool pacesItself() const override { return byClock_; }
    std::optional<std::uint64_t> expectedFrames() const override { return std::nullopt; }
    Status capture(CapturedFrame& frame, const Event& cancel) override;
    SourceCounters counters() const override { return counters_; }

    /// The next picture that is drawn shows what it is given.
    std::unique_ptr<InputInjector> inputInjector() override;

    const ReadbackReport& readbackReport() const { return readback_.report(); }

  private:
    class Injector;
    bool waitForNextFrame(const Event& cancel);
    void takeInput();
    Status drawNext(const Event& cancel);
    Status deliver(CapturedFrame& frame, const Event& cancel);
    void watchPace(TimestampNs busyNs);
    std::int64_t ptsOf(std::uint64_t number, TimestampNs capturedAt) const;

    std::string name_;
    const std::optional<ScenePart> part_;
    const std::optional<Eye> eye_;
    const bool byClock_;           // as parts, eyes and canvases are
    std::int64_t clockFrame_ = 0;  // the last one drawn by the clock: frames since 1970
    std::function<void()> beforeDrawing_, afterDrawing_;
    OffscreenContext context_;  // first: everything of OpenGL below belongs to it
    SceneTarget target_;
    Scene scene_;
    VideoFormat format_;
    std::shared_ptr<FramePool> pool_;
    FrameReadback readback_;
    std::size_t behind_;  // pictures that stay in the ring when capture() returns
    int lateInARow_ = 0;
    std::uint64_t drawn_ = 0;
    TimestampNs firstAt_ = 0, lastAt_ = 0;
    std::mutex inputMutex_;             // held for a copy of the list
    std::vector<ViewerInput> arrived_;  // under it: input for the next picture
    std::vector<ViewerInput> input_;    // kept for its memory
    std::uint64_t inputSequence_ = 0;
    SourceCounters counters_;
    std::vector<std::string> notes_;
    std::string renderer_;
};

}  // namespace verbcast
