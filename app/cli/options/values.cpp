#include "app/cli/options/values.h"

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

namespace {

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
    throwExpected(option, text, "a time", "write seconds (12.5) or [hours:]minutes:seconds (1:02.5)");
}

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

PictureSize parseSize(const std::string& name, const std::string& text) {
    const auto sameLetter = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
    for (const NamedSize& size : kNamedSizes) {
        if (std::ranges::equal(text, size.name, sameLetter)) {
            return {size.width, size.height};
        }
    }
    std::string_view rest = text;
    const auto w = takeNumber(rest);
    const auto h = w && takeTimes(rest) ? takeNumber(rest) : std::nullopt;
    const auto fits = [](std::uint32_t side) { return side >= kMinDimension && side <= kMaxDimension; };
    if (!h || !rest.empty() || !fits(*w) || !fits(*h)) {
        throwExpected(name, text, "WIDTHxHEIGHT from 16x16 to 16384x16384",
                      fmt::format("for example {} 3840x2160, or a name: 720p, 1080p, 1440p, 4K, 8K", name));
    }
    return {*w, *h};
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
        throwExpected(option, text, fmt::format("bytes from {} to {}", least, most),
                      fmt::format("for example {0} 256K or {0} 4M", option));
    }
    return value << shift;
}

std::string bytesText(std::uint64_t bytes) {
    for (const auto& [shift, unit] : {std::pair{30, "G"}, std::pair{20, "M"}, std::pair{10, "K"}}) {
        if (bytes > 0 && bytes % (std::uint64_t{1} << shift) == 0) {
            return fmt::format("{}{}", bytes >> shift, unit);
        }
    }
    return fmt::format("{}", bytes);
}

std::string secondsText(std::chrono::nanoseconds time) {
    return fmt::format("{}", std::chrono::duration<double>(time).count());
}

}  // namespace

PixelFormat parsePixelFormat(const std::string& text) {
    if (const auto format = pixelFormatByName(text)) {
        return *format;
    }
    throw Error(ErrorKind::Usage, fmt::format("--format {}: unknown pixel format", text),
                "one of " + pixelFormatNames());
}

Rational parseRate(const std::string& name, const std::string& text, const std::vector<std::string>& words) {
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
        std::vector<std::string> expected{"a rate from 0.01 to 100000"};
        expected.insert(expected.end(), words.begin(), words.end());
        throwExpected(name, text, wordList(expected),
                      fmt::format("for example {0} 60, {0} 59.94 or {0} 60000/1001", name));
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

std::string rateText(const Rational& rate) {
    return rate.denominator == 1 ? fmt::format("{}", rate.numerator)
                                 : fmt::format("{}/{}", rate.numerator, rate.denominator);
}

std::string wordList(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (&word == &words.front() ? "" : &word == &words.back() ? " or " : ", ") + word;
    }
    return text;
}

std::uint64_t parseNumber(const std::string& name, const std::string& text, std::uint64_t least,
                          std::uint64_t most) {
    std::uint64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || value < least || value > most) {
        throwExpected(name, text,
                      most == UINT64_MAX ? fmt::format("a whole number from {}", least)
                                         : fmt::format("{} to {}", least, most));
    }
    return value;
}

void throwExpected(const std::string& name, const std::string& text, const std::string& what,
                   const std::string& remedy) {
    throw Error(ErrorKind::Usage, fmt::format("{} {}: {} expected", name, text, what), remedy);
}

Value<PictureSize> sizeValue() {
    return {parseSize, [](const PictureSize& size) { return fmt::format("{}x{}", size.width, size.height); }};
}

Value<PixelFormat> formatValue() {
    Value<PixelFormat> value{
        [](const std::string&, const std::string& text) { return parsePixelFormat(text); },
        [](const PixelFormat& format) { return std::string(pixelFormatInfo(format).name); }};
    for (const PixelFormatInfo& info : allPixelFormats()) {
        value.words.emplace_back(info.name);
    }
    return value;
}

Value<std::chrono::nanoseconds> secondsValue(double least) {
    const auto parse = [least](const std::string& name, const std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (end == text.c_str() || *end != '\0' || !std::isfinite(value) || value < least || value > 1e9) {
            const bool fromZero = least == 0 || least >= 0.1;
            throwExpected(
                name, text,
                fmt::format("a number of seconds {}", fromZero ? fmt::format("from {}", least) : "above 0"),
                fmt::format("for example {} 10", name));
        }
        return std::chrono::nanoseconds(static_cast<std::int64_t>(value * 1e9));
    };
    return {parse, secondsText};
}

Value<double> decimalValue(double least, double most) {
    const auto parse = [=](const std::string& name, const std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (end == text.c_str() || *end != '\0' || !(value >= least && value <= most)) {
            throwExpected(name, text, fmt::format("a number from {:g} to {:g}", least, most));
        }
        return value;
    };
    return {parse, [](const double& value) { return fmt::format("{:g}", value); }};
}

Value<std::optional<double>> decimalValueOr(const std::string& word, double least, double most) {
    const Value<double> number = decimalValue(least, most);
    return {[=](const std::string& name, const std::string& text) {
                return text == word ? std::optional<double>() : number.parse(name, text);
            },
            [=](const std::optional<double>& value) { return value ? number.text(*value) : word; }};
}

Value<std::chrono::nanoseconds> timeValue() {
    return {parseTime, secondsText};
}

Value<Rational> rateValue() {
    return {[](const std::string& name, const std::string& text) { return parseRate(name, text); }, rateText};
}

Value<std::uint64_t> bytesValue(std::uint64_t least, std::uint64_t most) {
    return {[least, most](const std::string& name, const std::string& text) {
                return parseByteCount(name, text, least, most);
            },
            bytesText};
}

Value<std::uint64_t> countValue() {
    return numberValue<std::uint64_t>(1, UINT64_MAX);
}

Value<Url> urlValue() {
    return {[](const std::string&, const std::string& text) { return parseUrl(text); }, &Url::text};
}

Value<std::string> wordValue(const std::vector<std::string>& words) {
    std::vector<std::pair<std::string, std::string>> choices;
    choices.reserve(words.size());
    for (const std::string& word : words) {
        choices.emplace_back(word, word);
    }
    return choiceValue(choices);
}

Value<std::string> transportValue(const std::string& other) {
    Value<std::string> value{[other](const std::string& name, const std::string& text) {
                                 if (text != other && findTransport(text) == nullptr) {
                                     throwExpected(name, text,
                                                   fmt::format("{} or {}", transportNames(), other));
                                 }
                                 return text;
                             },
                             [](const std::string& text) { return text; },
                             {other}};
    for (const Transport& transport : transports()) {
        value.words.emplace_back(transport.scheme);
    }
    return value;
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
