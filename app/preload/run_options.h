// Options of `verbcast run`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/send/sending_options.h"

namespace verbcast {

struct RunOptions : SendingOptions {
    RunOptions() {
        pacing = Pacing::Rate;
        rate = {60, 1};
    }
    std::optional<PictureSize> size{};   ///< pictures are scaled to this; nullopt: the window's size
    std::string audio = "auto";          ///< "auto": the program's own; "none", or a device's name
    std::vector<std::string> program{};  ///< its name or path, then its arguments
};

/// Those that the library in the program needs to know: all but the peer, its trust, and what the runner
/// does.
void addRunOptions(OptionList& list, RunOptions& options);

}  // namespace verbcast
