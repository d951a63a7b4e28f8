#include "render/scenes/frame_counter.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/video/digit_dots.h"

namespace verbcast {
namespace {

constexpr std::size_t kDigits = 6;
// One dot of space before and above each digit, and one after the last.
constexpr std::uint32_t kCellWidth = kDigitColumns + 1, kCellHeight = kDigitRows + 1;
constexpr std::uint32_t kAcross = kDigits * kCellWidth + 1, kDown = kCellHeight + 1;

GlTexture makeGlyphs() {
    constexpr std::uint32_t kWidth = 10 * kCellWidth + 1;
    std::vector<std::uint8_t> dots(std::size_t{kWidth} * kDown);
    for (std::uint32_t digit = 0; digit < 10; ++digit) {
        for (std::uint32_t row = 0; row < kDigitRows; ++row) {
            for (std::uint32_t column = 0; column < kDigitColumns; ++column) {
                const bool inked = isDigitInked(digit, column, row);
                dots[(row + 1) * kWidth + digit * kCellWidth + column + 1] = inked ? 255 : 0;
            }
        }
    }
    auto texture = GlTexture::create();
    glBindTexture(GL_TEXTURE_2D, texture.get());
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, kWidth, kDown, 0, GL_RED, GL_UNSIGNED_BYTE, dots.data());
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindTexture(GL_TEXTURE_2D, 0);
    return texture;
}

std::array<GLint, kDigits> digitsOf(std::uint64_t number) {
    std::array<GLint, kDigits> digits{};
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, number /= 10) {
        *digit = static_cast<GLint>(number % 10);
    }
    return digits;
}

}  // namespace

FrameCounter::FrameCounter()
    : glyphs_(makeGlyphs()),
      program_({"scene_digits.vert"}, {"scene_digits.frag"}),
      rectangle_(program_.uniform("rectangle")),
      digits_(program_.uniform("digits")) {
    program_.use();
    glUniform1i(program_.uniform("glyphs"), 0);
    glUniform2i(program_.uniform("cell"), kCellWidth, kCellHeight);
    glUniform2f(program_.uniform("dots"), kAcross, kDown);
    glUseProgram(0);
}

void FrameCounter::draw(std::uint64_t number, std::uint32_t width, std::uint32_t height) const {
    const std::uint32_t dot = std::max(1U, height / 300);  // pixels
    const float margin = static_cast<float>(4 * dot);
    const float dotX = 2.0f * static_cast<float>(dot) / static_cast<float>(width);
    const float dotY = 2.0f * static_cast<float>(dot) / static_cast<float>(height);
    const float left = -1.0f + 2.0f * margin / static_cast<float>(width);
    const float bottom = 1.0f - 2.0f * margin / static_cast<float>(height);
    const auto digits = digitsOf(number);
    program_.use();
    glUniform4f(rectangle_, left, bottom - kDown * dotY, left + kAcross * dotX, bottom);
    glUniform1iv(digits_, kDigits, digits.data());
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, glyphs_.get());
    glBindVertexArray(vertexArray_.get());
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);  // stays opaque
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glDisable(GL_BLEND);
    glBindVertexArray(0);
    glBindTexture(GL_TEXTURE_2D, 0);
    glUseProgram(0);
}

}  // namespace verbcast
