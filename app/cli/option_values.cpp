#include "app/cli/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/base/error.h"
#include "core/transport/registry.h"

namespace verbcast {

std::chrono::nanoseconds parseDuration(const std::string& option, const std::string& text, double least) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0' || !std::isfinite(value) || value < least || value > 1e9) {
        const bool fromZero = least == 0 || least >= 0.1;
        throw Error(ErrorKind::Usage,
                    fmt::format("{} {}: a number of seconds {} expected", option, text,
                                fromZero ? fmt::format("from {}", least) : "above 0"),
                    fmt::format("for example {} 10", option));
    }
    return std::chrono::nanoseconds(static_cast<std::int64_t>(value * 1e9));
}

std::chrono::nanoseconds parseTime(const std::string& option, const std::string& text) {
    double seconds = 0;
    const char* rest = text.c_str();
    for (int parts = 1;; ++parts) {
        char* end = nullptr;
        const bool digits = std::isdigit(static_cast<unsigned char>(*rest)) != 0;
        const double value = digits ? std::strtod(rest, &end) : -1;
        const bool last = digits && *end == '\0';
        const bool more = digits && *end == ':' && parts < 3 && value == std::floor(value);
        if ((!last && !more) || (parts > 1 && value >= 60)) {
            break;
        }
        seconds = seconds * 60 + value;
        if (last && seconds < 1e8) {
            return std::chrono::nanoseconds(std::llround(seconds * 1e9));
        }
        rest = end + 1;
    }
    throw Error(ErrorKind::Usage, fmt::format("{} {}: a time expected", option, text),
                "write seconds (12.5) or [hours:]minutes:seconds (1:02.5)");
}

PixelFormat parsePixelFormat(const std::string& text) {
    if (const auto format = pixelFormatByName(text)) {
        return *format;
    }
    throw Error(ErrorKind::Usage, fmt::format("--format {}: unknown pixel format", text),
                "one of " + pixelFormatNames());
}

namespace {

struct NamedSize {
    std::string_view name;
    std::uint32_t width, height;
};

constexpr NamedSize kNamedSizes[] = {{"720p", 1280, 720},   {"1080p", 1920, 1080}, {"1440p", 2560, 1440},
                                     {"2160p", 3840, 2160}, {"4k", 3840, 2160},    {"4320p", 7680, 4320},
                                     {"8k", 7680, 4320}};

/// Removes a number from the front; nullopt if there is none.
std::optional<std::uint32_t> takeNumber(std::string_view& text) {
    std::uint32_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc()) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

/// Removes "x", "X" or a multiplication sign from the front.
bool takeTimes(std::string_view& text) {
    for (const std::string_view sign : {"x", "X", "\u00d7"}) {
        if (text.starts_with(sign)) {
            text.remove_prefix(sign.size());
            return true;
        }
    }
    return false;
}

}  // namespace

void parseSize(const std::string& text, std::uint32_t& width, std::uint32_t& height, const char* option) {
    const auto sameLetter = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
    for (const NamedSize& size : kNamedSizes) {
        if (std::ranges::equal(text, size.name, sameLetter)) {
            width = size.width;
            height = size.height;
            return;
        }
    }
    std::string_view rest = text;
    const auto w = takeNumber(rest);
    const auto h = w && takeTimes(rest) ? takeNumber(rest) : std::nullopt;
    const auto fits = [](std::uint32_t side) { return side >= kMinDimension && side <= kMaxDimension; };
    if (!h || !rest.empty() || !fits(*w) || !fits(*h)) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} {}: WIDTHxHEIGHT from 16x16 to 16384x16384 expected", option, text),
                    fmt::format("for example {} 3840x2160, or a name: 720p, 1080p, 1440p, 4K, 8K", option));
    }
    width = *w;
    height = *h;
}

std::string parseTransport(const std::string& text, const char* other) {
    if (findTransport(text) == nullptr) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--transport {}: {} or {} expected", text, transportNames(), other));
    }
    return text;
}

Rational parseRate(const std::string& text) {
    double numerator = 0;
    double denominator = 1;
    char* end = nullptr;
    numerator = std::strtod(text.c_str(), &end);
    bool good = end != text.c_str();
    if (good && *end == '/') {
        const char* rest = end + 1;
        denominator = std::strtod(rest, &end);
        good = end != rest;
    }
    const double rate = numerator / denominator;
    if (!good || *end != '\0' || !(rate >= 0.01 && rate <= 100000)) {
        throw Error(ErrorKind::Usage,
                    fmt::format("--fps {}: a rate from 0.01 to 100000, 'source' or 'max' expected", text),
                    "for example --fps 60, --fps 59.94 or --fps 60000/1001");
    }
    if (denominator != 1 && std::floor(numerator) == numerator && std::floor(denominator) == denominator &&
        numerator < 2e9 && denominator < 2e9) {
        return {static_cast<std::int32_t>(numerator), static_cast<std::int32_t>(denominator)};
    }
    // 23.98, 29.97, 59.94, 119.88 mean the NTSC rates.
    const double ntsc = std::round(rate * 1.001);
    if (std::floor(rate) != rate && std::abs(ntsc / 1.001 - rate) < 0.006) {
        return {static_cast<std::int32_t>(ntsc) * 1000, 1001};
    }
    if (std::floor(rate) == rate) {
        return {static_cast<std::int32_t>(rate), 1};
    }
    return {static_cast<std::int32_t>(std::lround(rate * 1000)), 1000};
}

std::uint64_t parseCount(const std::string& option, const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || value == 0) {
        throw Error(ErrorKind::Usage, fmt::format("{} {}: a whole number from 1 expected", option, text));
    }
    return value;
}

std::uint64_t parseByteCount(const std::string& option, const std::string& text, std::uint64_t least,
                             std::uint64_t most) {
    std::uint64_t value = 0;
    const char* last = text.data() + text.size();
    const auto [end, code] = std::from_chars(text.data(), last, value);
    const std::string_view unit(end, static_cast<std::size_t>(last - end));
    const int shift = unit.empty()                 ? 0
                      : unit == "K" || unit == "k" ? 10
                      : unit == "M"                ? 20
                      : unit == "G"                ? 30
                                                   : -1;
    if (code != std::errc() || shift < 0 || value > (most >> shift) || value << shift < least) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{} {}: bytes from {} to {} expected", option, text, least, most),
                    fmt::format("for example {} 256K or {} 4M", option, option));
    }
    return value << shift;
}

std::string nameOfStream(std::string path, std::uint32_t number) {
    const std::string text = std::to_string(number);
    for (std::size_t at = 0; number != 0 && (at = path.find(kStreamMark, at)) != std::string::npos;
         at += text.size()) {
        path.replace(at, 2, text);
    }
    return path;
}

}  // namespace verbcast
