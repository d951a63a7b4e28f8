// The digits and the colon as dot matrices, for counters drawn into pictures.
#pragma once

#include <cstdint>
#include <string_view>

namespace verbcast {

inline constexpr std::string_view kDigitCharacters = "0123456789:";
inline constexpr std::uint32_t kDigitColumns = 5, kDigitRows = 7;

// Seven rows of five dots; the leftmost is the highest of the five bits.
inline constexpr std::uint8_t kDigitDots[11][kDigitRows] = {
    {0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110},
    {0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110},
    {0b01110, 0b10001, 0b00001, 0b00010, 0b00100, 0b01000, 0b11111},
    {0b11111, 0b00010, 0b00100, 0b00010, 0b00001, 0b10001, 0b01110},
    {0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010},
    {0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110},
    {0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110},
    {0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000},
    {0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110},
    {0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100},
    {0b00000, 0b00100, 0b00100, 0b00000, 0b00100, 0b00100, 0b00000},
};

/// Nothing is inked outside the dots.
constexpr bool isDigitInked(std::size_t character, std::uint32_t column, std::uint32_t row) {
    return column < kDigitColumns && row < kDigitRows &&
           (kDigitDots[character][row] >> (kDigitColumns - 1 - column) & 1) != 0;
}

}  // namespace verbcast
