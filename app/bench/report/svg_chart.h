// A chart, and its axes, as SVG text for the HTML report: no scripts, no external references, styled by the
// page's classes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace verbcast::svg {

/// One of several colours for unordered items, distinguishable by colour-blind people.
std::string plainColour(std::size_t index);
/// One of `count` colours for ordered items.
std::string orderedColour(std::size_t index, std::size_t count);

/// Log2 has its ticks at powers of two. Nines spaces fractions by their number of nines, so that 0.5, 0.9,
/// 0.99 and 0.999 are about equally far apart; 1 is at the upper end.
enum class Scale { Linear, Log10, Log2, Nines };
enum class Unit { Number, Bytes, Microseconds };

struct Axis {
    std::string label;
    Scale scale = Scale::Linear;
    Unit unit = Unit::Number;
};

/// Maps values to chart units. Values beyond the ends are drawn at the ends.
struct Mapping {
    Scale scale = Scale::Linear;
    double least = 0, most = 1;  ///< on the scale: logarithms, numbers of nines
    double from = 0, to = 1;
    double operator()(double value) const;
};
/// An axis with round ends that includes all of `values`, which must not be empty and must all be showable.
Mapping mappingFor(Scale scale, const std::vector<double>& values, double from, double to);
std::vector<double> ticksOf(const Mapping& mapping);
/// "64 KiB", "10 ms", "99.9%", "20k"
std::string tickText(const Axis& axis, double value);

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
