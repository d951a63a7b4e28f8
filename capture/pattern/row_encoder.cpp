#include "capture/pattern/row_encoder.h"

#include <algorithm>

#include "capture/convert/v210.h"

namespace verbcast {
namespace {

// ITU-R BT.709, item 3.2.
constexpr float kRed = 0.2126F, kGreen = 0.7152F, kBlue = 0.0722F;

std::uint32_t quantise(float value, float top) {
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): non-negative values are rounded right, without a call
    return static_cast<std::uint32_t>(std::clamp(value, 0.0F, 1.0F) * top + 0.5F);
}

std::uint16_t toCode(float code, float top) {
    return static_cast<std::uint16_t>(std::clamp(code + 0.5F, 0.0F, top));
}

/// Stores samples as a plane's words. For p010, `shift` moves the 10 bits to the top of the word.
template <typename Word>
void storeSamples(const std::vector<std::uint16_t>& samples, int shift, std::byte* out) {
    auto* words = reinterpret_cast<Word*>(out);
    for (std::size_t i = 0; i < samples.size(); ++i) {
        words[i] = static_cast<Word>(samples[i] << shift);
    }
}

template <typename Word>
void storePairs(const std::vector<std::uint16_t>& first, const std::vector<std::uint16_t>& second, int shift,
                std::byte* out) {
    auto* words = reinterpret_cast<Word*>(out);
    for (std::size_t i = 0; i < first.size(); ++i) {
        words[2 * i] = static_cast<Word>(first[i] << shift);
        words[2 * i + 1] = static_cast<Word>(second[i] << shift);
    }
}

}  // namespace

RowEncoder::RowEncoder(const VideoFormat& layout, const Colour& colour)
    : layout_(layout),
      info_(pixelFormatInfo(layout.pixelFormat)),
      colour_(colour),
      chromaWidth_((layout.width + (1U << info_.chromaShiftX) - 1) >> info_.chromaShiftX),
      cb_(layout.width),
      cr_(layout.width),
      cbSum_(chromaWidth_),
      crSum_(chromaWidth_),
      luma_(layout.width),
      blue_(chromaWidth_),
      red_(chromaWidth_) {}

std::byte* RowEncoder::rowOf(std::byte* payload, std::size_t plane, std::uint32_t row) const {
    return payload + layout_.planes[plane].offset + std::uint64_t{row} * layout_.planes[plane].stride;
}

bool RowEncoder::endsChromaRow(std::uint32_t y) const {
    return info_.chromaShiftY == 0 || y % 2 == 1 || y + 1 == layout_.height;
}

void RowEncoder::encode(std::uint32_t y, const RgbRow& row, std::byte* payload) {
    if (info_.rgb) {
        encodeRgb(row, rowOf(payload, 0, y));
    } else {
        convert(row);
        if (info_.format != PixelFormat::gray) {
            subsample(y);
        }
        store(y, payload);
    }
}

void RowEncoder::encodeRgb(const RgbRow& row, std::byte* out) const {
    const auto pack = [&](unsigned redShift, unsigned greenShift, unsigned blueShift, std::uint32_t rest,
                          float top) {
        auto* words = reinterpret_cast<std::uint32_t*>(out);
        for (std::size_t x = 0; x < row.red.size(); ++x) {
            words[x] = quantise(row.red[x], top) << redShift | quantise(row.green[x], top) << greenShift |
                       quantise(row.blue[x], top) << blueShift | rest;
        }
    };
    switch (info_.format) {
        case PixelFormat::rgba:
            return pack(0, 8, 16, 0xFF000000, 255);
        case PixelFormat::bgra:
            return pack(16, 8, 0, 0xFF000000, 255);
        case PixelFormat::x2rgb10le:
            return pack(20, 10, 0, 0, 1023);
        default:  // rgb24
            for (std::size_t x = 0; x < row.red.size(); ++x) {
                out[x * 3] = static_cast<std::byte>(quantise(row.red[x], 255));
                out[x * 3 + 1] = static_cast<std::byte>(quantise(row.green[x], 255));
                out[x * 3 + 2] = static_cast<std::byte>(quantise(row.blue[x], 255));
            }
    }
}

// H.273, section 8.3: codes from nominal values; limited range has 219 and 224 steps of 8 bits, full range
// all codes.
void RowEncoder::convert(const RgbRow& row) {
    const float step = static_cast<float>(1 << (info_.bitsPerComponent - 8));
    const float top = 256 * step - 1;
    const float lumaSpan = colour_.fullRange ? top : 219 * step;
    const float lumaZero = colour_.fullRange ? 0 : 16 * step;
    const float chromaSpan = colour_.fullRange ? top : 224 * step;
    const float chromaZero = 128 * step;
    for (std::size_t x = 0; x < row.red.size(); ++x) {
        const float luma = kRed * row.red[x] + kGreen * row.green[x] + kBlue * row.blue[x];
        luma_[x] = toCode(lumaZero + lumaSpan * luma, top);
        cb_[x] = chromaZero + chromaSpan * (row.blue[x] - luma) / (2 * (1 - kBlue));
        cr_[x] = chromaZero + chromaSpan * (row.red[x] - luma) / (2 * (1 - kRed));
    }
}

void RowEncoder::subsample(std::uint32_t y) {
    const bool firstOfTwo = info_.chromaShiftY == 0 || y % 2 == 0;
    if (firstOfTwo) {
        std::fill(cbSum_.begin(), cbSum_.end(), 0.0F);
        std::fill(crSum_.begin(), crSum_.end(), 0.0F);
    }
    const auto add = [this](const std::vector<float>& samples, std::vector<float>& sums) {
        if (info_.chromaShiftX == 0) {
            std::transform(samples.begin(), samples.end(), sums.begin(), sums.begin(), std::plus<>());
            return;
        }
        const std::size_t last = samples.size() - 1;
        sums[0] += (3 * samples[0] + samples[std::min<std::size_t>(1, last)]) / 4;
        for (std::size_t i = 1; i < sums.size(); ++i) {
            sums[i] += (samples[2 * i - 1] + 2 * samples[2 * i] + samples[std::min(2 * i + 1, last)]) / 4;
        }
    };
    add(cb_, cbSum_);
    add(cr_, crSum_);
    if (!endsChromaRow(y)) {
        return;
    }
    const float scale = firstOfTwo ? 1.0F : 0.5F;
    const float top = static_cast<float>((1 << info_.bitsPerComponent) - 1);
    for (std::size_t i = 0; i < chromaWidth_; ++i) {
        blue_[i] = toCode(cbSum_[i] * scale, top);
        red_[i] = toCode(crSum_[i] * scale, top);
    }
}

void RowEncoder::store(std::uint32_t y, std::byte* payload) const {
    std::byte* const lumaRow = rowOf(payload, 0, y);
    if (info_.format == PixelFormat::uyvy422 || info_.format == PixelFormat::yuyv422) {
        return storePacked422(lumaRow);
    }
    if (info_.format == PixelFormat::v210) {
        return packV210Row(luma_.data(), blue_.data(), red_.data(), layout_.width, lumaRow,
                           tightRowBytes(layout_, 0));
    }
    const bool bytes = info_.bitsPerComponent == 8;
    const int shift = info_.format == PixelFormat::p010le ? 6 : 0;
    const auto storeRow = [=](const std::vector<std::uint16_t>& samples, std::byte* out) {
        bytes ? storeSamples<std::uint8_t>(samples, shift, out)
              : storeSamples<std::uint16_t>(samples, shift, out);
    };
    storeRow(luma_, lumaRow);
    if (info_.planeCount == 1 || !endsChromaRow(y)) {
        return;
    }
    std::byte* const chromaRow = rowOf(payload, 1, y >> info_.chromaShiftY);
    if (info_.planeCount == 2) {
        bytes ? storePairs<std::uint8_t>(blue_, red_, shift, chromaRow)
              : storePairs<std::uint16_t>(blue_, red_, shift, chromaRow);
    } else {
        storeRow(blue_, chromaRow);
        storeRow(red_, rowOf(payload, 2, y >> info_.chromaShiftY));
    }
}

void RowEncoder::storePacked422(std::byte* out) const {
    const std::size_t lumaAt = info_.format == PixelFormat::uyvy422 ? 1 : 0;
    const std::size_t chromaAt = 1 - lumaAt;
    const std::size_t last = luma_.size() - 1;
    for (std::size_t i = 0; i < chromaWidth_; ++i) {
        std::byte* group = out + 4 * i;
        group[lumaAt] = static_cast<std::byte>(luma_[2 * i]);
        group[lumaAt + 2] = static_cast<std::byte>(luma_[std::min(2 * i + 1, last)]);
        group[chromaAt] = static_cast<std::byte>(blue_[i]);
        group[chromaAt + 2] = static_cast<std::byte>(red_[i]);
    }
}

}  // namespace verbcast
