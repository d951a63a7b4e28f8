// Charts as SVG text for the HTML report: no scripts, no external references, styled by the page's classes.
//
// All are 900 units wide and scale with the page. Values that are not numbers, or that a logarithmic axis
// cannot show, are left out; a chart with nothing to show is an empty string.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/bench/report/svg_axis.h"

namespace verbcast::svg {

/// Escapes text for HTML and SVG, between tags and in attributes: & < > " ' are escaped, control characters
/// dropped.
std::string escaped(std::string_view text);

struct Point {
    double x = 0, y = 0;
};

struct Series {
    std::string name;    ///< at the line's right end, or in the legend below
    std::string colour;  ///< CSS
    bool dashed = false;
    bool dots = true;                ///< a dot at each point
    std::vector<Point> points;       ///< sorted by x
    std::optional<Point> mark = {};  ///< a diamond: a fitted or derived point
};

/// A vertical line across the chart with a label.
struct Vertical {
    double x = 0;
    std::string label, colour;
};

struct LineChart {
    std::string description;  ///< alternative text
    Axis x, y;
    std::vector<Series> series;
    std::vector<Vertical> verticals = {};
    bool legendBelow = false;  ///< legend below the chart, for lines that end at the same height
};
std::string draw(const LineChart& chart);

/// A horizontal bar, with a thin reference bar below it.
struct Bar {
    std::string label, detail, remark;  ///< left of the bar, one below the other
    std::string colour;
    double value = 0;
    std::string valueText;  ///< right of the bar
    std::optional<double> reference = {};
    std::string referenceText = {};
    bool hatched = false;
};
struct BarChart {
    std::string description, unit;
    std::vector<Bar> bars;
};
std::string draw(const BarChart& chart);

/// Bands stacked in one bar, and each in its own lane with a whisker.
struct Band {
    std::string name, colour;
    double value = 0;    ///< length of the band
    double whisker = 0;  ///< where its whisker ends, from the band's start
    std::string text;    ///< beside the lane
};
struct BandChart {
    std::string description, axisLabel;
    std::vector<Band> bands;
    double total = 0, totalWhisker = 0;  ///< of the combined bar
    std::string totalText;
};
std::string draw(const BandChart& chart);

}  // namespace verbcast::svg
