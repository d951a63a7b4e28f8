#include "app/bench/report/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace verbcast::svg {
namespace {

constexpr double kWidth = 900;

std::string svgText(double x, double y, const char* cssClass, const std::string& text,
                    const std::string& attributes = {}) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\"{}>{}</text>\n", x, y, cssClass,
                       attributes.empty() ? "" : " " + attributes, escaped(text));
}

std::string line(double x1, double y1, double x2, double y2, const char* cssClass,
                 const std::string& attributes = {}) {
    return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"{}/>\n", x1,
                       y1, x2, y2, cssClass, attributes.empty() ? "" : " " + attributes);
}

std::string rectangle(double x, double y, double width, double height, const std::string& attributes) {
    return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>\n", x, y,
                       std::max(0.0, width), height, attributes);
}

std::string filled(const std::string& colour) {
    return fmt::format("fill=\"{}\"", escaped(colour));
}

std::string stroked(const std::string& colour) {
    return fmt::format("stroke=\"{}\"", escaped(colour));
}

std::string opening(double height, const std::string& description) {
    return fmt::format(
        "<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\" "
        "xmlns=\"http://www.w3.org/2000/svg\">\n",
        kWidth, height, escaped(description));
}

/// The plot area of a line chart. The right margin holds the lines' names.
struct Frame {
    double left = 78, right = kWidth - 170, top = 18, bottom = 300;
};

std::string drawAxes(const LineChart& chart, const Mapping& x, const Mapping& y, const Frame& frame) {
    std::string text;
    for (const double tick : ticksOf(y)) {
        text += line(frame.left, y(tick), frame.right, y(tick), "grid");
        text += svgText(frame.left - 8, y(tick) + 4, "tick end", tickText(chart.y, tick));
    }
    for (const double tick : ticksOf(x)) {
        text += line(x(tick), frame.top, x(tick), frame.bottom, "grid");
        text += svgText(x(tick), frame.bottom + 18, "tick middle", tickText(chart.x, tick));
    }
    text += line(frame.left, frame.bottom, frame.right, frame.bottom, "axis");
    text += svgText((frame.left + frame.right) / 2, frame.bottom + 40, "label middle", chart.x.label);
    const double middle = (frame.top + frame.bottom) / 2;
    text += svgText(16, middle, "label middle", chart.y.label,
                    fmt::format("transform=\"rotate(-90 16 {:.1f})\"", middle));
    return text;
}

std::vector<Point> visible(const LineChart& chart, const std::vector<Point>& points) {
    std::vector<Point> shown;
    for (const Point& point : points) {
        if (canBeShown(chart.x.scale, point.x) && canBeShown(chart.y.scale, point.y)) {
            shown.push_back(point);
        }
    }
    return shown;
}

std::string drawSeries(const Series& series, const std::vector<Point>& points, const Mapping& x,
                       const Mapping& y) {
    std::string path, dots;
    for (const Point& point : points) {
        path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", x(point.x), y(point.y));
        if (series.dots) {
            dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" class=\"dot\" {}/>\n",
                                x(point.x), y(point.y), filled(series.colour));
        }
    }
    return fmt::format("<polyline points=\"{}\" class=\"line\" {}{}/>\n", path, stroked(series.colour),
                       series.dashed ? " stroke-dasharray=\"6 4\"" : "") +
           dots;
}

/// Draws a diamond if it is within the axes.
std::string drawMark(const LineChart& chart, const Series& series, const Mapping& x, const Mapping& y) {
    if (!series.mark || !canBeShown(chart.x.scale, series.mark->x) ||
        !canBeShown(chart.y.scale, series.mark->y)) {
        return "";
    }
    const double t = transformed(chart.x.scale, series.mark->x);
    if (t < x.least() || t > x.most()) {
        return "";
    }
    const double cx = x(series.mark->x), cy = y(series.mark->y);
    return fmt::format("<path d=\"M{:.1f} {:.1f} l7 7 l-7 7 l-7 -7 z\" class=\"mark\" {}/>\n", cx, cy - 7,
                       stroked(series.colour));
}

/// Places names beside the ends of their lines, moved apart where they would overlap.
std::string drawNames(const std::vector<std::pair<double, const Series*>>& ends, const Frame& frame) {
    constexpr double kLineHeight = 15;
    auto sorted = ends;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    double next = frame.top + 4;
    std::vector<double> places;
    for (const auto& [y, series] : sorted) {
        places.push_back(std::max(y, next));
        next = places.back() + kLineHeight;
    }
    double limit = frame.bottom + 4;
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
        *place = std::min(*place, limit);
        limit = *place - kLineHeight;
    }
    std::string text;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        text += line(frame.right + 3, sorted[i].first, frame.right + 14, places[i], "leader",
                     stroked(sorted[i].second->colour));
        text += svgText(frame.right + 18, places[i] + 4, "name", sorted[i].second->name);
    }
    return text;
}

constexpr double kLegendLine = 20;

/// A legend in two columns below the axis label.
std::string drawLegend(const std::vector<std::pair<double, const Series*>>& ends, const Frame& frame) {
    std::string text;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const Series& series = *ends[i].second;
        const double x = frame.left + (i % 2 == 0 ? 0 : (kWidth - frame.left) / 2);
        const double y = frame.bottom + 66 + kLegendLine * std::floor(static_cast<double>(i) / 2);
        text += line(x, y, x + 30, y, "leader",
                     stroked(series.colour) + (series.dashed ? " stroke-dasharray=\"6 4\"" : ""));
        text += svgText(x + 38, y + 4, "name", series.name);
    }
    return text;
}

/// Draws all lines first, so that none crosses another's label.
std::string drawVerticals(const LineChart& chart, const Mapping& x, const Frame& frame) {
    std::string lines, names;
    double y = frame.top + 14;
    for (const Vertical& vertical : chart.verticals) {
        if (!canBeShown(chart.x.scale, vertical.x)) {
            continue;
        }
        const double at = x(vertical.x);
        const bool left = at > (frame.left + frame.right) / 2;
        lines += line(at, frame.top, at, frame.bottom, "vertical", stroked(vertical.colour));
        names += svgText(at + (left ? -6 : 6), y, left ? "name halo end" : "name halo", vertical.label);
        y += 16;
    }
    return lines + names;
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') {
                    out += c;
                }
        }
    }
    return out;
}

std::string draw(const LineChart& chart) {
    std::vector<double> xs, ys;
    std::vector<std::vector<Point>> shown;
    std::size_t longestName = 0;
    for (const Series& series : chart.series) {
        shown.push_back(visible(chart, series.points));
        for (const Point& point : shown.back()) {
            xs.push_back(point.x);
            ys.push_back(point.y);
        }
        longestName = std::max(longestName, shown.back().empty() ? 0 : series.name.size());
    }
    if (xs.empty()) {
        return "";
    }
    for (const Vertical& vertical : chart.verticals) {
        if (canBeShown(chart.x.scale, vertical.x)) {
            xs.push_back(vertical.x);
        }
    }
    Frame frame;
    // A character of the label font is about 6.6 units wide.
    frame.right =
        kWidth -
        (chart.legendBelow ? 20 : std::clamp(30 + 6.6 * static_cast<double>(longestName), 60.0, 330.0));
    const Mapping x = mappingFor(chart.x.scale, xs, frame.left, frame.right);
    const Mapping y = mappingFor(chart.y.scale, ys, frame.bottom, frame.top);
    const double lines = chart.legendBelow ? std::ceil(static_cast<double>(chart.series.size()) / 2) : 0;
    std::string text =
        opening(frame.bottom + 52 + (lines > 0 ? 6 : 0) + kLegendLine * lines, chart.description) +
        drawAxes(chart, x, y, frame);
    std::vector<std::pair<double, const Series*>> ends;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        if (!shown[i].empty()) {
            text += drawSeries(chart.series[i], shown[i], x, y);
            ends.emplace_back(y(shown[i].back().y), &chart.series[i]);
        }
    }
    for (const Series& series : chart.series) {
        text += drawMark(chart, series, x, y);
    }
    return text + drawVerticals(chart, x, frame) +
           (chart.legendBelow ? drawLegend(ends, frame) : drawNames(ends, frame)) + "</svg>\n";
}

namespace {

/// For horizontal bars: lines at the ticks, from the top to `bottom`, with labels below.
std::string drawScale(const Axis& axis, const Mapping& x, double middle, double bottom) {
    std::string text;
    for (const double tick : ticksOf(x)) {
        text += line(x(tick), 6, x(tick), bottom, "grid") +
                svgText(x(tick), bottom + 17, "tick middle", tickText(axis, tick));
    }
    return text + svgText(middle, bottom + 37, "label middle", axis.label);
}

}  // namespace

std::string draw(const BarChart& chart) {
    constexpr double kLeft = 262, kRight = kWidth - 230, kRow = 62;
    std::vector<double> values;
    for (const Bar& bar : chart.bars) {
        values.push_back(std::isfinite(bar.value) ? bar.value : 0);
        values.push_back(bar.reference && std::isfinite(*bar.reference) ? *bar.reference : 0);
    }
    if (values.empty()) {
        return "";
    }
    const Axis axis{.label = chart.unit};
    const Mapping x = mappingFor(axis.scale, values, kLeft, kRight);
    const double bottom = 10 + kRow * static_cast<double>(chart.bars.size());
    std::string text =
        opening(bottom + 44, chart.description) + drawScale(axis, x, (kLeft + kRight) / 2, bottom);
    for (std::size_t i = 0; i < chart.bars.size(); ++i) {
        const Bar& bar = chart.bars[i];
        const double y = 14 + kRow * static_cast<double>(i), width = x(values[2 * i]) - kLeft;
        text += svgText(kLeft - 12, y + 15, "bar-label end", bar.label) +
                svgText(kLeft - 12, y + 31, "tick end", bar.detail) +
                svgText(kLeft - 12, y + 46, "tick end", bar.remark);
        text += rectangle(kLeft, y, width, 24, filled(bar.colour));
        if (bar.hatched) {
            text += rectangle(kLeft, y, width, 24, "fill=\"url(#hatch)\"");
        }
        text += svgText(kLeft + width + 8, y + 17, "value", bar.valueText);
        const double reference = x(values[2 * i + 1]) - kLeft;
        if (bar.reference) {
            text += rectangle(kLeft, y + 28, reference, 9, "class=\"reference\"");
        }
        if (!bar.referenceText.empty()) {
            text += svgText(kLeft + (bar.reference ? reference + 8 : 4), y + 37, "tick", bar.referenceText);
        }
    }
    return text + line(kLeft, 6, kLeft, bottom, "axis") + "</svg>\n";
}

namespace {

std::string whisker(double from, double to, double y, const std::string& colour) {
    return line(from, y, to, y, "whisker", stroked(colour)) +
           line(to, y - 5, to, y + 5, "whisker", stroked(colour));
}

}  // namespace

std::string draw(const BandChart& chart) {
    constexpr double kLeft = 112, kRight = kWidth - 230, kLane = 24;
    std::vector<double> ends{chart.total, chart.totalWhisker};
    double start = 0;
    for (const Band& band : chart.bands) {
        ends.push_back(start + std::max(band.value, band.whisker));
        start += band.value;
    }
    if (chart.bands.empty() ||
        !std::all_of(ends.begin(), ends.end(), [](double v) { return std::isfinite(v); })) {
        return "";
    }
    const Axis axis{.label = chart.axisLabel, .unit = Unit::Microseconds};
    const Mapping x = mappingFor(axis.scale, ends, kLeft, kRight);
    const double bottom = 58 + kLane * static_cast<double>(chart.bands.size());
    std::string text =
        opening(bottom + 44, chart.description) + drawScale(axis, x, (kLeft + kRight) / 2, bottom);
    text += svgText(kLeft - 12, 31, "bar-label end", "whole frame");
    start = 0;
    double y = 56;
    for (const Band& band : chart.bands) {
        const double from = x(start), to = x(start + band.value);
        text += rectangle(from, 12, to - from, 30, "class=\"band\" " + filled(band.colour));
        text += svgText(kLeft - 12, y + 12, "bar-label end", band.name);
        text += rectangle(from, y + 2, std::max(1.5, to - from), 12, filled(band.colour));
        const double tip = x(start + std::max(band.value, band.whisker));
        text += whisker(to, tip, y + 8, "#333") + svgText(tip + 8, y + 12, "tick", band.text);
        start += band.value;
        y += kLane;
    }
    text += whisker(x(start), x(std::max(start, chart.totalWhisker)), 27, "#333");
    text += svgText(x(std::max(start, chart.totalWhisker)) + 8, 31, "value", chart.totalText);
    return text + line(kLeft, 6, kLeft, bottom, "axis") + "</svg>\n";
}

}  // namespace verbcast::svg
