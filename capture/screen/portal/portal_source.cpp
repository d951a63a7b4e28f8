#include "capture/screen/portal/portal_source.h"

#include <fmt/format.h>
#include <systemd/sd-bus.h>

#include <utility>

#include "capture/screen/portal/portal.h"

namespace verbcast {
PortalSupport portalSupport() {
    return {true,
            fmt::format("libpipewire {}, libsystemd {}", pw_get_library_version(), VERBCAST_SYSTEMD_VERSION)};
}

std::unique_ptr<FrameSource> openPortalScreen(const SourceOptions& options, std::string_view what) {
    return std::make_unique<PortalSource>(options, what);
}

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

std::string PortalSource::describe() const {
    return "screen of the desktop (ScreenCast portal)";
}

std::unique_ptr<InputInjector> PortalSource::inputInjector() {
    throw Error(ErrorKind::Display,
                "--allow-input: the desktop's ScreenCast portal takes no input from viewers",
                "leave --allow-input out; in an X11 session verbcast send screen takes it");
}

Status PortalSource::capture(CapturedFrame& frame, const Event& cancel) {
    const Status status =
        frames_.capture(frame, cancel, {cast_.descriptor(), [this] { return cast_.hasEnded(); }});
    if (status == Status::Closed && !std::exchange(ended_, true)) {
        frames_.addNote("the picture ends: the desktop has stopped the screen cast");
    }
    return status;
}

}  // namespace verbcast
