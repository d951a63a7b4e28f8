// Positions and stacking order of several streams' pictures in the free layout.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace verbcast {

/// The part of a picture to show, in fractions of its width and height.
struct PictureCrop {
    double left = 0, top = 0, width = 1, height = 1;
    friend bool operator==(const PictureCrop&, const PictureCrop&) = default;
};

struct PanePlace {
    std::size_t stream = 0;    ///< its number, from 0
    double left = 0, top = 0;  ///< of the picture, as fractions of the window's width and height
    double width = 0.5;        ///< fraction of the window's width
    /// Fraction of the window's height: the picture is fitted into both; 0: follows from the picture's shape.
    double height = 0;
    double opacity = 1;
    bool alpha = false;          ///< uses the picture's alpha
    bool premultiplied = false;  ///< which its colours are multiplied by already
    PictureCrop crop{};

    friend bool operator==(const PanePlace&, const PanePlace&) = default;
};

// Keeps a picture large enough to see and grab.
inline constexpr double kMinPaneWidth = 0.02, kMaxPaneWidth = 10, kMinPaneOpacity = 0.1;

/// "N:LEFT,TOP,WIDTH...": what parsePanes() takes, for help.
inline constexpr const char* kPanesValue =
    "N:LEFT,TOP,WIDTH[,OPACITY][,alpha|premultiplied][,height=H][,crop=L/T/W/H][;...]";

/// Parses "1:0,0,100;2:60,55,35,80,alpha", lowest picture first: stream 1 fills the window's width; above it,
/// stream 2 with left, top and width in percent of the window, an opacity of 80 %, and its alpha. "height=H":
/// percent of the window; "crop=L/T/W/H": percent of the picture. Throws Error{Usage} naming the wrong part.
std::vector<PanePlace> parsePanes(std::string_view text);
/// Rounded to a hundredth of a percent.
std::string panesText(const std::vector<PanePlace>& panes);

}  // namespace verbcast
