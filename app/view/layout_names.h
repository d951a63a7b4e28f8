// How the pictures of several streams share a window.
#pragma once

#include <array>
#include <string_view>

namespace verbcast {

enum class Layout { Grid, Focus, Side, Pip, Wipe, Difference };

struct LayoutName {
    Layout layout;
    std::string_view name;
    std::string_view meaning;  ///< for --help, and for the windows' languages (core_words.cpp)
};
inline constexpr std::array<LayoutName, 6> kLayouts{{
    {Layout::Grid, "grid", "rows and columns"},
    {Layout::Focus, "focus", "one large, the others aside"},
    {Layout::Side, "side", "side by side"},
    {Layout::Pip, "pip", "picture in picture"},
    {Layout::Wipe, "wipe", "two in one place, on either side of a line that can be dragged"},
    {Layout::Difference, "difference", "how far two differ, with numbers"},
}};

}  // namespace verbcast
