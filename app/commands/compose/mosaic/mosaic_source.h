// Several inputs as one source: their newest pictures, drawn into one by OpenGL.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/compose/mosaic/arrangement.h"
#include "app/commands/compose/mosaic/changes.h"
#include "app/commands/compose/mosaic/input_router.h"
#include "app/commands/compose/mosaic/mosaic_input.h"
#include "app/commands/compose/mosaic/mosaic_options.h"
#include "app/commands/compose/mosaic/mosaic_pane.h"
#include "app/commands/compose/mosaic/sound/sound_desk.h"
#include "app/commands/send/command_lines.h"
#include "app/commands/send/sound_beside.h"
#include "capture/gl/drawn_frames.h"
#include "core/sync/shared_alignment.h"
#include "render/picture_canvas.h"

namespace verbcast {

/// Thread-bound: its own OpenGL context is current on the constructing thread. The inputs have threads of
/// their own, and none waits for another: what has not come, or is lost, is said in its place. A picture's
/// capture time is that of its oldest new frame; its changes are the places of those frames.
class MosaicSource final : public FrameSource {
  public:
    /// `options` must outlive this. Throws Error{Display} if there is no OpenGL 3.3 or it cannot draw at this
    /// size, Error{Input, Usage, Device, Network} for inputs that cannot be opened, Error{Resource}.
    explicit MosaicSource(const MosaicOptions& options);
    ~MosaicSource() override;

    std::string describe() const override;
    std::vector<std::string> notes() const override;
    const VideoFormat& format() const override { return frames_.format(); }
    bool isLive() const override { return true; }
    /// As fast as something is new, where there is no rate.
    bool pacesItself() const override { return options_.pacing == Pacing::Max; }
    std::optional<std::uint64_t> expectedFrames() const override { return std::nullopt; }
    /// Closed once all inputs are sources that have ended.
    Status capture(CapturedFrame& frame, const Event& cancel) override;
    SourceCounters counters() const override;
    /// The inputs' sound, to be sent by that policy and before this is gone. Call once. Null: none is wanted.
    std::unique_ptr<SoundBeside> soundBeside(Policy policy);
    /// See InputRouter.
    std::unique_ptr<InputInjector> inputInjector() override;

  private:
    class Injector;
    std::shared_ptr<MosaicInput> openInput(const std::string& input);
    void addPane(std::shared_ptr<MosaicInput> input);
    std::shared_ptr<InputSound> openSound() { return desk_ ? desk_->open() : nullptr; }
    void showToDesk();
    void obeyCommands();
    void obey(const mosaic::Change& change);
    bool isOver() const;
    bool waitForNews(const Event& cancel);
    DrawnPicture draw();
    void drawBackground();
    void route(const std::vector<PicturePlace>& places);

    const MosaicOptions& options_;
    ViewOptions viewing_;  // of the inputs that are streams
    std::optional<SharedAlignment> alignment_;
    const DrawingPlace place_;  // all OpenGL objects below belong to its context
    PictureCanvas canvas_;
    StreamRenderer background_;
    PaneLook look_;
    std::optional<SoundDesk> desk_;  // if sound is wanted; the panes' inputs put it there
    std::vector<std::unique_ptr<MosaicPane>> panes_;
    std::vector<PanePlace> freePlaces_;  // of arrangement_
    Arrangement arrangement_;
    std::optional<std::vector<PicturePlace>> lastPlaces_;  // nothing: all is drawn anew
    const std::shared_ptr<InputRouter> router_;            // shared with the injector
    CommandLines commands_;
    DrawnFrames frames_;
    std::deque<PictureChanges> changes_;  // of the pictures drawn but not delivered yet
    std::uint64_t nextId_ = 1;
    std::size_t added_ = 0;  // inputs so far, which are named in this order
    std::uint64_t drawn_ = 0;
    std::int64_t lastPts_ = -1;
    TimestampNs firstAt_ = 0;
};

}  // namespace verbcast
