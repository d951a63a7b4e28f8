// Arranges the pictures of several streams in a window. Pure arithmetic, in device pixels.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "app/view/pane_places.h"
#include "app/view/words/layout_names.h"
#include "render/stream_renderer.h"

namespace verbcast {

struct PicturePlace {
    std::size_t picture = 0;  ///< its number, from 0
    TargetRect area;          ///< whole pixels; the picture's aspect ratio, as nearly as they allow
    TargetRect clip;          ///< visible part of the area
    Blend blend{};

    friend bool operator==(const PicturePlace&, const PicturePlace&) = default;
};

struct LayoutRequest {
    Layout layout = Layout::Grid;
    int width = 0, height = 0;           ///< of the target
    int gap = 0;                         ///< between pictures, and around them
    std::size_t focus = 0;               ///< the large picture
    double divider = 0.5;                ///< position of a wipe's line, as a fraction of the picture's width
    std::span<const PanePlace> panes{};  ///< of the free layout
    bool swapEyes = false;               ///< of a stereo layout: the second picture is for the left eye
};

/// Returns a place for each picture (except in Wipe, Difference and the stereo layouts) in drawing order:
/// later ones cover earlier ones. A single picture gets the whole target, whatever its shape. A size of 0
/// means that the picture has not come yet; its place is 16:9.
///
/// Grid: cells of equal size, filled row by row, with as many columns as make the smallest picture largest:
/// a viewer of several wants to see each. Among equals, the largest total wins. An incomplete last row is
/// centred.
/// Focus: the others are beside the large picture or below it, depending on which leaves it larger.
/// Side: one row, of equal height.
/// Wipe and Difference: the picture in focus and the next, in the order of their numbers, in the first one's
/// place; the others are hidden. A difference shows both in full. Pip: the others are at most a quarter as
/// wide and high as the target, stacked upwards from its bottom right corner.
/// Stereo: the same two, the left eye's first. StereoSide gives each half of the target; otherwise both fill
/// it, whatever their shape.
/// Free: as the panes say, the first one lowest. Pictures without a pane are above: in a grid if there are no
/// panes at all, else in the middle, each a little lower and further to the right.
std::vector<PicturePlace> layOut(const std::vector<DisplaySize>& pictures, const LayoutRequest& request);

/// The two pictures to compare: the one in focus and the next, the lower number first. `count` is at least
/// two.
std::pair<std::size_t, std::size_t> comparedPictures(std::size_t count, std::size_t focus);

}  // namespace verbcast
