#include "core/base/text/clean_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace verbcast {
namespace {

struct Range {
    char32_t first, last;
};

/// Unicode 15.1: general categories Cc, Cf, Zl and Zp, property Default_Ignorable_Code_Point, and the
/// noncharacters except those at the end of each plane. Sorted.
constexpr std::array<Range, 28> kUnfit{{
    {0x00, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},
    {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},
    {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
    {0x2060, 0x206f},   {0x3164, 0x3164},   {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
    {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f},
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
}};

bool isFit(char32_t c) {
    const auto range = std::ranges::lower_bound(kUnfit, c, {}, &Range::last);
    return (range == kUnfit.end() || c < range->first) && (c & 0xfffe) != 0xfffe;
}

struct Character {
    char32_t value;
    std::size_t bytes;
};

/// The well-formed character (Unicode 15.1, table 3-7) that `text` begins with, if it does.
std::optional<Character> firstOf(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint8_t lead = byte(0);
    if (lead < 0x80) {
        return Character{lead, 1};
    }
    const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) {
        return std::nullopt;
    }
    char32_t value = lead & (0xffU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0U) != 0x80) {
            return std::nullopt;
        }
        value = value << 6U | (byte(i) & 0x3fU);
    }
    constexpr std::array<char32_t, 5> kMin{0, 0, 0x80, 0x800, 0x10000};
    const bool isSurrogate = value >= 0xd800 && value <= 0xdfff;
    if (value < kMin[bytes] || isSurrogate || value > 0x10ffff) {
        return std::nullopt;
    }
    return Character{value, bytes};
}

}  // namespace

std::string cleanText(std::string_view text, std::size_t maxBytes) {
    std::string result;
    result.reserve(std::min(text.size(), maxBytes));
    while (!text.empty()) {
        const auto character = firstOf(text);
        const std::size_t bytes = character ? character->bytes : 1;
        const std::string_view piece = character && isFit(character->value) ? text.substr(0, bytes) : "?";
        if (result.size() + piece.size() > maxBytes) {
            break;
        }
        result += piece;
        text.remove_prefix(bytes);
    }
    return result;
}

std::string escapedXml(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const char* const entity = c == '&'    ? "&amp;"
                                   : c == '<'  ? "&lt;"
                                   : c == '>'  ? "&gt;"
                                   : c == '"'  ? "&quot;"
                                   : c == '\'' ? "&#39;"
                                               : nullptr;
        const bool shown = static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t';
        out += entity != nullptr ? entity : shown ? std::string(1, c) : "";
    }
    return out;
}

}  // namespace verbcast
