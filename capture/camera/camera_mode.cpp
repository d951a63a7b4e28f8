#include "capture/camera/camera_mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr double kFluentRate = 29.5;  // 30000/1001 counts as fluent, too
constexpr double kEqualRates = 1e-4;  // 30 and 30000/1001 differ
constexpr std::size_t kRatesListed = 4;

std::uint32_t nearestStep(std::uint32_t wanted, std::uint32_t least, std::uint32_t most, std::uint32_t step) {
    const std::uint32_t inside = std::clamp(wanted, least, most);
    const std::uint32_t steps = (inside - least + step / 2) / std::max(1U, step);
    return std::min(most, least + steps * std::max(1U, step));
}

double distance(double rate, double wanted) {
    const double ratio = std::abs(std::log(rate / wanted));
    return ratio < kEqualRates ? 0 : ratio;
}

std::optional<Rational> nearestRate(const CameraMode& mode, const std::optional<Rational>& wanted) {
    if (mode.rates.empty()) {
        return std::nullopt;
    }
    if (!wanted) {
        return std::ranges::max(mode.rates, {}, &Rational::value);
    }
    if (mode.rateRange) {
        return std::ranges::clamp(*wanted, mode.rates.front(), mode.rates.back(), {}, &Rational::value);
    }
    return std::ranges::min(mode.rates, {},
                            [&](Rational rate) { return distance(rate.value(), wanted->value()); });
}

/// A mode, with everything that the wish leaves open filled in.
struct Candidate {
    const CameraMode* mode;
    std::uint32_t width, height;
    std::optional<Rational> rate;
};

Candidate candidateOf(const CameraMode& mode, const CameraWish& wish) {
    const CameraSizes& sizes = mode.sizes;
    return {&mode,
            nearestStep(wish.width.value_or(sizes.maxWidth), sizes.minWidth, sizes.maxWidth, sizes.stepWidth),
            nearestStep(wish.height.value_or(sizes.maxHeight), sizes.minHeight, sizes.maxHeight,
                        sizes.stepHeight),
            nearestRate(mode, wish.rate)};
}

double sizeDistance(const Candidate& candidate, const CameraWish& wish) {
    const double x = wish.width ? std::abs(static_cast<double>(*wish.width) - candidate.width) : 0;
    const double y = wish.height ? std::abs(static_cast<double>(*wish.height) - candidate.height) : 0;
    return x + y;
}

double rateDistance(const Candidate& candidate, const CameraWish& wish) {
    if (!candidate.rate) {
        return 0;
    }
    const double rate = candidate.rate->value();
    return wish.rate ? distance(rate, wish.rate->value()) : std::max(0.0, kFluentRate - rate);
}

bool gives(const CameraMode& mode, PixelFormat format) {
    return mode.pixelFormat ? *mode.pixelFormat == format
                            : format == PixelFormat::yuv420p || format == PixelFormat::yuv422p;
}

/// Lower is better; earlier fields weigh more. Ties keep the camera's own order.
auto badness(const Candidate& candidate, const CameraWish& wish) {
    const CameraMode& mode = *candidate.mode;
    const double area = static_cast<double>(candidate.width) * candidate.height;
    return std::tuple(wish.fourCc && *wish.fourCc != mode.fourCc,
                      wish.pixelFormat && !gives(mode, *wish.pixelFormat),
                      !wish.pixelFormat && mode.pixelFormat == PixelFormat::gray,
                      sizeDistance(candidate, wish), rateDistance(candidate, wish), !mode.pixelFormat, -area,
                      candidate.rate ? -candidate.rate->value() : 0.0);
}

/// Returns nullopt if no mode can be sent, or, without `compressedToo`, none that is uncompressed.
std::optional<Candidate> bestOf(std::span<const CameraMode> modes, const CameraWish& wish,
                                bool compressedToo) {
    std::optional<Candidate> best;
    for (const CameraMode& mode : modes) {
        if (!mode.pixelFormat && !(compressedToo && mode.isUsable())) {
            continue;
        }
        const Candidate candidate = candidateOf(mode, wish);
        if (!best || badness(candidate, wish) < badness(*best, wish)) {
            best = candidate;
        }
    }
    return best;
}

std::string sizeText(const CameraSizes& sizes) {
    return sizes.isRange() ? fmt::format("{}x{} to {}x{}", sizes.minWidth, sizes.minHeight, sizes.maxWidth,
                                         sizes.maxHeight)
                           : fmt::format("{}x{}", sizes.maxWidth, sizes.maxHeight);
}

std::string rateNumber(Rational rate) {
    return fmt::format("{:.5g}", rate.value());
}

/// "5, 15, 30 fps", "1 to 60 fps"; empty if the driver does not list rates.
std::string ratesText(const CameraMode& mode) {
    if (mode.rates.empty()) {
        return {};
    }
    std::vector<Rational> rates = mode.rates;
    std::ranges::sort(rates, {}, &Rational::value);
    if (mode.rateRange || rates.size() > kRatesListed) {
        return fmt::format("{} to {} fps", rateNumber(rates.front()), rateNumber(rates.back()));
    }
    std::vector<std::string> numbers(rates.size());
    std::ranges::transform(rates, numbers.begin(), rateNumber);
    return fmt::format("{} fps", fmt::join(numbers, ", "));
}

std::string modeText(const CameraMode& mode) {
    const std::string rates = ratesText(mode);
    return rates.empty() ? sizeText(mode.sizes) : fmt::format("{} ({})", sizeText(mode.sizes), rates);
}

/// Joins the distinct texts of the modes that are `wanted`, in order.
template <typename Wanted, typename Text>
std::string listOnce(std::span<const CameraMode> modes, Wanted&& wanted, Text&& textOf) {
    std::vector<std::string> seen;
    for (const CameraMode& mode : modes) {
        if (std::string text = wanted(mode) ? textOf(mode) : "";
            !text.empty() && std::ranges::count(seen, text) == 0) {
            seen.push_back(std::move(text));
        }
    }
    return fmt::format("{}", fmt::join(seen, ", "));
}

/// "yuyv422", "MJPG (decoded)"
std::string formatText(const CameraMode& mode) {
    return mode.pixelFormat ? std::string(pixelFormatName(*mode.pixelFormat))
                            : fourCcText(mode.fourCc) + " (decoded)";
}

std::vector<std::string> unmetWishes(std::span<const CameraMode> modes, const Candidate& taken,
                                     const CameraWish& wish) {
    std::vector<std::string> notes;
    if (wish.pixelFormat && !gives(*taken.mode, *wish.pixelFormat)) {
        notes.push_back(fmt::format("the camera does not offer {}, it is sent as {} (offered: {})",
                                    pixelFormatName(*wish.pixelFormat), formatText(*taken.mode),
                                    listOnce(modes, std::mem_fn(&CameraMode::isUsable), formatText)));
    }
    if (sizeDistance(taken, wish) > 0) {
        const std::string sizes = listOnce(
            modes, [&](const CameraMode& mode) { return mode.fourCc == taken.mode->fourCc; },
            [](const CameraMode& mode) { return sizeText(mode.sizes); });
        notes.push_back(fmt::format("the camera does not offer {}x{}, it is sent as {}x{} (offered: {})",
                                    wish.width.value_or(taken.width), wish.height.value_or(taken.height),
                                    taken.width, taken.height, sizes));
    }
    if (wish.rate && taken.rate && distance(taken.rate->value(), wish.rate->value()) > 0) {
        notes.push_back(
            fmt::format("the camera does not offer {} fps at {}x{}, it is sent at {} (offered: {})",
                        rateNumber(*wish.rate), taken.width, taken.height, rateNumber(*taken.rate),
                        ratesText(*taken.mode)));
    }
    return notes;
}

std::string unusableFormats(std::span<const CameraMode> modes) {
    return listOnce(modes, std::not_fn(&CameraMode::isUsable),
                    [](const CameraMode& mode) { return fourCcText(mode.fourCc); });
}

std::string candidateText(const Candidate& candidate) {
    const std::string size = fmt::format("{}x{}", candidate.width, candidate.height);
    return candidate.rate ? fmt::format("{} at {} fps", size, rateNumber(*candidate.rate)) : size;
}

/// Why a compressed mode was chosen, or what size a compressed mode would reach beyond the one chosen.
std::optional<std::string> compressionNote(std::span<const CameraMode> modes, const Candidate& taken,
                                           const CameraWish& wish) {
    if (!taken.mode->pixelFormat) {
        const auto raw = bestOf(modes, wish, false);
        const std::string reason =
            raw ? fmt::format("uncompressed it reaches {}", candidateText(*raw)) : "it has no other modes";
        return fmt::format("the camera compresses its pictures as {}, they are decoded: {}",
                           fourCcText(taken.mode->fourCc), reason);
    }
    std::optional<Candidate> larger;
    for (const CameraMode& mode : modes) {
        if (!mode.pixelFormat && mode.isUsable()) {
            const Candidate candidate = candidateOf(mode, wish);
            const bool fluent = rateDistance(candidate, wish) <= rateDistance(taken, wish);
            const auto area = [](const Candidate& c) { return std::uint64_t{c.width} * c.height; };
            if (fluent && area(candidate) > area(larger.value_or(taken))) {
                larger = candidate;
            }
        }
    }
    if (!larger || wish.width || wish.height || wish.pixelFormat) {
        return std::nullopt;
    }
    return fmt::format("compressed ({}) the camera reaches {}: --size {}x{} takes that",
                       fourCcText(larger->mode->fourCc), candidateText(*larger), larger->width,
                       larger->height);
}

}  // namespace

CameraChoice chooseCameraMode(std::span<const CameraMode> modes, const CameraWish& wish) {
    const std::optional<Candidate> best = bestOf(modes, wish, true);
    if (!best) {
        const std::string others = unusableFormats(modes);
        throw Error(ErrorKind::Device,
                    others.empty() ? "the camera lists no pixel format"
                                   : fmt::format("the camera has no mode that can be sent, only {}", others),
                    "take another camera, or decode: ffmpeg -f v4l2 -i DEVICE -c:v rawvideo -f nut - | "
                    "verbcast send -");
    }
    std::vector<std::string> notes = unmetWishes(modes, *best, wish);
    if (auto note = wish.fourCc ? std::nullopt : compressionNote(modes, *best, wish)) {
        notes.push_back(std::move(*note));
    }
    return {best->mode->fourCc, best->mode->pixelFormat, best->width, best->height,
            best->rate,         std::move(notes)};
}

std::vector<std::string> describeCameraModes(std::span<const CameraMode> modes) {
    std::vector<std::string> lines;
    std::vector<std::uint32_t> formats;
    for (const CameraMode& mode : modes) {
        if (!mode.isUsable()) {
            continue;
        }
        const auto known = std::find(formats.begin(), formats.end(), mode.fourCc);
        if (known == formats.end()) {
            formats.push_back(mode.fourCc);
            const std::string name = mode.pixelFormat
                                         ? fmt::format("{} as {}", fourCcText(mode.fourCc), formatText(mode))
                                         : formatText(mode);
            lines.push_back(fmt::format("{}: {}", name, modeText(mode)));
        } else {
            lines[static_cast<std::size_t>(known - formats.begin())] += ", " + modeText(mode);
        }
    }
    if (const std::string others = unusableFormats(modes); !others.empty()) {
        lines.push_back("cannot be sent: " + others);
    }
    return lines;
}

}  // namespace verbcast
