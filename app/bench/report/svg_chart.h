// A chart as SVG text for the HTML report: no scripts, no external references, styled by the page's classes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/bench/report/svg_axis.h"

namespace verbcast::svg {

/// Escapes text for HTML and SVG, between tags and in attributes: & < > " ' are escaped, control characters
/// dropped.
std::string escaped(std::string_view text);

/// One of several colours for unordered items, distinguishable by colour-blind people.
std::string plainColour(std::size_t index);
/// One of `count` colours for ordered items.
std::string orderedColour(std::size_t index, std::size_t count);

struct Point {
    double x = 0, y = 0;
};

enum class Mark { None, Dot, Diamond };

struct Series {
    std::string name;                ///< in the legend; "": not there
    std::string colour;              ///< CSS
    std::string dashes = {};         ///< of the line, as stroke-dasharray; "": not dashed
    Mark mark = Mark::Dot;           ///< at each point
    std::vector<Point> points = {};  ///< sorted by x
};

/// Values that are not numbers, or that a logarithmic axis cannot show, are left out.
struct Chart {
    std::string title, caption;
    Axis x, y;
    std::vector<Series> series = {};
};

/// As wide as its texts need: none is cut off. Empty if there is nothing to show.
std::string draw(const Chart& chart);

}  // namespace verbcast::svg
