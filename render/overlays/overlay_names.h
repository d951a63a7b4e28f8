// The overlays of `verbcast view --overlay`. No GL here: the command line lists them too.
#pragma once

#include <array>
#include <string_view>

namespace verbcast {

struct OverlayName {
    std::string_view name, summary;
};

inline constexpr std::string_view kWaveform = "waveform";

/// overlays.cpp makes them.
inline constexpr std::array<OverlayName, 1> kOverlayNames{
    {{kWaveform, "the brightness of each column, or its red, green and blue"}}};

}  // namespace verbcast
