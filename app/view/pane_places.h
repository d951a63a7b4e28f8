// Where the pictures of several streams are in the free layout, and what lies over what.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace verbcast {

struct PanePlace {
    std::size_t stream = 0;    ///< its number, from 0
    double left = 0, top = 0;  ///< of the picture, in parts of the window's width and height
    double width = 0.5;  ///< in parts of the window's width; the height follows from the picture's shape
    double opacity = 1;
    bool alpha = false;  ///< the picture's own alpha counts

    friend bool operator==(const PanePlace&, const PanePlace&) = default;
};

// A picture stays large enough to be seen and taken hold of.
inline constexpr double kMinPaneWidth = 0.02, kMaxPaneWidth = 10, kMinPaneOpacity = 0.1;

/// "1:0,0,100;2:60,55,35,80,alpha": stream 1 fills the window's width, and over it lies stream 2: left, top
/// and width in percent of the window, an opacity of 80 %, and its alpha counts. The lowest first. Throws
/// Error{Usage}, which names the part that is wrong.
std::vector<PanePlace> parsePanes(std::string_view text);
/// To a hundredth of a percent.
std::string panesText(const std::vector<PanePlace>& panes);

}  // namespace verbcast
