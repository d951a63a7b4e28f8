#include "capture/pattern/text_overlay.h"

#include <algorithm>
#include <cstddef>

#include "core/video/digit_dots.h"

namespace verbcast {
namespace {

constexpr float kInk = 1.0F;
constexpr float kPaper = 0.06F;

}  // namespace

DigitFont::DigitFont(PixelFormat pixelFormat, std::uint32_t scale) : scale_(std::max(1U, scale)) {
    for (std::size_t character = 0; character < cells_.size(); ++character) {
        const auto paint = [&](std::uint32_t y, const RgbRow& row) {
            for (std::uint32_t x = 0; x < row.red.size(); ++x) {
                const float value = isDigitInked(character, x / scale_, y / scale_) ? kInk : kPaper;
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
        if (const auto index = kDigitCharacters.find(character); index != std::string_view::npos) {
            cells_[index]->blit(frame, payload, x, y);
        }
        x += cellWidth();
    }
}

}  // namespace verbcast
