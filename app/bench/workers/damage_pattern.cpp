#include "app/bench/workers/damage_pattern.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace verbcast {
namespace {

constexpr std::uint64_t kNobody = ~std::uint64_t{0};  // writer of rows that never change
constexpr std::uint32_t kRowPair = 2;                 // one row of subsampled planes

/// The value that fills a row: well mixed, so that rows of two frames differ in nearly all bytes.
std::uint64_t rowWord(std::uint64_t row, std::uint64_t writer) {
    std::uint64_t word = (row + 1) * 0x9E3779B97F4A7C15 ^ (writer + 1) * 0xBF58476D1CE4E5B9;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
    return word ^ (word >> 31);
}

/// Calls visit(picture row that the bytes belong to, offset in the payload, number of bytes).
template <typename Visit>
void eachPlaneRow(const VideoFormat& format, const FrameRect& rows, Visit&& visit) {
    const PixelFormatInfo& info = pixelFormatInfo(format.pixelFormat);
    for (std::size_t plane = 0; plane < info.planeCount; ++plane) {
        const PlaneRegion region = planeRegion(format, plane, rows);
        const std::uint64_t bytes = std::uint64_t{region.groups} * info.planes[plane].bytesPerGroup;
        for (std::uint32_t row = region.row; row < region.row + region.rows; ++row) {
            visit(row << info.planes[plane].verticalShift,
                  format.planes[plane].offset + std::uint64_t{row} * format.planes[plane].stride, bytes);
        }
    }
}

}  // namespace

DamagePattern::DamagePattern(const VideoFormat& format, double percent) : format_(format) {
    const auto pairs = static_cast<std::uint32_t>(std::lround(format.height * percent / 100 / kRowPair));
    bandRows_ = std::min(format.height, percent > 0 ? std::max(1U, pairs) * kRowPair : 0);
    bandRows_ = percent >= 100 ? format.height : bandRows_;
    bands_ = bandRows_ > 0 ? format.height / bandRows_ : 0;
}

FrameRect DamagePattern::band(std::uint64_t number) const {
    return {0, static_cast<std::uint16_t>(number % bands_ * bandRows_),
            static_cast<std::uint16_t>(format_.width), static_cast<std::uint16_t>(bandRows_)};
}

PictureChanges DamagePattern::changes(std::uint64_t number) const {
    PictureChanges changes = PictureChanges::none();
    if (bands_ > 0) {
        changes.add(band(number));
    }
    return changes;
}

std::uint64_t DamagePattern::writerOf(std::uint32_t row, std::uint64_t number) const {
    const std::uint64_t own = bandRows_ > 0 ? row / bandRows_ : bands_;
    if (own >= bands_ || number < own) {
        return kNobody;
    }
    return number - (number - own) % bands_;
}

void DamagePattern::drawRows(std::byte* payload, const FrameRect& rows, std::uint64_t number) const {
    eachPlaneRow(format_, rows, [&](std::uint32_t row, std::uint64_t at, std::uint64_t bytes) {
        const std::uint64_t word = rowWord(row, writerOf(row, number));
        for (std::uint64_t done = 0; done < bytes; done += sizeof word) {
            std::memcpy(payload + at + done, &word, std::min<std::uint64_t>(sizeof word, bytes - done));
        }
    });
}

void DamagePattern::draw(std::byte* payload, std::optional<std::uint64_t> holds, std::uint64_t number) const {
    if (!holds) {
        drawRows(payload, wholePicture(format_), number);
        return;
    }
    const std::uint64_t changed = std::min<std::uint64_t>(number - *holds, bands_);
    for (std::uint64_t each = number + 1 - changed; each <= number && changed > 0; ++each) {
        drawRows(payload, band(each), number);
    }
}

bool DamagePattern::isRight(const std::byte* payload, std::uint64_t number) const {
    bool right = true;
    eachPlaneRow(
        format_, wholePicture(format_), [&](std::uint32_t row, std::uint64_t at, std::uint64_t bytes) {
            const std::uint64_t word = rowWord(row, writerOf(row, number));
            std::uint64_t wrong = 0, read = 0, done = 0;
            for (; done + sizeof word <= bytes; done += sizeof word) {
                std::memcpy(&read, payload + at + done, sizeof read);
                wrong |= read ^ word;
            }
            right = right && wrong == 0 && std::memcmp(payload + at + done, &word, bytes - done) == 0;
        });
    return right;
}

}  // namespace verbcast
