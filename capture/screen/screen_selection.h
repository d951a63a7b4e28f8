// The part of a screen to send, as written after "screen:".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "capture/screen/rectangle.h"

namespace verbcast {

struct WholeScreen {
    friend bool operator==(const WholeScreen&, const WholeScreen&) = default;
};
struct NamedMonitor {
    std::string name;
    friend bool operator==(const NamedMonitor&, const NamedMonitor&) = default;
};
struct OneWindow {
    std::uint32_t id = 0;
    friend bool operator==(const OneWindow&, const OneWindow&) = default;
};
struct FixedPart {
    Rectangle part;
    friend bool operator==(const FixedPart&, const FixedPart&) = default;
};

using ScreenSelection = std::variant<WholeScreen, NamedMonitor, OneWindow, FixedPart>;

/// Parses "", "monitor=NAME", "window=ID" (decimal or 0x...), "rect=WxH+X+Y". Throws Error{Usage}.
ScreenSelection parseScreenSelection(std::string_view what);

/// "screen", "monitor HDMI-1", "window 0x1400007", "640x480+10+20".
std::string describe(const ScreenSelection& selection);

}  // namespace verbcast
