#include "app/view/layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr double kUnknownAspect = 16.0 / 9;
constexpr int kAsideShare = 4;  // the others get a quarter of the target's width or height

struct Size {
    int width = 0, height = 0;
};

double aspect(const DisplaySize& picture) {
    return picture.width > 0 && picture.height > 0 ? picture.width / picture.height : kUnknownAspect;
}

Size fitted(const DisplaySize& picture, Size box) {
    const double shape = aspect(picture);
    const double width = std::min<double>(box.width, box.height * shape);
    return {std::clamp(static_cast<int>(std::lround(width)), 1, std::max(box.width, 1)),
            std::clamp(static_cast<int>(std::lround(width / shape)), 1, std::max(box.height, 1))};
}

std::int64_t areaOf(Size size) {
    return std::int64_t{size.width} * size.height;
}

TargetRect centredIn(const TargetRect& box, Size size) {
    return {box.left + (box.width - size.width) / 2, box.top + (box.height - size.height) / 2, size.width,
            size.height};
}

/// The target without the outer gap.
Size room(const LayoutRequest& request) {
    return {std::max(request.width - 2 * request.gap, 1), std::max(request.height - 2 * request.gap, 1)};
}

int shareOf(int length, int parts, int gap) {
    return std::max((length - (parts - 1) * gap) / parts, 1);
}

PicturePlace placed(std::size_t picture, const TargetRect& area) {
    return {picture, area, area};
}

struct Grid {
    int columns = 1, rows = 1;
    Size cell;  // size of the largest picture in a cell, so that gaps are even
    std::int64_t smallest = 0, total = 0;
};

Grid gridOf(int columns, const std::vector<DisplaySize>& pictures, const LayoutRequest& request) {
    const int count = static_cast<int>(pictures.size());
    Grid grid{.columns = columns, .rows = (count + columns - 1) / columns, .cell = {}};
    const Size all = room(request);
    const Size box{shareOf(all.width, grid.columns, request.gap),
                   shareOf(all.height, grid.rows, request.gap)};
    for (const DisplaySize& picture : pictures) {
        const Size size = fitted(picture, box);
        grid.cell = {std::max(grid.cell.width, size.width), std::max(grid.cell.height, size.height)};
        grid.smallest = grid.total == 0 ? areaOf(size) : std::min(grid.smallest, areaOf(size));
        grid.total += areaOf(size);
    }
    return grid;
}

/// Cells of equal size, filled row by row, with as many columns as make the smallest picture largest: a
/// viewer of several wants to see each. Among equals, the largest total wins. An incomplete last row is
/// centred.
std::vector<PicturePlace> inGrid(const std::vector<DisplaySize>& pictures, const LayoutRequest& request) {
    const int count = static_cast<int>(pictures.size());
    Grid best;
    for (int columns = 1; columns <= count; ++columns) {
        const Grid grid = gridOf(columns, pictures, request);
        if (std::tie(grid.smallest, grid.total) > std::tie(best.smallest, best.total)) {
            best = grid;
        }
    }
    const int stepX = best.cell.width + request.gap;
    const int stepY = best.cell.height + request.gap;
    const int top = (request.height - (best.rows * stepY - request.gap)) / 2;
    std::vector<PicturePlace> places;
    for (int i = 0; i < count; ++i) {
        const int row = i / best.columns;
        const int inRow = std::min(best.columns, count - row * best.columns);
        const int left = (request.width - (inRow * stepX - request.gap)) / 2;
        const TargetRect cell{left + (i % best.columns) * stepX, top + row * stepY, best.cell.width,
                              best.cell.height};
        const auto picture = static_cast<std::size_t>(i);
        places.push_back(placed(picture, centredIn(cell, fitted(pictures[picture], best.cell))));
    }
    return places;
}

/// One row (or column) of equal height (or width), centred in the target.
std::vector<PicturePlace> sideBySide(const std::vector<DisplaySize>& pictures, const LayoutRequest& request) {
    const Size all = room(request);
    const int gaps = static_cast<int>(pictures.size() - 1) * request.gap;
    double aspects = 0;
    for (const DisplaySize& picture : pictures) {
        aspects += aspect(picture);
    }
    const double height = std::max(std::min<double>(all.height, (all.width - gaps) / aspects), 1.0);
    std::vector<PicturePlace> places;
    int left = 0;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        const int width = std::max(static_cast<int>(height * aspect(pictures[i])), 1);
        places.push_back(placed(i, {left, 0, width, static_cast<int>(height)}));
        left += width + request.gap;
    }
    const int right = (request.width - (left - request.gap)) / 2;
    for (PicturePlace& place : places) {
        place.area.left += right;
        place.area.top = (request.height - place.area.height) / 2;
        place.clip = place.area;
    }
    return places;
}

/// The pictures except the focused one, fitted into boxes of equal size.
struct Others {
    std::vector<PicturePlace> places;
    Size largest;
};

Others othersIn(Size box, const std::vector<DisplaySize>& pictures, std::size_t focus) {
    Others others;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        if (i != focus) {
            const Size size = fitted(pictures[i], box);
            others.places.push_back(placed(i, {0, 0, size.width, size.height}));
            others.largest = {std::max(others.largest.width, size.width),
                              std::max(others.largest.height, size.height)};
        }
    }
    return others;
}

/// Assembles the final places, the large picture first.
std::vector<PicturePlace> underneath(const PicturePlace& large, const std::vector<PicturePlace>& others) {
    std::vector<PicturePlace> places{large};
    for (const PicturePlace& other : others) {
        places.push_back(placed(other.picture, other.area));
    }
    return places;
}

/// The others are beside the large picture or below it, depending on which leaves it larger.
std::vector<PicturePlace> oneLarge(const std::vector<DisplaySize>& pictures, const LayoutRequest& request) {
    const Size all = room(request);
    const int gap = request.gap;
    const int count = static_cast<int>(pictures.size()) - 1;
    Others beside =
        othersIn({all.width / kAsideShare, shareOf(all.height, count, gap)}, pictures, request.focus);
    Others below =
        othersIn({shareOf(all.width, count, gap), all.height / kAsideShare}, pictures, request.focus);
    const DisplaySize& focus = pictures[request.focus];
    const Size besideIt = fitted(focus, {all.width - beside.largest.width - gap, all.height});
    const Size belowIt = fitted(focus, {all.width, all.height - below.largest.height - gap});
    const bool row = areaOf(belowIt) > areaOf(besideIt);
    Others& others = row ? below : beside;
    const Size large = row ? belowIt : besideIt;

    // Centre both together.
    const int left = row ? (request.width - large.width) / 2
                         : (request.width - large.width - gap - others.largest.width) / 2;
    const int top = row ? (request.height - large.height - gap - others.largest.height) / 2
                        : (request.height - large.height) / 2;
    int taken = -gap;
    for (const PicturePlace& place : others.places) {
        taken += gap + (row ? place.area.width : place.area.height);
    }
    int at = row ? (request.width - taken) / 2 : (request.height - taken) / 2;
    for (PicturePlace& place : others.places) {
        TargetRect& area = place.area;
        area.left = row ? at : left + large.width + gap + (others.largest.width - area.width) / 2;
        area.top = row ? top + large.height + gap + (others.largest.height - area.height) / 2 : at;
        at += gap + (row ? area.width : area.height);
    }
    return underneath(placed(request.focus, {left, top, large.width, large.height}), others.places);
}

/// The others are at most a quarter as wide and high as the target, stacked upwards from its bottom right
/// corner.
std::vector<PicturePlace> pictureInPicture(const std::vector<DisplaySize>& pictures,
                                           const LayoutRequest& request) {
    const Size all = room(request);
    const int count = static_cast<int>(pictures.size()) - 1;
    Others others = othersIn({all.width / kAsideShare,
                              std::min(all.height / kAsideShare, shareOf(all.height, count, request.gap))},
                             pictures, request.focus);
    const TargetRect whole{0, 0, request.width, request.height};
    const TargetRect large =
        centredIn(whole, fitted(pictures[request.focus], {request.width, request.height}));
    int bottom = request.height - request.gap;
    for (PicturePlace& place : others.places) {
        place.area.left = request.width - request.gap - place.area.width;
        place.area.top = bottom - place.area.height;
        bottom = place.area.top - request.gap;
    }
    return underneath(placed(request.focus, large), others.places);
}

/// The picture in focus and the next, in the order of their numbers, in the first one's place; the others are
/// hidden. A difference shows both in full.
std::vector<PicturePlace> inOnePlace(const std::vector<DisplaySize>& pictures, const LayoutRequest& request) {
    const auto [left, right] = comparedPictures(pictures.size(), request.focus);
    const TargetRect whole{0, 0, request.width, request.height};
    const TargetRect area = centredIn(whole, fitted(pictures[left], {request.width, request.height}));
    if (request.layout->way == LayoutWay::Difference) {
        return {placed(left, area), placed(right, area)};
    }
    const int divider =
        std::clamp(static_cast<int>(std::lround(request.divider * area.width)), 0, area.width);
    const TargetRect before{area.left, area.top, divider, area.height};
    const TargetRect behind{area.left + divider, area.top, area.width - divider, area.height};
    return {{left, area, before}, {right, area, behind}};
}

/// The same two, the left eye's first. Side by side each has half of the target; otherwise both fill it,
/// whatever their shape.
std::vector<PicturePlace> forBothEyes(const std::vector<DisplaySize>& pictures,
                                      const LayoutRequest& request) {
    auto [left, right] = comparedPictures(pictures.size(), request.focus);
    if (request.swapEyes) {
        std::swap(left, right);
    }
    if (request.layout->way != LayoutWay::StereoSide) {
        const TargetRect whole{0, 0, request.width, request.height};
        return {placed(left, whole), placed(right, whole)};
    }
    const int half = std::max(request.width / 2, 1);
    return {placed(left, {0, 0, half, request.height}), placed(right, {half, 0, half, request.height})};
}

constexpr double kNewPaneWidth = 1.0 / 3, kNewPaneStep = 0.03;

/// What the crop shows lies in the pane's box; the whole picture may reach out of it.
PicturePlace freely(const DisplaySize& picture, const PanePlace& pane, const LayoutRequest& request) {
    const PictureCrop& crop = pane.crop;
    const DisplaySize shown{(picture.width > 0 ? picture.width : kUnknownAspect) * crop.width,
                            (picture.width > 0 ? picture.height : 1) * crop.height};
    const int width = std::max(static_cast<int>(std::lround(pane.width * request.width)), 1);
    TargetRect clip{static_cast<int>(std::lround(pane.left * request.width)),
                    static_cast<int>(std::lround(pane.top * request.height)), width,
                    std::max(static_cast<int>(std::lround(width / aspect(shown))), 1)};
    if (pane.height > 0) {
        clip.height = std::max(static_cast<int>(std::lround(pane.height * request.height)), 1);
        clip = centredIn(clip, fitted(shown, {clip.width, clip.height}));
    }
    const double wholeWidth = clip.width / crop.width, wholeHeight = clip.height / crop.height;
    const TargetRect area{static_cast<int>(std::lround(clip.left - crop.left * wholeWidth)),
                          static_cast<int>(std::lround(clip.top - crop.top * wholeHeight)),
                          static_cast<int>(std::lround(wholeWidth)),
                          static_cast<int>(std::lround(wholeHeight))};
    return {pane.stream, area, clip, {static_cast<float>(pane.opacity), pane.alpha, pane.premultiplied}};
}

/// As the panes say, the first one lowest. Pictures without a pane are above: in a grid if there are no panes
/// at all, else in the middle, each a little lower and further to the right.
std::vector<PicturePlace> asPlaced(const std::vector<DisplaySize>& pictures, const LayoutRequest& request) {
    if (request.panes.empty()) {
        return inGrid(pictures, request);
    }
    std::vector<PicturePlace> places;
    std::vector<bool> named(pictures.size());
    for (const PanePlace& pane : request.panes) {
        if (pane.stream < pictures.size()) {
            places.push_back(freely(pictures[pane.stream], pane, request));
            named[pane.stream] = true;
        }
    }
    double step = 0;
    for (std::size_t picture = 0; picture < pictures.size(); ++picture) {
        if (!named[picture]) {
            const double corner = (1 - kNewPaneWidth) / 2 + step;
            places.push_back(
                freely(pictures[picture],
                       {.stream = picture, .left = corner, .top = corner, .width = kNewPaneWidth}, request));
            step = std::fmod(step + kNewPaneStep, kNewPaneWidth);
        }
    }
    return places;
}

using enum LayoutWay;

constexpr std::array kLayouts{
    Layout{"grid", "Grid", "rows and columns", Plain, inGrid},
    Layout{"focus", "One large", "one large, the others beside it", Plain, oneLarge},
    Layout{"side", "Side by side", "side by side", Plain, sideBySide},
    Layout{"pip", "Picture in picture", "picture in picture", Plain, pictureInPicture},
    Layout{"wipe", "Wipe", "two in one place, on either side of a line that can be dragged", Wipe,
           inOnePlace},
    Layout{"difference", "Difference", "the difference of two, with numbers", Difference, inOnePlace},
    Layout{"free", "Free", "placed freely, over or under each other", Free, asPlaced},
    Layout{"stereo-side", "Stereo, side by side", "stereo: side by side, half of the window for each eye",
           StereoSide, forBothEyes},
    Layout{"stereo-half", "Stereo, half width", "stereo: side by side, each squeezed to half of its width",
           StereoHalf, forBothEyes},
    Layout{"anaglyph", "Stereo, anaglyph", "stereo: for red and cyan glasses", Anaglyph, forBothEyes},
    Layout{"interlaced", "Stereo, interlaced", "stereo: alternate rows of the screen for each eye",
           Interlaced, forBothEyes},
    Layout{"page-flip", "Stereo, page flip",
           "stereo: alternate pictures for each eye, if the display supports it", PageFlip, forBothEyes},
};

}  // namespace

std::span<const Layout> layouts() {
    return kLayouts;
}

const Layout& layoutNamed(std::string_view name) {
    const auto found = std::ranges::find(kLayouts, name, &Layout::name);
    if (found == kLayouts.end()) {
        throw Error(ErrorKind::Internal, "no layout " + std::string(name));
    }
    return *found;
}

std::pair<std::size_t, std::size_t> comparedPictures(std::size_t count, std::size_t focus) {
    return std::minmax<std::size_t>({focus, (focus + 1) % count});
}

std::vector<PicturePlace> layOut(const std::vector<DisplaySize>& pictures, const LayoutRequest& request) {
    if (pictures.empty()) {
        return {};
    }
    const bool free = request.placesOne && request.layout->way == Free && !request.panes.empty();
    if (pictures.size() == 1 && !free) {
        return request.placesOne ? inGrid(pictures, request)
                                 : std::vector{placed(0, {0, 0, request.width, request.height})};
    }
    return request.layout->place(pictures, request);
}

}  // namespace verbcast
