// Axes of the report's charts: map values to positions and choose ticks.
#pragma once

#include <string>
#include <vector>

namespace verbcast::svg {

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

/// True if the scale can show the value: finite, and above 0 on a logarithmic scale.
bool canBeShown(Scale scale, double value);
/// An axis with round ends that includes all of `values`, which must not be empty and must all be showable.
Mapping mappingFor(Scale scale, const std::vector<double>& values, double from, double to);
std::vector<double> ticksOf(const Mapping& mapping);
/// "64 KiB", "10 ms", "99.9%", "20k"
std::string tickText(const Axis& axis, double value);

}  // namespace verbcast::svg
