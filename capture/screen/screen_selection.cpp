#include "capture/screen/screen_selection.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr const char* kForms =
    "screen, screen:monitor=NAME (see verbcast devices), screen:window=ID (see xwininfo), "
    "screen:rect=WIDTHxHEIGHT+X+Y, screen:x11 or screen:portal";

/// Takes a number from the front of `text`.
std::optional<std::uint32_t> takeNumber(std::string_view& text, int base = 10) {
    std::uint32_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (code != std::errc()) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::optional<OneWindow> parseWindow(std::string_view text) {
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    text.remove_prefix(hexadecimal ? 2 : 0);
    const auto id = takeNumber(text, hexadecimal ? 16 : 10);
    return id && *id != 0 && text.empty() ? std::optional(OneWindow{*id}) : std::nullopt;
}

std::optional<FixedPart> parsePart(std::string_view text) {
    constexpr std::uint32_t kMax = 65535;  // limit of the X protocol
    std::array<int, 4> numbers{};
    constexpr std::string_view kBefore = " x++";
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i > 0) {
            if (!text.starts_with(kBefore[i])) {
                return std::nullopt;
            }
            text.remove_prefix(1);
        }
        const auto number = takeNumber(text);
        if (!number || *number > kMax) {
            return std::nullopt;
        }
        numbers[i] = static_cast<int>(*number);
    }
    return text.empty() ? std::optional(FixedPart{{numbers[2], numbers[3], numbers[0], numbers[1]}})
                        : std::nullopt;
}

struct Describer {
    std::string operator()(const WholeScreen&) const { return "screen"; }
    std::string operator()(const NamedMonitor& monitor) const { return "monitor " + monitor.name; }
    std::string operator()(const OneWindow& window) const { return fmt::format("window {:#x}", window.id); }
    std::string operator()(const FixedPart& fixed) const {
        const Rectangle& part = fixed.part;
        return fmt::format("{}x{}+{}+{}", part.width, part.height, part.x, part.y);
    }
};

}  // namespace

ScreenSelection parseScreenSelection(std::string_view what) {
    if (what.empty()) {
        return WholeScreen{};
    }
    const std::size_t equals = what.find('=');
    const std::string_view kind = what.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : what.substr(equals + 1);
    if (kind == "monitor" && !value.empty()) {
        return NamedMonitor{std::string(value)};
    }
    if (kind == "window") {
        if (const auto window = parseWindow(value)) {
            return *window;
        }
        throw Error(ErrorKind::Usage, fmt::format("screen:{}: a window's number expected", what),
                    "for example screen:window=0x1400007; xwininfo shows it for the window that you click");
    }
    if (kind == "rect") {
        if (const auto part = parsePart(value)) {
            return *part;
        }
        throw Error(ErrorKind::Usage, fmt::format("screen:{}: WIDTHxHEIGHT+X+Y expected", what),
                    "for example screen:rect=1280x720+0+0");
    }
    throw Error(ErrorKind::Usage, fmt::format("screen:{} is not understood", what),
                std::string("one of ") + kForms);
}

std::string describe(const ScreenSelection& selection) {
    return std::visit(Describer{}, selection);
}

}  // namespace verbcast
