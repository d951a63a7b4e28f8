#include "capture/screen/open_screen.h"

#include <cstdlib>

#include "capture/screen/screen_source.h"
#include "capture/screen/x_display.h"

namespace verbcast {
namespace {

constexpr std::string_view kPortalName = "portal";
constexpr std::string_view kX11 = "x11";

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// Without the portal, Xwayland's display is better than nothing; its source notes what is missing.
bool portalIsMeant(std::string_view what) {
    return what.empty() && isWaylandSession() && (portalSupport().compiledIn || variable("DISPLAY").empty());
}

}  // namespace

std::unique_ptr<FrameSource> openScreen(const SourceOptions& options, std::string_view what) {
    if (what == kPortalName || portalIsMeant(what)) {
        return openPortalScreen(options, "");
    }
    if (what.starts_with("portal=")) {
        return openPortalScreen(options, what.substr(kPortalName.size() + 1));
    }
    return std::make_unique<ScreenSource>(options, what == kX11 ? "" : what);
}

}  // namespace verbcast
