// Names of the patterns of `verbcast send pattern:NAME`. Only names: windows list them too.
#pragma once

#include <array>
#include <string_view>

namespace verbcast {

struct PatternName {
    std::string_view name, summary;
};

/// In the order of PatternKind. The first is the default.
inline constexpr std::array<PatternName, 6> kPatternNames{
    {{"bars", "75% colour bars (SMPTE RP 219) with a line that moves"},
     {"gradient", "smooth colours that move sideways"},
     {"noise", "new noise in every frame: nothing to compress or predict"},
     {"zone", "zone plate up to the finest detail, panning"},
     {"counter", "large frame counter and time code"},
     {"flash", "black, and white at each whole second"}}};

}  // namespace verbcast
