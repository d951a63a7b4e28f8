// Lines that change a mosaic while it runs.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/commands/compose/mosaic/sound/audio_from.h"
#include "app/view/layout.h"
#include "app/view/pane_places.h"

namespace verbcast::mosaic {

struct SetLayout {
    const Layout* layout;
};
struct SetFocus {
    std::size_t input;  ///< from 0
};
/// All inputs by their numbers so far, from 0.
struct SetOrder {
    std::vector<std::size_t> inputs;
};
struct SetPanes {
    std::vector<PanePlace> panes;
};
struct SetFade {
    std::chrono::nanoseconds fade;
};
struct SetNames {
    bool shown;
};
struct SetAudio {
    AudioFrom from;
};
struct Add {
    std::string input;
};
struct Remove {
    std::size_t input;
};
struct Replace {
    std::size_t input;
    std::string by;
};
using Change =
    std::variant<SetLayout, SetFocus, SetOrder, SetPanes, SetFade, SetNames, SetAudio, Add, Remove, Replace>;

/// For help.
inline constexpr const char* kChangesHelp =
    "layout NAME, focus N, order N N ..., panes PANES, fade SECONDS, names on|off, "
    "audio focus|N|mix|none, add URL, remove N, replace N URL";

/// "focus 2": see kChangesHelp. `inputs`: how many there are. Throws Error{Usage} that names what is wrong.
Change parseChange(std::string_view line, std::size_t inputs);

/// "0.5": seconds, at most kMaxFadeSeconds. Throws Error{Usage}.
std::chrono::nanoseconds parseFade(std::string_view text);

/// The layouts that a mosaic has: all that show any number of pictures.
bool isForMosaics(const Layout& layout);

inline constexpr double kMaxFadeSeconds = 1;

}  // namespace verbcast::mosaic
