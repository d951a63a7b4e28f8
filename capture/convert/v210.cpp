#include "capture/convert/v210.h"

#include <algorithm>
#include <cstring>

namespace verbcast {
namespace {

constexpr std::uint32_t kGroupPixels = 6;
constexpr std::size_t kGroupBytes = 16;

std::uint32_t legal(std::uint16_t sample) {
    return std::clamp<std::uint32_t>(sample, 4, 1019);
}

void packGroup(const std::uint16_t* y, const std::uint16_t* cb, const std::uint16_t* cr, std::byte* group) {
    const std::uint32_t words[4] = {
        legal(cb[0]) | legal(y[0]) << 10 | legal(cr[0]) << 20,
        legal(y[1]) | legal(cb[1]) << 10 | legal(y[2]) << 20,
        legal(cr[1]) | legal(y[3]) << 10 | legal(cb[2]) << 20,
        legal(y[4]) | legal(cr[2]) << 10 | legal(y[5]) << 20,
    };
    std::memcpy(group, words, sizeof words);
}

// The 10-bit fields of a group in word order, for a row's incomplete last group.
struct Field {
    enum Component { Cb, Y, Cr } component;
    std::uint8_t index;
};
constexpr Field kFields[12] = {{Field::Cb, 0}, {Field::Y, 0}, {Field::Cr, 0}, {Field::Y, 1},
                               {Field::Cb, 1}, {Field::Y, 2}, {Field::Cr, 1}, {Field::Y, 3},
                               {Field::Cb, 2}, {Field::Y, 4}, {Field::Cr, 2}, {Field::Y, 5}};

void packPartialGroup(const std::uint16_t* y, const std::uint16_t* cb, const std::uint16_t* cr,
                      std::uint32_t pixels, std::byte* group) {
    const std::uint16_t* samples[3] = {cb, y, cr};
    const std::uint32_t counts[3] = {(pixels + 1) / 2, pixels, (pixels + 1) / 2};
    std::uint32_t words[4] = {};
    for (unsigned i = 0; i < 12; ++i) {
        const auto [component, index] = kFields[i];
        if (index < counts[component]) {
            words[i / 3] |= legal(samples[component][index]) << (i % 3 * 10);
        }
    }
    std::memcpy(group, words, sizeof words);
}

}  // namespace

void packV210Row(const std::uint16_t* luma, const std::uint16_t* cb, const std::uint16_t* cr,
                 std::uint32_t width, std::byte* row, std::size_t rowBytes) {
    const std::size_t groups = width / kGroupPixels;
    for (std::size_t g = 0; g < groups; ++g) {
        packGroup(luma + g * 6, cb + g * 3, cr + g * 3, row + g * kGroupBytes);
    }
    std::size_t written = groups * kGroupBytes;
    if (const std::uint32_t rest = width % kGroupPixels; rest != 0) {
        packPartialGroup(luma + groups * 6, cb + groups * 3, cr + groups * 3, rest, row + written);
        written += kGroupBytes;
    }
    if (written < rowBytes) {
        std::memset(row + written, 0, rowBytes - written);
    }
}

void unpackV210Row(const std::byte* row, std::uint32_t width, std::uint16_t* luma, std::uint16_t* cb,
                   std::uint16_t* cr) {
    std::uint16_t* samples[3] = {cb, luma, cr};
    for (std::uint32_t x = 0; x < width; x += kGroupPixels, row += kGroupBytes) {
        const std::uint32_t pixels = std::min(kGroupPixels, width - x);
        const std::uint32_t counts[3] = {(pixels + 1) / 2, pixels, (pixels + 1) / 2};
        const std::uint32_t starts[3] = {x / 2, x, x / 2};
        std::uint32_t words[4];
        std::memcpy(words, row, sizeof words);
        for (unsigned i = 0; i < 12; ++i) {
            const auto [component, index] = kFields[i];
            if (index < counts[component]) {
                samples[component][starts[component] + index] =
                    static_cast<std::uint16_t>(words[i / 3] >> (i % 3 * 10) & 1023);
            }
        }
    }
}

}  // namespace verbcast
