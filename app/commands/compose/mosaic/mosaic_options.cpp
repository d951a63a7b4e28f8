#include "app/commands/compose/mosaic/mosaic_options.h"

#include <charconv>
#include <filesystem>

#include "capture/source_schemes.h"
#include "core/transport/registry.h"
#include "core/transport/url.h"

namespace verbcast {
namespace {

bool isAddressScheme(const std::string& scheme) {
    return findTransport(scheme) != nullptr || scheme == kMulticastScheme || scheme == "rdma" ||
           scheme == "auto";
}

}  // namespace

bool isLocalInput(const std::string& input) {
    if (input == "-" || sourceSchemeOf(input) != nullptr) {
        return true;
    }
    if (const std::size_t colon = input.find("://"); colon != std::string::npos) {
        return !isAddressScheme(input.substr(0, colon));
    }
    std::error_code ignored;
    return input.find('/') != std::string::npos || std::filesystem::exists(input, ignored);
}

std::optional<RgbColour> colourIn(const std::string& text) {
    constexpr float kWhole = 255;
    const std::string digits = text.starts_with('#') ? text.substr(1) : text;
    unsigned value = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, value, 16);
    if (digits.size() != 6 || error != std::errc() || end != last) {
        return std::nullopt;
    }
    return RgbColour{{static_cast<float>(value >> 16) / kWhole,
                      static_cast<float>(value >> 8 & 0xff) / kWhole,
                      static_cast<float>(value & 0xff) / kWhole}};
}

}  // namespace verbcast
