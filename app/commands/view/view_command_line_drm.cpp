// Options of `verbcast view` without a desktop.
#include <fmt/format.h>

#include <utility>

#include "app/commands/view/view_command_line.h"
#include "app/view/drm_choice.h"
#include "core/base/error.h"

namespace verbcast {

void ViewCommandLine::finishDrm(ViewOptions& options) const {
    options.drm = given("--drm");
    if (!options.drm && !mode_.empty()) {
        throw Error(ErrorKind::Usage, "--mode needs --drm: on a desktop, the desktop chooses modes",
                    "add --drm");
    }
    if (!options.drm) {
        return;
    }
    const std::pair<bool, const char*> absent[] = {
        {options.fullscreen, "--fullscreen"},  {options.input, "--input"},
        {!options.screen.empty(), "--screen"}, {!options.snapshot.empty(), "--snapshot"},
        {!options.output.empty(), "--output"}, {layout_.has_value(), "--layout"},
        {options.swapEyes, "--swap-eyes"},     {options.headless, "--headless"},
        {options.takesCallers(), "--streams"}, {options.alignment.by != AlignBy::Newest, "--align"},
    };
    for (const auto& [given, name] : absent) {
        if (given) {
            throw Error(ErrorKind::Usage, fmt::format("{}: not without a desktop (--drm)", name),
                        "leave it out");
        }
    }
    if (!options.kiosk) {
        throw Error(ErrorKind::Usage, "--drm needs --kiosk", "add --kiosk");
    }
    options.connectors = namesOf("--drm", connectors_);
    if (!mode_.empty()) {
        options.mode = parseMode(mode_);
    }
    // A stream for each display, or one for all of them.
    options.sync = frameLock_.value_or(true);
}

}  // namespace verbcast
