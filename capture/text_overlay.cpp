#include "capture/text_overlay.h"

#include <algorithm>
#include <cstddef>

namespace verbcast {
namespace {

constexpr std::string_view kCharacters = "0123456789:";

// Seven rows of five dots, the left one in the highest of the five bits.
constexpr std::uint8_t kDots[11][7] = {
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

constexpr float kInk = 1.0F;
constexpr float kPaper = 0.06F;

bool isInked(std::size_t character, std::uint32_t column, std::uint32_t row) {
    return column < 5 && row < 7 && (kDots[character][row] >> (4 - column) & 1) != 0;
}

}  // namespace

DigitFont::DigitFont(PixelFormat pixelFormat, std::uint32_t scale) : scale_(std::max(1U, scale)) {
    for (std::size_t character = 0; character < cells_.size(); ++character) {
        const auto paint = [&](std::uint32_t y, const RgbRow& row) {
            for (std::uint32_t x = 0; x < row.red.size(); ++x) {
                const float value = isInked(character, x / scale_, y / scale_) ? kInk : kPaper;
                row.red[x] = row.green[x] = row.blue[x] = value;
            }
        };
        cells_[character] = std::make_unique<Canvas>(pixelFormat, cellWidth(), cellHeight(), paint);
    }
}

void DigitFont::write(std::string_view text, const VideoFormat& frame, std::byte* payload, std::uint32_t x,
                      std::uint32_t y) const {
    x -= x % kCanvasStepX;
    y -= y % kCanvasStepY;
    for (const char character : text) {
        if (const auto index = kCharacters.find(character); index != std::string_view::npos) {
            cells_[index]->blit(frame, payload, x, y);
        }
        x += cellWidth();
    }
}

}  // namespace verbcast
