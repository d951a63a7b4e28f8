// Charts as SVG text for the HTML report: no scripts, nothing outside, styled by the page's classes.
//
// All are 900 units wide and scale with the page. Values that are no numbers, and those that a logarithmic
// axis cannot show, are left out; a chart that has nothing to show is an empty string.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/bench/report/svg_axis.h"

namespace verbcast::svg {

/// Text for HTML and SVG, between tags and inside attributes: & < > " ' escaped, control characters dropped.
std::string escaped(std::string_view text);

struct Point {
    double x = 0, y = 0;
};

struct Series {
    std::string name;    ///< written at the line's right end, or in the list below
    std::string colour;  ///< CSS
    bool dashed = false;
    bool dots = true;                ///< a dot at each point
    std::vector<Point> points;       ///< sorted by x
    std::optional<Point> mark = {};  ///< a diamond: a fitted or derived point
};

/// A vertical line across the chart with words beside it.
struct Vertical {
    double x = 0;
    std::string label, colour;
};

struct LineChart {
    std::string description;  ///< for those who cannot see it
    Axis x, y;
    std::vector<Series> series;
    std::vector<Vertical> verticals = {};
    bool legendBelow = false;  ///< names in a list below, for lines that end at the same height
};
std::string draw(const LineChart& chart);

/// A horizontal bar, and below it a thin one: what it is to be held against.
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

/// Bands one after the other in one bar, and each in a lane of its own with a whisker.
struct Band {
    std::string name, colour;
    double value = 0;    ///< length of the band
    double whisker = 0;  ///< its whisker reaches from the band's end to here, counted from the band's start
    std::string text;    ///< beside the lane
};
struct BandChart {
    std::string description, axisLabel;
    std::vector<Band> bands;
    double total = 0, totalWhisker = 0;  ///< of the bar of all bands
    std::string totalText;
};
std::string draw(const BandChart& chart);

}  // namespace verbcast::svg
