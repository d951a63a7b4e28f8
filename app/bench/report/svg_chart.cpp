#include "app/bench/report/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "app/bench/report/report_text.h"
#include "core/base/text/clean_text.h"

namespace verbcast::svg {
namespace {

/// The nearest of 1, 2 or 5 times a power of ten that is at least `value`, or at most.
double roundUp(double value) {
    const double power = std::pow(10, std::floor(std::log10(value)));
    const double factor = value / power * (1 - 1e-9);
    return power * (factor <= 1 ? 1 : factor <= 2 ? 2 : factor <= 5 ? 5 : 10);
}

double roundDown(double value) {
    return 1 / roundUp(1 / value);
}

/// The value itself, its logarithm, or its number of nines (infinite for 1).
double transformed(Scale scale, double value) {
    switch (scale) {
        case Scale::Linear:
            return value;
        case Scale::Log10:
            return std::log10(value);
        case Scale::Log2:
            return std::log2(value);
        case Scale::Nines:
            return value >= 1 ? std::numeric_limits<double>::infinity() : -std::log10(1 - value);
    }
    return value;
}

std::string scaled(double value, double unit, const char* name) {
    return fmt::format("{:.6g}{}", value / unit, name);
}

/// True if the scale can show the value: finite, and above 0 on a logarithmic scale.
bool canBeShown(Scale scale, double value) {
    const bool logarithmic = scale == Scale::Log10 || scale == Scale::Log2;
    return std::isfinite(value) && (!logarithmic || value > 0) && (scale != Scale::Nines || value >= 0);
}

/// M. Okabe, K. Ito, "Color Universal Design"; without yellow, which is hard to see on white.
constexpr std::array kPalette{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07d00", "#56b4e9", "#555555"};
/// viridis without its light end.
constexpr std::array kOrdered{"#440154", "#453781", "#33638d", "#238a8d", "#1f9d84", "#3fbc73", "#8bc53f"};

// Of the plot: texts are around it.
constexpr double kPlotWidth = 830, kPlotHeight = 282;

/// Generous: no font that the page may get is wider on average.
double widthOf(std::string_view text) {
    constexpr double kCharacter = 9.5;
    return kCharacter * static_cast<double>(std::ranges::count_if(
                            text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Collects shapes and texts, and grows to enclose every text.
class Canvas {
  public:
    void text(double x, double y, std::string_view cssClass, std::string_view text) {
        if (text.empty()) {
            return;
        }
        const bool end = cssClass.ends_with("end"), middle = cssClass.ends_with("middle");
        const double left = x - widthOf(text) * (end ? 1 : middle ? 0.5 : 0);
        left_ = std::min(left_, left);
        right_ = std::max(right_, left + widthOf(text));
        shapes_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, cssClass,
                               escapedXml(text));
    }
    void line(double x1, double y1, double x2, double y2, const char* cssClass,
              const std::string& colour = {}, const std::string& dashes = {}) {
        shapes_ +=
            fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"{}{}/>\n",
                        x1, y1, x2, y2, cssClass, colour.empty() ? "" : " stroke=\"" + colour + "\"",
                        dashes.empty() ? "" : " stroke-dasharray=\"" + dashes + "\"");
    }
    void add(const std::string& shape) { shapes_ += shape; }

    std::string finish(double height, const std::string& description) const {
        return fmt::format(
            "<svg viewBox=\"{:.0f} 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\" "
            "xmlns=\"http://www.w3.org/2000/svg\">\n{}</svg>\n",
            left_, right_ - left_, height, escapedXml(description), shapes_);
    }

  private:
    std::string shapes_;
    double left_ = 0, right_ = kPlotWidth;
};

/// Lines at the ticks of the horizontal axis, with its labels below. Returns where these end.
double drawScale(Canvas& canvas, const Axis& axis, const Mapping& x, double top, double bottom) {
    for (const double tick : ticksOf(x)) {
        canvas.line(x(tick), top, x(tick), bottom, "grid");
        canvas.text(x(tick), bottom + 17, "tick middle", tickText(axis, tick));
    }
    canvas.text(kPlotWidth / 2, bottom + 38, "label middle", axis.label);
    return bottom + 46;
}

void drawSeries(Canvas& canvas, const Series& series, const std::vector<Point>& points, const Mapping& x,
                const Mapping& y) {
    std::string path, marks;
    for (const Point& point : points) {
        path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", x(point.x), y(point.y));
        if (series.mark == Mark::Dot) {
            marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" class=\"dot\" fill=\"{}\"/>\n",
                                 x(point.x), y(point.y), series.colour);
        } else if (series.mark == Mark::Diamond) {
            marks +=
                fmt::format("<path d=\"M{:.1f} {:.1f} l7 7 l-7 7 l-7 -7 z\" class=\"mark\" stroke=\"{}\"/>\n",
                            x(point.x), y(point.y) - 7, series.colour);
        }
    }
    canvas.add(fmt::format("<polyline points=\"{}\" class=\"line\" stroke=\"{}\"{}/>\n", path, series.colour,
                           series.dashes.empty() ? "" : " stroke-dasharray=\"" + series.dashes + "\"") +
               marks);
}

/// Names side by side as far as they fit. Returns where they end.
double drawLegend(Canvas& canvas, const std::vector<const Series*>& shown, double top) {
    constexpr double kLine = 20, kSample = 38, kGap = 24;
    double x = 0, y = top + kLine / 2;
    for (const Series* series : shown) {
        const double width = kSample + widthOf(series->name) + kGap;
        if (x > 0 && x + width > kPlotWidth) {
            x = 0;
            y += kLine;
        }
        canvas.line(x, y, x + 30, y, "leader", series->colour, series->dashes);
        canvas.text(x + kSample, y + 4, "name", series->name);
        x += width;
    }
    return shown.empty() ? top : y + kLine;
}

}  // namespace

double Mapping::operator()(double value) const {
    const double t = std::clamp(transformed(scale, value), least, most);
    return from + (t - least) / (most - least) * (to - from);
}

Mapping mappingFor(Scale scale, const std::vector<double>& values, double from, double to) {
    const auto [low, high] = std::ranges::minmax(values);
    Mapping mapping{scale, 0, 1, from, to};
    switch (scale) {
        case Scale::Linear:
            if (high > 0) {
                const double step = roundUp(high / 5);
                mapping.most = std::ceil(high / step - 1e-9) * step;
            }
            break;
        case Scale::Log10:
            mapping.least = std::log10(roundDown(low));
            mapping.most = std::log10(roundUp(high));
            break;
        case Scale::Log2:
            mapping.least = std::floor(std::log2(low) + 1e-9);
            mapping.most = std::ceil(std::log2(high) - 1e-9);
            break;
        case Scale::Nines:
            mapping.most = 2;
            for (const double value : values) {
                const double nines = value < 1 ? std::ceil(transformed(scale, value) - 1e-6) : 0;
                mapping.most = std::clamp(nines, mapping.most, 6.0);
            }
            break;
    }
    if (mapping.most - mapping.least < 1e-9) {
        mapping.most = mapping.least + 1;
    }
    return mapping;
}

std::vector<double> ticksOf(const Mapping& mapping) {
    constexpr double kLittle = 1e-9;
    std::vector<double> ticks;
    const double least = mapping.least, most = mapping.most + kLittle;
    switch (mapping.scale) {
        case Scale::Linear: {
            const double step = roundUp(mapping.most / 5);
            for (int i = 0; i * step <= mapping.most * (1 + kLittle); ++i) {
                ticks.push_back(i * step);
            }
            break;
        }
        case Scale::Log10:
            for (double power = std::floor(least); power <= most; ++power) {
                for (const double factor : {1.0, 2.0, 5.0}) {
                    const double t = power + std::log10(factor);
                    if (t > least - kLittle && t < most && (factor == 1 || most - least <= 2.5)) {
                        ticks.push_back(factor * std::pow(10, power));
                    }
                }
            }
            break;
        case Scale::Log2:
            for (double t = least; t <= most; t += std::ceil((mapping.most - least) / 10)) {
                ticks.push_back(std::exp2(t));
            }
            break;
        case Scale::Nines:
            ticks = {0, 0.5};
            for (int nines = 1; nines <= most; ++nines) {
                ticks.push_back(1 - std::pow(10, -nines));
            }
            break;
    }
    return ticks;
}

std::string tickText(const Axis& axis, double value) {
    if (axis.scale == Scale::Nines) {
        // 1 - 10^-n, shown with as many digits as it has nines.
        const int digits = std::max(0, static_cast<int>(std::lround(-std::log10(1 - value))) - 2);
        return fmt::format("{:.{}f}%", value * 100, value < 0.99 ? 0 : digits);
    }
    if (axis.unit == Unit::Bytes) {
        return bytesText(static_cast<std::uint64_t>(std::max(0.0, value)));
    }
    if (axis.unit == Unit::Microseconds) {
        return value == 0     ? "0"
               : value >= 1e6 ? scaled(value, 1e6, " s")
               : value >= 1e3 ? scaled(value, 1e3, " ms")
               : value < 1    ? scaled(value, 1e-3, " ns")
                              : scaled(value, 1, " \u00b5s");
    }
    return value >= 1e6   ? scaled(value, 1e6, "M")
           : value >= 1e4 ? scaled(value, 1e3, "k")
                          : scaled(value, 1, "");
}

std::string plainColour(std::size_t index) {
    return kPalette[index % kPalette.size()];
}

std::string orderedColour(std::size_t index, std::size_t count) {
    const std::size_t last = kOrdered.size() - 1;
    return kOrdered[count < 2 ? 1 : std::min(last, index * last / (count - 1))];
}

std::string draw(const Chart& chart) {
    constexpr double kTop = 26, kBottom = kTop + kPlotHeight;
    std::vector<double> xs, ys;
    std::vector<std::vector<Point>> shown;
    std::vector<const Series*> named;
    for (const Series& series : chart.series) {
        shown.emplace_back();
        std::ranges::copy_if(series.points, std::back_inserter(shown.back()), [&](const Point& point) {
            return canBeShown(chart.x.scale, point.x) && canBeShown(chart.y.scale, point.y);
        });
        for (const Point& point : shown.back()) {
            xs.push_back(point.x);
            ys.push_back(point.y);
        }
        if (!shown.back().empty() && !series.name.empty()) {
            named.push_back(&series);
        }
    }
    if (xs.empty()) {
        return "";
    }
    const Mapping x = mappingFor(chart.x.scale, xs, 0, kPlotWidth);
    const Mapping y = mappingFor(chart.y.scale, ys, kBottom, kTop);
    Canvas canvas;
    canvas.text(-8, 12, "label", chart.y.label);
    for (const double tick : ticksOf(y)) {
        canvas.line(0, y(tick), kPlotWidth, y(tick), "grid");
        canvas.text(-8, y(tick) + 4, "tick end", tickText(chart.y, tick));
    }
    const double below = drawScale(canvas, chart.x, x, kTop, kBottom);
    canvas.line(0, kBottom, kPlotWidth, kBottom, "axis");
    for (std::size_t i = 0; i < shown.size(); ++i) {
        drawSeries(canvas, chart.series[i], shown[i], x, y);
    }
    return canvas.finish(drawLegend(canvas, named, below), chart.title);
}

}  // namespace verbcast::svg
