// A source of the desktop's screen through the ScreenCast portal.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capture/frame_source.h"
#include "capture/screen/portal/node_frames.h"
#include "capture/screen/portal/screen_cast.h"
#include "capture/screen/portal/screen_choice.h"

namespace verbcast {

class PortalSource final : public FrameSource {
  public:
    PortalSource(const SourceOptions& options, std::string_view what);

    std::string describe() const override;
    std::vector<std::string> notes() const override { return frames_.notes(); }
    const VideoFormat& format() const override { return frames_.format(); }
    bool isLive() const override { return true; }
    bool pacesItself() const override { return true; }
    std::optional<std::uint64_t> expectedFrames() const override { return std::nullopt; }
    /// Closed: the desktop has stopped. A new size starts with the next frame.
    Status capture(CapturedFrame& frame, const Event& cancel) override;
    SourceCounters counters() const override { return frames_.counters(); }
    /// Throws Error{Display}: this portal accepts no input.
    std::unique_ptr<InputInjector> inputInjector() override;

  private:
    PortalSource(const SourceOptions& options, const ScreenChoice& choice, const RestoreToken& token);

    ScreenCast cast_;
    bool remembered_;  // the permission; before frames_ can fail
    NodeFrames frames_;
    bool ended_ = false;
};

}  // namespace verbcast
