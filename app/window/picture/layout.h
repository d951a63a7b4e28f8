// Where the pictures of several streams lie in one window. Pure arithmetic, in device pixels.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "app/view/layout_names.h"
#include "app/view/pane_places.h"
#include "render/stream_renderer.h"

namespace verbcast {

struct PicturePlace {
    std::size_t picture = 0;  ///< its number, from 0
    TargetRect area;          ///< whole pixels; has the picture's shape, as nearly as they allow
    TargetRect clip;          ///< what is seen of the area
    Blend blend{};

    friend bool operator==(const PicturePlace&, const PicturePlace&) = default;
};

struct LayoutRequest {
    Layout layout = Layout::Grid;
    int width = 0, height = 0;           ///< of the target
    int gap = 0;                         ///< between pictures, and around them
    std::size_t focus = 0;               ///< the picture that is the large one
    double divider = 0.5;                ///< where the line of a wipe is, in parts of the picture's width
    std::span<const PanePlace> panes{};  ///< of the free layout
    bool swapEyes = false;               ///< of a stereo layout: the second picture is the left eye's
};

/// A place for each picture (but see Wipe, Difference and the stereo layouts), in the order of drawing: a
/// later one lies over those before. One picture alone has the whole target, whatever its shape. A size of 0
/// is that of a picture that has not come yet; it gets a place of 16:9.
///
/// Grid: cells of one size, filled row by row, as many columns as make the smallest picture largest: who
/// watches several at once wants to see each. Of arrangements that are equal in that, the one with the
/// largest total. An incomplete last row is centred.
/// Focus: the others stand beside the large one or below it, where it stays larger.
/// Side: one row, of one height.
/// Wipe and Difference: the picture in focus and the next one, in the order of their numbers, in the place of
/// the first; the others are left out. Of a difference both are seen all over. Pip: the others are at most a
/// quarter as wide and high as the target, in its bottom right corner, in a column from there up.
/// Stereo: the same two, the left eye's first. StereoSide gives each a half of the target; in the others both
/// have all of it, whatever their shape.
/// Free: as the panes say, the first one lowest. A picture that they leave out lies above: as in a grid while
/// they are none, else in the middle, each a little lower and further to the right.
std::vector<PicturePlace> layOut(const std::vector<DisplaySize>& pictures, const LayoutRequest& request);

/// The two pictures that are compared: the one in focus and the next, the lower number first. Of two at
/// least.
std::pair<std::size_t, std::size_t> comparedPictures(std::size_t count, std::size_t focus);

}  // namespace verbcast
