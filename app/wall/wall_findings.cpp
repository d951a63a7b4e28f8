#include "app/wall/wall_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/text/clean_text.h"
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

/// Two displays along one axis, side by side or one below the other.
struct Neighbours {
    std::uint32_t overlap;
    std::uint32_t firstBlends, secondBlends;
    bool nested;  // one lies within the other
};

struct Extent {
    std::uint32_t begin, end, blendBefore, blendAfter;
    friend bool operator==(const Extent&, const Extent&) = default;
};

Extent across(const WallDisplay& display) {
    return {display.rectangle.x, right(display.rectangle), display.blend.left, display.blend.right};
}
Extent down(const WallDisplay& display) {
    return {display.rectangle.y, bottom(display.rectangle), display.blend.top, display.blend.bottom};
}

Neighbours neighbours(Extent a, Extent b) {
    if (b.begin < a.begin || (b.begin == a.begin && b.end < a.end)) {
        std::swap(a, b);
    }
    const bool nested = a.begin == b.begin || a.end >= b.end;
    return {std::min(a.end, b.end) - b.begin, a.blendAfter, b.blendBefore, nested};
}

bool overlap(const WallDisplay& a, const WallDisplay& b) {
    return !commonPart(a.rectangle, b.rectangle).isEmpty();
}

bool sameExtent(const Extent& a, const Extent& b) {
    return a.begin == b.begin && a.end == b.end;
}

/// Along one axis, for two displays that overlap: returns whether that is allowed.
bool blendsAlong(const Extent& a, const Extent& b) {
    if (sameExtent(a, b)) {
        return true;  // the other axis decides
    }
    const Neighbours pair = neighbours(a, b);
    return !pair.nested && pair.firstBlends == pair.overlap && pair.secondBlends == pair.overlap;
}

void findOverlapProblem(const WallDisplay& a, const WallDisplay& b, Findings& findings) {
    if (!overlap(a, b)) {
        return;
    }
    const bool same = sameExtent(across(a), across(b)) && sameExtent(down(a), down(b));
    if (!same && blendsAlong(across(a), across(b)) && blendsAlong(down(a), down(b))) {
        return;
    }
    const std::uint32_t width =
        std::min(right(a.rectangle), right(b.rectangle)) - std::max(a.rectangle.x, b.rectangle.x);
    const std::uint32_t height =
        std::min(bottom(a.rectangle), bottom(b.rectangle)) - std::max(a.rectangle.y, b.rectangle.y);
    findings.push_back(fmt::format(
        "{} and {} overlap by {}x{} pixels and do not blend there: blend of as many pixels on the sides "
        "where they meet expected, or rectangles beside each other",
        a.name, b.name, width, height));
}

/// Finds sides that fade although no other display adds its light.
void findUnansweredBlends(const Wall& wall, const WallDisplay& display, Findings& findings) {
    const FrameRect& own = display.rectangle;
    struct Side {
        const char* name;
        std::uint32_t pixels;
        bool (*answers)(const FrameRect& own, const FrameRect& other, std::uint32_t pixels);
    };
    const std::array<Side, 4> sides{{
        {"left", display.blend.left,
         [](const FrameRect& a, const FrameRect& b, std::uint32_t n) {
             return b.x < a.x && right(b) == a.x + n;
         }},
        {"right", display.blend.right,
         [](const FrameRect& a, const FrameRect& b, std::uint32_t n) {
             return right(b) > right(a) && b.x + n == right(a);
         }},
        {"top", display.blend.top,
         [](const FrameRect& a, const FrameRect& b, std::uint32_t n) {
             return b.y < a.y && bottom(b) == a.y + n;
         }},
        {"bottom", display.blend.bottom,
         [](const FrameRect& a, const FrameRect& b, std::uint32_t n) {
             return bottom(b) > bottom(a) && b.y + n == bottom(a);
         }},
    }};
    for (const Side& side : sides) {
        const bool answered =
            side.pixels == 0 || std::ranges::any_of(wall.displays, [&](const WallDisplay& other) {
                return overlap(display, other) && side.answers(own, other.rectangle, side.pixels);
            });
        if (!answered) {
            findings.push_back(
                fmt::format("{}: blend.{} fades {} pixels, and no other display overlaps it by as many there",
                            display.name, side.name, side.pixels));
        }
    }
}

/// Divides the canvas into cells, each entirely shown or not shown by a display.
class Cells {
  public:
    /// Marks what `rects` cover of `area`.
    Cells(const FrameRect& area, const std::vector<FrameRect>& rects) {
        const auto within = [](std::uint32_t at, std::uint32_t from, std::uint32_t to) {
            return std::clamp(at, from, to);
        };
        std::set<std::uint32_t> xs{area.x, right(area)}, ys{area.y, bottom(area)};
        for (const FrameRect& rect : rects) {
            xs.insert({within(rect.x, area.x, right(area)), within(right(rect), area.x, right(area))});
            ys.insert({within(rect.y, area.y, bottom(area)), within(bottom(rect), area.y, bottom(area))});
        }
        xs_.assign(xs.begin(), xs.end());
        ys_.assign(ys.begin(), ys.end());
        shown_.resize((xs_.size() - 1) * (ys_.size() - 1));
        for (const FrameRect& rect : rects) {
            mark(rect);
        }
    }
    /// The widest run of uncovered cells in the first row that has one; 0 by 0: none.
    FrameRect firstHole() const {
        for (std::size_t y = 0; y + 1 < ys_.size(); ++y) {
            for (std::size_t x = 0; x + 1 < xs_.size(); ++x) {
                if (!shown_[y * (xs_.size() - 1) + x]) {
                    std::size_t end = x;
                    while (end + 1 < xs_.size() && !shown_[y * (xs_.size() - 1) + end]) {
                        ++end;
                    }
                    return {static_cast<std::uint16_t>(xs_[x]), static_cast<std::uint16_t>(ys_[y]),
                            static_cast<std::uint16_t>(xs_[end] - xs_[x]),
                            static_cast<std::uint16_t>(ys_[y + 1] - ys_[y])};
                }
            }
        }
        return {};
    }
    double hiddenPixels() const {
        double pixels = 0;
        for (std::size_t y = 0; y + 1 < ys_.size(); ++y) {
            for (std::size_t x = 0; x + 1 < xs_.size(); ++x) {
                pixels += shown_[y * (xs_.size() - 1) + x]
                              ? 0
                              : static_cast<double>(xs_[x + 1] - xs_[x]) * (ys_[y + 1] - ys_[y]);
            }
        }
        return pixels;
    }

  private:
    void mark(const FrameRect& rect) {
        for (std::size_t y = 0; y + 1 < ys_.size(); ++y) {
            for (std::size_t x = 0; x + 1 < xs_.size() && ys_[y] >= rect.y && ys_[y + 1] <= bottom(rect);
                 ++x) {
                if (xs_[x] >= rect.x && xs_[x + 1] <= right(rect)) {
                    shown_[y * (xs_.size() - 1) + x] = true;
                }
            }
        }
    }

    std::vector<std::uint32_t> xs_, ys_;
    std::vector<bool> shown_;
};

Cells shownCells(const Wall& wall) {
    std::vector<FrameRect> rects;
    for (const WallDisplay& display : wall.displays) {
        rects.push_back(display.rectangle);
    }
    // The canvas has at most kMaxDimension pixels per side, which fit.
    return {{0, 0, static_cast<std::uint16_t>(wall.width), static_cast<std::uint16_t>(wall.height)}, rects};
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
    std::vector<std::string_view> names;
    for (const WallSource& source : wall.sources) {
        names.emplace_back(source.name);
    }
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
