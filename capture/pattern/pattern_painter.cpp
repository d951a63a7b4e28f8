#include "capture/pattern/pattern_painter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "capture/pattern/pattern_names.h"

namespace verbcast {
namespace {

struct Rgb {
    float red, green, blue;
};

constexpr std::uint32_t kGradientPeriod = 768;  // pixels; a multiple of kCanvasStepX
constexpr std::uint32_t kPan = 252;             // pixels; a multiple of both steps
static_assert(kGradientPeriod % kCanvasStepX == 0 && kPan % kCanvasStepX == 0 && kPan % kCanvasStepY == 0);

constexpr std::uint32_t kCosines = 4096;

/// One period of a cosine, mapped to 0..1.
std::vector<float> cosineTable() {
    std::vector<float> table(kCosines);
    for (std::uint32_t i = 0; i < kCosines; ++i) {
        table[i] = 0.5F + 0.5F * std::cos(2 * std::numbers::pi_v<float> * static_cast<float>(i) / kCosines);
    }
    return table;
}

/// A well-mixed hash of its argument (the finaliser of MurmurHash3, public domain, A. Appleby).
std::uint64_t mix(std::uint64_t value) {
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCDU;
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53U;
    return value ^ value >> 33;
}

/// Moves back and forth over 0..reach in steps.
std::uint32_t swing(std::uint64_t index, std::uint32_t step, std::uint32_t reach) {
    const std::uint64_t steps = reach / step;
    const std::uint64_t phase = index % (2 * steps);
    return static_cast<std::uint32_t>(phase <= steps ? phase : 2 * steps - phase) * step;
}

/// A run of pixels of one colour.
struct Stretch {
    std::uint32_t begin;  // in parts of the width, see kParts
    Rgb colour;
};

void fill(const RgbRow& row, std::size_t begin, std::size_t end, Rgb colour) {
    std::ranges::fill(row.red.subspan(begin, end - begin), colour.red);
    std::ranges::fill(row.green.subspan(begin, end - begin), colour.green);
    std::ranges::fill(row.blue.subspan(begin, end - begin), colour.blue);
}

// SMPTE RP 219: panels of 1/8 at the sides, seven bars of 3/28 each between them, in four bands of 7/12,
// 1/12, 1/12 and 3/12 of the height. All edges fall on whole parts.
constexpr std::uint32_t kParts = 560, kPanel = kParts / 8, kBar = kParts * 3 / 28;

/// The pixel nearest to an edge. A row holds a part of the width at most.
std::size_t pixelAt(std::uint32_t part, const RgbRow& row, std::uint32_t width) {
    return std::min<std::size_t>(row.red.size(), (std::uint64_t{part} * width + kParts / 2) / kParts);
}

void fillStretches(const RgbRow& row, std::uint32_t width, const std::vector<Stretch>& stretches) {
    const auto pixel = [&](std::uint32_t part) { return pixelAt(part, row, width); };
    for (std::size_t i = 0; i < stretches.size(); ++i) {
        const std::size_t end = i + 1 < stretches.size() ? pixel(stretches[i + 1].begin) : row.red.size();
        fill(row, std::min(pixel(stretches[i].begin), end), end, stretches[i].colour);
    }
}

constexpr Rgb grey(float level) {
    return {level, level, level};
}

std::vector<Stretch> mainBars() {
    constexpr float k = 0.75F;
    const Rgb colours[7] = {{k, k, k}, {k, k, 0}, {0, k, k}, {0, k, 0}, {k, 0, k}, {k, 0, 0}, {0, 0, k}};
    std::vector<Stretch> stretches{{0, grey(0.4F)}};
    for (std::uint32_t i = 0; i < 7; ++i) {
        stretches.push_back({kPanel + kBar * i, colours[i]});
    }
    stretches.push_back({kParts - kPanel, grey(0.4F)});
    return stretches;
}

void fillRamp(const RgbRow& row, std::uint32_t width) {
    fillStretches(
        row, width,
        {{0, {1, 1, 0}}, {kPanel, grey(0)}, {kParts - kPanel - kBar, grey(1)}, {kParts - kPanel, {1, 0, 0}}});
    const std::size_t begin = pixelAt(kPanel, row, width);
    const std::size_t end = pixelAt(kParts - kPanel - kBar, row, width);
    for (std::size_t x = begin; x < end; ++x) {
        row.red[x] = row.green[x] = row.blue[x] =
            static_cast<float>(x - begin) / static_cast<float>(end - begin);
    }
}

RowPainter barsPainter(std::uint32_t width, std::uint32_t height) {
    return [=, bars = mainBars()](std::uint32_t y, const RgbRow& row) {
        const std::uint64_t band = std::uint64_t{12} * y / height;
        if (band < 7) {
            fillStretches(row, width, bars);
        } else if (band < 8) {
            fillStretches(row, width,
                          {{0, {0, 1, 1}},
                           {kPanel, grey(1)},
                           {kPanel + kBar, grey(0.75F)},
                           {kParts - kPanel, {0, 0, 1}}});
        } else if (band < 9) {
            fillRamp(row, width);
        } else {
            fillStretches(row, width,
                          {{0, grey(0.15F)},
                           {kPanel, grey(0)},
                           {kPanel + kBar * 15 / 10, grey(1)},
                           {kPanel + kBar * 35 / 10, grey(0)},
                           {kPanel + kBar * 47 / 10, grey(0.02F)},
                           {kPanel + kBar * 5, grey(0)},
                           {kPanel + kBar * 53 / 10, grey(0.04F)},
                           {kPanel + kBar * 56 / 10, grey(0)},
                           {kParts - kPanel, grey(0.15F)}});
        }
    };
}

RowPainter gradientPainter(std::uint32_t height) {
    return [height, wave = cosineTable()](std::uint32_t y, const RgbRow& row) {
        const float light = 1 - 0.75F * static_cast<float>(y) / static_cast<float>(height);
        for (std::size_t x = 0; x < row.red.size(); ++x) {
            const std::size_t phase = x % kGradientPeriod * kCosines / kGradientPeriod;
            row.red[x] = light * wave[phase];
            row.green[x] = light * wave[(phase + kCosines / 3) % kCosines];
            row.blue[x] = light * wave[(phase + 2 * kCosines / 3) % kCosines];
        }
    };
}

RowPainter noisePainter() {
    return [](std::uint32_t y, const RgbRow& row) {
        constexpr float kScale = 1.0F / 65535;
        for (std::size_t x = 0; x < row.red.size(); ++x) {
            const std::uint64_t bits = mix(std::uint64_t{y} << 32 | x);
            row.red[x] = static_cast<float>(bits & 0xFFFF) * kScale;
            row.green[x] = static_cast<float>(bits >> 16 & 0xFFFF) * kScale;
            row.blue[x] = static_cast<float>(bits >> 32 & 0xFFFF) * kScale;
        }
    };
}

// The phase grows with the square of the distance r from the centre. At half the width its slope is half a
// turn per pixel, the finest that can be sampled: r^2 / (2 * width) turns. Counted in 2^-32 turns.
RowPainter zonePainter(std::uint32_t width, std::uint32_t height) {
    return [=, wave = cosineTable()](std::uint32_t y, const RgbRow& row) {
        const auto perSquare = static_cast<std::uint64_t>(std::ldexp(1.0, 39) / width);  // 2^-40 turns
        const std::int64_t centreX = (width + kPan) / 2;
        const std::int64_t dy = std::int64_t{y} - (height + kPan) / 2;
        for (std::size_t x = 0; x < row.red.size(); ++x) {
            const std::int64_t dx = static_cast<std::int64_t>(x) - centreX;
            const auto turns =
                static_cast<std::uint32_t>(static_cast<std::uint64_t>(dx * dx + dy * dy) * perSquare >> 8);
            row.red[x] = row.green[x] = row.blue[x] = wave[turns >> 20];
        }
    };
}

RowPainter counterPainter(std::uint32_t height) {
    return [height](std::uint32_t y, const RgbRow& row) {
        const float depth = static_cast<float>(y) / static_cast<float>(height);
        fill(row, 0, row.red.size(), {0.05F, 0.08F + 0.1F * depth, 0.14F + 0.22F * depth});
    };
}

}  // namespace

RowPainter plainPainter(float level) {
    return [level](std::uint32_t, const RgbRow& row) { fill(row, 0, row.red.size(), grey(level)); };
}

std::string_view patternKindName(PatternKind kind) {
    return kPatternNames.at(static_cast<std::size_t>(kind)).name;
}

PatternOffset patternReach(PatternKind kind) {
    switch (kind) {
        case PatternKind::Gradient:
            return {kGradientPeriod, 0};
        case PatternKind::Noise:
        case PatternKind::Zone:
            return {kPan, kPan};
        case PatternKind::Bars:
        case PatternKind::Counter:
        case PatternKind::Flash:
            break;
    }
    return {};
}

PatternOffset patternOffset(PatternKind kind, std::uint64_t index) {
    switch (kind) {
        case PatternKind::Gradient:
            return {static_cast<std::uint32_t>(index * kCanvasStepX % kGradientPeriod), 0};
        case PatternKind::Noise: {
            const std::uint64_t bits = mix(index + 1);
            return {static_cast<std::uint32_t>(bits % (kPan / kCanvasStepX + 1)) * kCanvasStepX,
                    static_cast<std::uint32_t>((bits >> 32) % (kPan / kCanvasStepY + 1)) * kCanvasStepY};
        }
        case PatternKind::Zone:
            return {swing(index, kCanvasStepX, kPan), swing(index, kCanvasStepY, kPan)};
        case PatternKind::Bars:
        case PatternKind::Counter:
        case PatternKind::Flash:
            break;
    }
    return {};
}

RowPainter patternPainter(PatternKind kind, std::uint32_t width, std::uint32_t height) {
    switch (kind) {
        case PatternKind::Bars:
            return barsPainter(width, height);
        case PatternKind::Gradient:
            return gradientPainter(height);
        case PatternKind::Noise:
            return noisePainter();
        case PatternKind::Zone:
            return zonePainter(width, height);
        case PatternKind::Flash:
            return plainPainter(0);
        case PatternKind::Counter:
            break;
    }
    return counterPainter(height);
}

}  // namespace verbcast
