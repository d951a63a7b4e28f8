#include "core/transport/rdma/verbs/verbs_options.h"

#include <fmt/format.h>

#include <charconv>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr const char* kRemedy =
    "options of verbs:// are device=NAME, port=N, gid=INDEX, immediate=on|off, windows=on|off, timeout=MS";

int parseNumber(const std::string& key, const std::string& text, int low, int high) {
    int value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || value < low || value > high) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{}={}: a number from {} to {} expected", key, text, low, high), kRemedy);
    }
    return value;
}

/// The device gives up after kTransmissions times 4.096 us times 2^exponent (IBTA 9.7.6.1.3).
std::uint8_t exponentFor(int milliseconds) {
    std::uint8_t exponent = 8;
    while (exponent < 22 && kTransmissions * 0.004096 * static_cast<double>(1U << exponent) < milliseconds) {
        ++exponent;
    }
    return exponent;
}

bool parseSwitch(const std::string& key, const std::string& text) {
    if (text != "on" && text != "off") {
        throw Error(ErrorKind::Usage, fmt::format("{}={}: on or off expected", key, text), kRemedy);
    }
    return text == "on";
}

}  // namespace

VerbsOptions parseVerbsOptions(const Url& url) {
    VerbsOptions options;
    for (const auto& [key, value] : url.options) {
        if (key == "device" && !value.empty()) {
            options.device = value;
        } else if (key == "port") {
            options.port = parseNumber(key, value, 1, 255);
        } else if (key == "gid") {
            options.gid = parseNumber(key, value, 0, 65535);
        } else if (key == "immediate") {
            options.immediate = parseSwitch(key, value);
        } else if (key == "windows") {
            options.windows = parseSwitch(key, value);
        } else if (key == "timeout") {
            options.ackTimeoutExponent = exponentFor(parseNumber(key, value, 10, 60000));
        } else {
            throw Error(ErrorKind::Usage,
                        fmt::format("unknown option \"{}={}\" in {}", key, value, url.text()), kRemedy);
        }
    }
    return options;
}

}  // namespace verbcast
