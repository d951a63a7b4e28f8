#include "app/wall/wall_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "core/base/text/clean_text.h"
#include "core/base/text/names_in.h"
#include "core/video/video_format.h"

namespace verbcast {
namespace {

using Findings = std::vector<std::string>;

std::uint32_t right(const FrameRect& rect) {
    return std::uint32_t{rect.x} + rect.width;
}
std::uint32_t bottom(const FrameRect& rect) {
    return std::uint32_t{rect.y} + rect.height;
}

std::string placeText(const FrameRect& rect) {
    return fmt::format("{}x{} at {},{}", rect.width, rect.height, rect.x, rect.y);
}

bool liesOnCanvas(const Wall& wall, const FrameRect& rect) {
    return right(rect) <= wall.width && bottom(rect) <= wall.height;
}

void findDisplayProblems(const Wall& wall, const WallDisplay& display, Findings& findings) {
    const FrameRect& rect = display.rectangle;
    if (!liesOnCanvas(wall, rect)) {
        findings.push_back(fmt::format("{}: its rectangle, {}, extends beyond the canvas of {}x{}",
                                       display.name, placeText(rect), wall.width, wall.height));
    }
    const EdgeBlend& blend = display.blend;
    if (blend.left + blend.right > rect.width || blend.top + blend.bottom > rect.height) {
        findings.push_back(fmt::format("{}: it blends {} + {} pixels across and {} + {} down, and has {}x{}",
                                       display.name, blend.left, blend.right, blend.top, blend.bottom,
                                       rect.width, rect.height));
    }
    if (const auto problem = cornersProblem(display.corners)) {
        findings.push_back(fmt::format("{}: {}", display.name, *problem));
    }
}

/// A display along one axis.
struct Extent {
    std::uint32_t begin, end, blendBefore, blendAfter;
};

Extent across(const WallDisplay& display) {
    return {display.rectangle.x, right(display.rectangle), display.blend.left, display.blend.right};
}
Extent down(const WallDisplay& display) {
    return {display.rectangle.y, bottom(display.rectangle), display.blend.top, display.blend.bottom};
}

bool overlap(const WallDisplay& a, const WallDisplay& b) {
    return !commonPart(a.rectangle, b.rectangle).isEmpty();
}

bool sameExtent(const Extent& a, const Extent& b) {
    return a.begin == b.begin && a.end == b.end;
}

/// Along one axis, for two displays that overlap: returns whether that is allowed.
bool blendsAlong(Extent a, Extent b) {
    if (sameExtent(a, b)) {
        return true;  // the other axis decides
    }
    if (b.begin < a.begin) {
        std::swap(a, b);
    }
    const bool nested = a.begin == b.begin || a.end >= b.end;
    return !nested && a.blendAfter == a.end - b.begin && b.blendBefore == a.end - b.begin;
}

void findOverlapProblem(const WallDisplay& a, const WallDisplay& b, Findings& findings) {
    if (!overlap(a, b)) {
        return;
    }
    const bool same = sameExtent(across(a), across(b)) && sameExtent(down(a), down(b));
    if (!same && blendsAlong(across(a), across(b)) && blendsAlong(down(a), down(b))) {
        return;
    }
    const FrameRect common = commonPart(a.rectangle, b.rectangle);
    findings.push_back(fmt::format(
        "{} and {} overlap by {}x{} pixels and do not blend there: blend of as many pixels on the sides "
        "where they meet expected, or rectangles beside each other",
        a.name, b.name, common.width, common.height));
}

/// Finds sides that fade although no other display adds its light.
void findUnansweredBlends(const Wall& wall, const WallDisplay& display, Findings& findings) {
    const auto look = [&](const char* side, std::uint32_t pixels, Extent (*along)(const WallDisplay&),
                          bool before) {
        const Extent own = along(display);
        const auto answers = [&](const WallDisplay& other) {
            const Extent its = along(other);
            return overlap(display, other) && (before ? its.begin < own.begin && its.end == own.begin + pixels
                                                      : its.end > own.end && its.begin + pixels == own.end);
        };
        if (pixels != 0 && std::ranges::none_of(wall.displays, answers)) {
            findings.push_back(
                fmt::format("{}: blend.{} fades {} pixels, and no other display overlaps it by as many there",
                            display.name, side, pixels));
        }
    };
    look("left", display.blend.left, across, true);
    look("right", display.blend.right, across, false);
    look("top", display.blend.top, down, true);
    look("bottom", display.blend.bottom, down, false);
}

/// Divides the canvas into cells, each entirely shown or not shown by a display.
class Cells {
  public:
    /// Marks what `rects` cover of `area`.
    Cells(const FrameRect& area, const std::vector<FrameRect>& rects) {
        std::set<std::uint32_t> xs{area.x, right(area)}, ys{area.y, bottom(area)};
        for (const FrameRect& rect : rects) {
            if (const FrameRect part = commonPart(area, rect); !part.isEmpty()) {
                xs.insert({part.x, right(part)});
                ys.insert({part.y, bottom(part)});
            }
        }
        for (auto y = ys.begin(); std::next(y) != ys.end(); ++y) {
            for (auto x = xs.begin(); std::next(x) != xs.end(); ++x) {
                const FrameRect cell = frameRect(*x, *y, *std::next(x) - *x, *std::next(y) - *y);
                if (std::ranges::none_of(
                        rects, [&](const FrameRect& rect) { return !commonPart(cell, rect).isEmpty(); })) {
                    hidden_.push_back(cell);
                }
            }
        }
    }
    /// The widest run of uncovered cells in the first row that has one; 0 by 0: none.
    FrameRect firstHole() const {
        FrameRect hole = hidden_.empty() ? FrameRect{} : hidden_.front();
        for (const FrameRect& cell : hidden_) {
            if (cell.y == hole.y && cell.x == right(hole)) {
                hole.width = static_cast<std::uint16_t>(hole.width + cell.width);
            }
        }
        return hole;
    }
    double hiddenPixels() const {
        double pixels = 0;
        for (const FrameRect& cell : hidden_) {
            pixels += static_cast<double>(cell.width) * cell.height;
        }
        return pixels;
    }

  private:
    std::vector<FrameRect> hidden_;  // row by row, from left to right
};

Cells shownCells(const Wall& wall) {
    std::vector<FrameRect> rects;
    for (const WallDisplay& display : wall.displays) {
        rects.push_back(display.rectangle);
    }
    // The canvas has at most kMaxDimension pixels per side, which fit.
    return {frameRect(0, 0, wall.width, wall.height), rects};
}

void findSourceProblems(const Wall& wall, Findings& findings) {
    std::set<std::string_view> names;
    std::vector<FrameRect> rects;
    for (const WallSource& source : wall.sources) {
        if (!names.insert(source.name).second) {
            findings.push_back(fmt::format("two sources have the name {}", source.name));
        }
        if (!liesOnCanvas(wall, source.rectangle)) {
            findings.push_back(fmt::format("source {}: its rectangle, {}, extends beyond the canvas of {}x{}",
                                           source.name, placeText(source.rectangle), wall.width,
                                           wall.height));
        }
        for (const WallSource& other : wall.sources) {
            if (&other < &source && !commonPart(source.rectangle, other.rectangle).isEmpty()) {
                findings.push_back(
                    fmt::format("the sources {} and {} overlap: rectangles beside each other expected",
                                other.name, source.name));
            }
        }
        rects.push_back(source.rectangle);
    }
    for (const WallDisplay& display : wall.displays) {
        if (const FrameRect hole = Cells(display.rectangle, rects).firstHole(); hole.width != 0) {
            findings.push_back(fmt::format(
                "no source sends {} of the display {}: sources without holes between them expected",
                placeText(hole), display.name));
        }
    }
}

void findConductorProblem(const Wall& wall, Findings& findings) {
    if (wall.conductor.empty() || wall.findSource(wall.conductor) != nullptr) {
        return;
    }
    const std::vector<std::string> names = namesIn(wall.sources, &WallSource::name);
    findings.push_back(fmt::format(
        "conductor: no source has the name {}{}", cleanText(wall.conductor, kMaxDisplayNameBytes),
        names.empty() ? ", the file has none" : fmt::format("; there are {}", fmt::join(names, ", "))));
}

}  // namespace

std::optional<std::string> cornersProblem(const ScreenCorners& corners) {
    // Turning the same way at every corner means that the picture is not folded, mirrored or flat.
    constexpr double kMinTurn = 1e-3;  // cross product in screen units: a triangle of 1/2000 of the screen
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const ScreenPoint& a = corners[i];
        const ScreenPoint& b = corners[(i + 1) % 4];
        const ScreenPoint& c = corners[(i + 2) % 4];
        const double turn = (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
        if (!(turn >= kMinTurn)) {
            return "its corners are invalid: top_left, top_right, bottom_right and bottom_left clockwise "
                   "around a convex area expected";
        }
    }
    return std::nullopt;
}

double hiddenPercent(const Wall& wall) {
    return 100 * shownCells(wall).hiddenPixels() / (static_cast<double>(wall.width) * wall.height);
}

std::vector<std::string> findingsOf(const Wall& wall) {
    Findings findings;
    std::set<std::string_view> names;
    for (const WallDisplay& display : wall.displays) {
        if (!names.insert(display.name).second) {
            findings.push_back(fmt::format("two displays have the name {}", display.name));
        }
        findDisplayProblems(wall, display, findings);
        findUnansweredBlends(wall, display, findings);
    }
    for (std::size_t i = 0; i < wall.displays.size(); ++i) {
        for (std::size_t k = i + 1; k < wall.displays.size(); ++k) {
            findOverlapProblem(wall.displays[i], wall.displays[k], findings);
        }
    }
    if (!wall.sources.empty()) {
        findSourceProblems(wall, findings);
    }
    findConductorProblem(wall, findings);
    if (const FrameRect hole = shownCells(wall).firstHole(); hole.width != 0 && !wall.gaps) {
        findings.push_back(fmt::format(
            "no display shows {:.3g} % of the canvas, the first of it {}: displays without holes between "
            "them expected, or \"gaps\": true in the canvas where bezels hide them",
            hiddenPercent(wall), placeText(hole)));
    }
    return findings;
}

}  // namespace verbcast
