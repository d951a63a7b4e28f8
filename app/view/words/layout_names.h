// How the pictures of several streams share a window.
#pragma once

#include <array>
#include <string_view>

namespace verbcast {

/// In the order of kLayouts.
enum class Layout {
    Grid,
    Focus,
    Side,
    Pip,
    Wipe,
    Difference,
    Free,
    // For two streams, one for each eye:
    StereoSide,
    StereoHalf,
    Anaglyph,
    Interlaced,
    PageFlip,
};

constexpr bool isStereo(Layout layout) {
    return layout >= Layout::StereoSide;
}

struct LayoutName {
    Layout layout;
    std::string_view name;
    std::string_view meaning;  ///< for --help, and for the windows' languages (core_words.cpp)
};
inline constexpr std::array<LayoutName, 12> kLayouts{{
    {Layout::Grid, "grid", "rows and columns"},
    {Layout::Focus, "focus", "one large, the others beside it"},
    {Layout::Side, "side", "side by side"},
    {Layout::Pip, "pip", "picture in picture"},
    {Layout::Wipe, "wipe", "two in one place, on either side of a line that can be dragged"},
    {Layout::Difference, "difference", "the difference of two, with numbers"},
    {Layout::Free, "free", "placed with the mouse, over or under each other"},
    {Layout::StereoSide, "stereo-side", "stereo: side by side, half of the window for each eye"},
    {Layout::StereoHalf, "stereo-half", "stereo: side by side, each squeezed to half of its width"},
    {Layout::Anaglyph, "anaglyph", "stereo: for red and cyan glasses"},
    {Layout::Interlaced, "interlaced", "stereo: alternate rows of the screen for each eye"},
    {Layout::PageFlip, "page-flip", "stereo: alternate pictures for each eye, if the display supports it"},
}};

constexpr std::string_view layoutName(Layout layout) {
    return kLayouts.at(static_cast<std::size_t>(layout)).name;
}
constexpr std::string_view meaningOf(Layout layout) {
    return kLayouts.at(static_cast<std::size_t>(layout)).meaning;
}

}  // namespace verbcast
