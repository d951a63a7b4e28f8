// Axes of the report's charts: from values to places, and where the ticks are.
#pragma once

#include <string>
#include <vector>

namespace verbcast::svg {

/// Log2 puts its ticks on powers of two. Nines spreads fractions by their nines, so that 0.5, 0.9, 0.99,
/// 0.999 are as far apart as they are rare; 1 is the upper edge.
enum class Scale { Linear, Log10, Log2, Nines };
enum class Unit { Number, Bytes, Microseconds };

struct Axis {
    std::string label;
    Scale scale = Scale::Linear;
    Unit unit = Unit::Number;
};

/// A value as its scale counts it: itself, its logarithm, its nines (infinite for 1).
double transformed(Scale scale, double value);

/// From values to units of the picture. Values beyond the ends are drawn at the ends.
class Mapping {
  public:
    /// `least` and `most` are transformed.
    Mapping(Scale scale, double least, double most, double from, double to)
        : scale_(scale), least_(least), most_(most), from_(from), to_(to) {}
    double operator()(double value) const;
    double least() const { return least_; }
    double most() const { return most_; }
    Scale scale() const { return scale_; }

  private:
    Scale scale_;
    double least_, most_, from_, to_;
};

/// Whether that scale has a place for it: finite, and above 0 where there are logarithms.
bool canBeShown(Scale scale, double value);
/// An axis with round ends that holds all of `values`, which can be shown and are at least one.
Mapping mappingFor(Scale scale, const std::vector<double>& values, double from, double to);
std::vector<double> ticksOf(const Mapping& mapping);
/// "64 KiB", "10 ms", "99.9%", "20k"
std::string tickText(const Axis& axis, double value);

}  // namespace verbcast::svg
