#include "app/view/pane_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "app/view/view_options.h"
#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr double kFarthest = 10;  // from the window's corner, as a fraction of the window
constexpr double kMinCrop = 0.001;
constexpr std::string_view kOnePane =
    std::string_view(kPanesValue).substr(0, std::string_view(kPanesValue).rfind("[;"));

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(separator, from), text.size());
        parts.push_back(text.substr(from, to - from));
        from = to + 1;
    }
    return parts;
}

[[noreturn]] void refuse(std::string_view part, const std::string& expected) {
    throw Error(ErrorKind::Usage, fmt::format("--panes \"{}\": {} expected", part, expected),
                "for example --panes \"1:0,0,100;2:60,55,35,80\"");
}

std::optional<double> numberIn(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
    return whole ? std::optional(value) : std::nullopt;
}

/// Parses a percentage; the limits and the result are fractions.
double partOf(std::string_view text, std::string_view pane, const char* what, double least, double most) {
    const auto value = numberIn(text);
    if (!value || *value / 100 < least || *value / 100 > most) {
        refuse(pane, fmt::format("{} from {:g} to {:g} percent", what, least * 100, most * 100));
    }
    return *value / 100;
}

/// "25/0/50/100"
PictureCrop cropOf(std::string_view text, std::string_view pane) {
    const std::vector<std::string_view> values = split(text, '/');
    if (values.size() != 4) {
        refuse(pane, "crop=LEFT/TOP/WIDTH/HEIGHT in percent of the picture");
    }
    PictureCrop crop;
    crop.left = partOf(values[0], pane, "the crop's left edge", 0, 1 - kMinCrop);
    crop.top = partOf(values[1], pane, "the crop's top edge", 0, 1 - kMinCrop);
    crop.width = partOf(values[2], pane, "the crop's width", kMinCrop, 1 - crop.left);
    crop.height = partOf(values[3], pane, "the crop's height", kMinCrop, 1 - crop.top);
    return crop;
}

/// One of those that follow the numbers; false if it is none.
bool takeWord(std::string_view word, std::string_view pane, PanePlace& place) {
    constexpr std::string_view kHeight = "height=", kCrop = "crop=";
    if (word == "alpha" || word == "premultiplied") {
        place.alpha = true;
        place.premultiplied = word != "alpha";
    } else if (word.starts_with(kHeight)) {
        place.height = partOf(word.substr(kHeight.size()), pane, "a height", kMinPaneWidth, kMaxPaneWidth);
    } else if (word.starts_with(kCrop)) {
        place.crop = cropOf(word.substr(kCrop.size()), pane);
    } else {
        return false;
    }
    return true;
}

PanePlace parsePane(std::string_view pane) {
    const std::size_t colon = pane.find(':');
    const auto number = numberIn(pane.substr(0, colon));
    if (colon == std::string_view::npos || !number || *number != std::floor(*number) || *number < 1 ||
        *number > kMaxViewedStreams) {
        refuse(pane, fmt::format("{} with N, the number of a stream, 1 to {},", kOnePane, kMaxViewedStreams));
    }
    std::vector<std::string_view> values = split(pane.substr(colon + 1), ',');
    PanePlace place{.stream = static_cast<std::size_t>(*number) - 1};
    while (!values.empty() && takeWord(values.back(), pane, place)) {
        values.pop_back();
    }
    if (values.size() < 3 || values.size() > 4) {
        refuse(pane, fmt::format("{} after the colon", kOnePane.substr(2)));
    }
    place.left = partOf(values[0], pane, "a left edge", -kFarthest, kFarthest);
    place.top = partOf(values[1], pane, "a top edge", -kFarthest, kFarthest);
    place.width = partOf(values[2], pane, "a width", kMinPaneWidth, kMaxPaneWidth);
    if (values.size() == 4) {
        place.opacity = partOf(values[3], pane, "an opacity", kMinPaneOpacity, 1);
    }
    return place;
}

double rounded(double part) {
    return std::round(part * 1e4) / 100;
}

}  // namespace

std::vector<PanePlace> parsePanes(std::string_view text) {
    std::vector<PanePlace> panes;
    for (const std::string_view pane : split(text, ';')) {
        panes.push_back(parsePane(pane));
        const auto same = [&](const PanePlace& each) { return each.stream == panes.back().stream; };
        if (std::ranges::count_if(panes, same) > 1) {
            refuse(pane, fmt::format("one place for stream {}", panes.back().stream + 1));
        }
    }
    return panes;
}

std::string panesText(const std::vector<PanePlace>& panes) {
    std::string text;
    for (const PanePlace& pane : panes) {
        text += fmt::format("{}{}:{:g},{:g},{:g}", text.empty() ? "" : ";", pane.stream + 1,
                            rounded(pane.left), rounded(pane.top), rounded(pane.width));
        text += pane.opacity < 1 ? fmt::format(",{:g}", rounded(pane.opacity)) : "";
        text += !pane.alpha ? "" : pane.premultiplied ? ",premultiplied" : ",alpha";
        text += pane.height > 0 ? fmt::format(",height={:g}", rounded(pane.height)) : "";
        if (const PictureCrop& crop = pane.crop; crop != PictureCrop{}) {
            text += fmt::format(",crop={:g}/{:g}/{:g}/{:g}", rounded(crop.left), rounded(crop.top),
                                rounded(crop.width), rounded(crop.height));
        }
    }
    return text;
}

}  // namespace verbcast
