// A source of the desktop's screen through the ScreenCast portal.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capture/frame_source.h"
#include "capture/screen/portal/pipewire_stream.h"
#include "capture/screen/portal/screen_cast.h"
#include "capture/screen/portal/screen_choice.h"
#include "capture/screen/screen_pace.h"

namespace verbcast {

/// Each frame costs one copy, from the desktop's shared memory into the slot. A still screen costs one copy
/// per second: the desktop sends a picture only on changes.
class PortalSource final : public FrameSource {
  public:
    PortalSource(const SourceOptions& options, std::string_view what);

    std::string describe() const override;
    std::vector<std::string> notes() const override { return notes_; }
    const VideoFormat& format() const override { return format_; }
    bool isLive() const override { return true; }
    bool pacesItself() const override { return true; }
    std::optional<std::uint64_t> expectedFrames() const override { return std::nullopt; }
    /// Closed: the desktop has stopped. A new size starts with the next frame.
    Status capture(CapturedFrame& frame, const Event& cancel) override;
    SourceCounters counters() const override { return counters_; }
    /// Throws Error{Display}: this portal accepts no input.
    std::unique_ptr<InputInjector> inputInjector() override;

  private:
    PortalSource(const SourceOptions& options, const ScreenChoice& choice, const RestoreToken& token);
    void takeLayout(const PictureLayout& layout);
    bool acquireSlot(const Event& cancel);
    bool tryTake(CapturedFrame& frame);
    bool tryRepeat(CapturedFrame& frame);
    void complete(CapturedFrame& frame, TimestampNs capturedAt);
    Status end();

    ScreenPace pace_;
    ScreenCast cast_;
    PipeWireStream stream_;
    const std::uint32_t slots_;
    std::shared_ptr<FramePool> pool_;
    PictureLayout layout_;
    VideoFormat format_;
    FrameLease slot_;  // for the next frame
    FrameLease last_;  // the last frame, for viewers that come while nothing changes
    bool ended_ = false;
    SourceCounters counters_;
    std::vector<std::string> notes_;
};

}  // namespace verbcast
