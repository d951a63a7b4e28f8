// A source of frames that OpenGL draws off-screen and moves into the pool's slots.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "capture/frame_source.h"
#include "capture/gl/drawn_frames.h"
#include "capture/picture_memory.h"
#include "render/scenes/scene.h"
#include "render/scenes/scene_target.h"

namespace verbcast {

/// A share of a scene's boxes, counted from 0: see Scene::setShare().
struct ScenePart {
    std::uint32_t index = 0, count = 1;
};

/// Parts, eyes and canvases are drawn by the host's clock (CLOCK_REALTIME): its time in frames since 1970
/// determines the picture and its pts, so frames with equal pts belong together wherever they were drawn.
/// They need a frame rate. Given the same input, they show the same scene.
struct GlSourceOptions {
    std::string scene = "waves";  ///< a name of kSceneNames
    std::uint32_t width = 1920, height = 1080;
    /// Draws this part of a larger picture.
    std::optional<SceneCanvas> canvas{};
    Rational frameRate{60, 1};  ///< the caller's rate of capture; 0/1: as fast as possible
    std::uint32_t slots = 8;    ///< frames that consumers may hold
    /// Measure: by CUDA where NVIDIA's GPU draws, else the better of Direct and Ring. Pinned: by CUDA.
    ReadbackPath readback = ReadbackPath::Measure;
    /// With Device and DmaBuf, `readback` and parts do not apply. Auto is Host with any `readback` but
    /// Measure.
    PictureMemory memory = PictureMemory::Host;
    std::string whyHost{};  ///< for a note where NVIDIA's GPU draws
    /// Draws this part and sends its depths as well.
    std::optional<ScenePart> part{};
    /// Draws the view of this eye.
    std::optional<Eye> eye{};
    /// For measurements. The capturing thread calls them before it draws a picture and when the picture is
    /// finished. Waiting for `drawn` serializes drawing and readback.
    std::function<void()> drawing{}, drawn{};
};

/// Thread-bound: its own OpenGL context is current on the constructing thread. See DrawnFrames for the pace.
class GlSource final : public FrameSource {
  public:
    /// Throws Error{Display} if there is no OpenGL 3.3 or it cannot draw at this size, Error{Usage} for
    /// unknown scenes, Error{Resource}; Error{Device} if what draws has no memory of the kind
    /// that is asked for.
    explicit GlSource(const GlSourceOptions& options);

    std::string describe() const override;
    std::vector<std::string> notes() const override;
    const VideoFormat& format() const override { return frames_.format(); }
    bool isLive() const override { return true; }
    bool pacesItself() const override { return byClock_; }
    std::optional<std::uint64_t> expectedFrames() const override { return std::nullopt; }
    Status capture(CapturedFrame& frame, const Event& cancel) override;
    SourceCounters counters() const override { return frames_.counters(); }

    /// The next picture drawn shows the input applied before it.
    std::unique_ptr<InputInjector> inputInjector() override;

    const ReadbackReport& readbackReport() const { return frames_.report(); }

  private:
    class Injector;
    bool waitForNextFrame(const Event& cancel);
    void takeInput();
    std::optional<DrawnPicture> drawNext(const Event& cancel);
    std::int64_t ptsOf(std::uint64_t number, TimestampNs capturedAt) const;

    const GlSourceOptions options_;
    const bool byClock_;           // true for parts, eyes and canvases
    std::int64_t clockFrame_ = 0;  // last frame drawn by the clock, in frames since 1970
    const DrawingPlace place_;     // all OpenGL objects below belong to its context
    SceneTarget target_;
    Scene scene_;
    DrawnFrames frames_;
    std::uint64_t drawn_ = 0;
    TimestampNs firstAt_ = 0, lastAt_ = 0;
    std::mutex inputMutex_;             // held only to copy the list
    std::vector<ViewerInput> arrived_;  // guarded by inputMutex_: input for the next picture
    std::vector<ViewerInput> input_;    // a member to reuse its memory
    std::uint64_t inputSequence_ = 0;
    std::string renderer_;
};

}  // namespace verbcast
