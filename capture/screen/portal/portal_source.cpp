#include <fmt/format.h>
#include <systemd/sd-bus.h>

#include <utility>

#include "capture/screen/open_screen.h"
#include "capture/screen/portal/node_frames.h"
#include "capture/screen/portal/screen_cast.h"
#include "capture/screen/portal/screen_choice.h"

namespace verbcast {
namespace {

class PortalSource final : public FrameSource {
  public:
    PortalSource(const SourceOptions& options, std::string_view what);

    std::string describe() const override { return "screen of the desktop (ScreenCast portal)"; }
    std::vector<std::string> notes() const override { return frames_.notes(); }
    const VideoFormat& format() const override { return frames_.format(); }
    bool isLive() const override { return true; }
    bool pacesItself() const override { return true; }
    std::optional<std::uint64_t> expectedFrames() const override { return std::nullopt; }
    /// Closed: the desktop has stopped. A new size starts with the next frame.
    Status capture(CapturedFrame& frame, const Event& cancel) override;
    SourceCounters counters() const override { return frames_.counters(); }
    std::unique_ptr<InputInjector> inputInjector() override {
        throw Error(ErrorKind::Display,
                    "--allow-input: the desktop's ScreenCast portal takes no input from viewers",
                    "leave --allow-input out; in an X11 session verbcast send screen takes it");
    }

  private:
    PortalSource(const SourceOptions& options, const ScreenChoice& choice, const RestoreToken& token);

    ScreenCast cast_;
    bool remembered_;  // the permission; before frames_ can fail
    NodeFrames frames_;
    bool ended_ = false;
};

PortalSource::PortalSource(const SourceOptions& options, std::string_view what)
    : PortalSource(options, parseScreenChoice(what), RestoreToken(parseScreenChoice(what).types)) {}

PortalSource::PortalSource(const SourceOptions& options, const ScreenChoice& choice,
                           const RestoreToken& token)
    : cast_({choice.types, choice.askAgain ? std::string() : token.load(), options.cancel}),
      remembered_(token.save(cast_.restoreToken())),
      frames_(options, cast_.openPipeWire(), cast_.node()) {
    if (!remembered_) {
        frames_.addNote(fmt::format("the desktop will ask again: {} cannot be written", token.path()));
    }
    if (!cast_.pointerInPicture()) {
        frames_.addNote("this desktop's portal draws no pointer into the picture");
    }
}

Status PortalSource::capture(CapturedFrame& frame, const Event& cancel) {
    const Status status =
        frames_.capture(frame, cancel, {cast_.descriptor(), [this] { return cast_.hasEnded(); }});
    if (status == Status::Closed && !std::exchange(ended_, true)) {
        frames_.addNote("the picture ends: the desktop has stopped the screen cast");
    }
    return status;
}

}  // namespace

PortalSupport portalSupport() {
    return {true,
            fmt::format("libpipewire {}, libsystemd {}", pw_get_library_version(), VERBCAST_SYSTEMD_VERSION)};
}

std::unique_ptr<FrameSource> openPortalScreen(const SourceOptions& options, std::string_view what) {
    return std::make_unique<PortalSource>(options, what);
}

}  // namespace verbcast
