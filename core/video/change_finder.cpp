#include "core/video/change_finder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/checksum.h"

namespace verbcast {
namespace {

// Pixels: whole groups and chroma samples in all formats, so that no byte belongs to two tiles. Wide enough
// that one row is worth a call of the hash, and small enough that a line of text covers few tiles.
constexpr std::uint32_t kTileWidth = 192;
constexpr std::uint32_t kTileHeight = 32;
static_assert(kTileWidth % 6 == 0 && kTileWidth % 2 == 0 && kTileHeight % 2 == 0);

std::uint32_t tilesAcross(const VideoFormat& format) {
    return (format.width + kTileWidth - 1) / kTileWidth;
}
std::uint32_t tilesDown(const VideoFormat& format) {
    return (format.height + kTileHeight - 1) / kTileHeight;
}

/// The part of the picture covered by tiles `first` to `last`, inclusive, of a row of tiles.
FrameRect tiles(const VideoFormat& format, std::uint32_t first, std::uint32_t last, std::uint32_t down) {
    const std::uint32_t x = first * kTileWidth, y = down * kTileHeight;
    return {static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y),
            static_cast<std::uint16_t>(std::min((last + 1) * kTileWidth, format.width) - x),
            static_cast<std::uint16_t>(std::min(y + kTileHeight, format.height) - y)};
}

/// Continues the hash of each tile with a row of tiles in one plane.
void hashBand(const std::byte* payload, const Plane& place, const PlaneRegion& band, std::size_t tileBytes,
              std::size_t groupBytes, std::uint64_t* sums) {
    const std::size_t bandBytes = band.groups * groupBytes;
    for (std::uint32_t row = band.row; row < band.row + band.rows; ++row) {
        const std::byte* const bytes = payload + place.offset + std::uint64_t{row} * place.stride;
        std::uint64_t* sum = sums;
        for (std::size_t at = 0; at < bandBytes; at += tileBytes, ++sum) {
            const std::uint64_t piece = checksumOf({bytes + at, std::min(tileBytes, bandBytes - at)});
            *sum = (std::rotl(*sum, 29) ^ piece) * 0x9E3779B97F4A7C15U;  // the order of rows matters
        }
    }
}

/// Less than half of the picture. Overlapping rectangles are counted twice, so the real area may be smaller.
bool isSmall(const PictureChanges& changes, const VideoFormat& format) {
    std::uint64_t pixels = 0;
    for (const FrameRect& rect : changes.rects()) {
        pixels += std::uint64_t{rect.width} * rect.height;
    }
    return !changes.isAll() && pixels * 2 < std::uint64_t{format.width} * format.height;
}

}  // namespace

void PictureComparer::hash(const VideoFormat& format, const std::byte* payload) {
    const std::uint32_t across = tilesAcross(format);
    now_.assign(std::size_t{across} * tilesDown(format), 0);
    for (std::uint32_t down = 0; down < tilesDown(format); ++down) {
        const FrameRect band = tiles(format, 0, across - 1, down), tile = tiles(format, 0, 0, down);
        std::uint64_t* const sums = &now_[std::size_t{across} * down];
        const PixelFormatInfo& pixels = pixelFormatInfo(format.pixelFormat);
        for (std::size_t plane = 0; plane < pixels.planeCount; ++plane) {
            const std::uint64_t groupBytes = pixels.planes[plane].bytesPerGroup;
            hashBand(payload, format.planes[plane], planeRegion(format, plane, band),
                     planeRegion(format, plane, tile).groups * groupBytes, groupBytes, sums);
        }
        if (format.hasDepth()) {
            hashBand(payload, format.depth, depthRegion(band), tile.width * sizeof(float), sizeof(float),
                     sums);
        }
    }
}

PictureChanges PictureComparer::compare(const VideoFormat& format, const std::byte* payload) {
    hash(format, payload);
    const bool follows = format_ == format;
    before_.swap(now_);
    format_ = format;
    if (!follows) {
        return PictureChanges::all();
    }
    const std::uint32_t across = tilesAcross(format);
    const auto changed = [&](std::uint32_t x, std::uint32_t y) {
        return before_[std::size_t{y} * across + x] != now_[std::size_t{y} * across + x];
    };
    PictureChanges changes = PictureChanges::none();
    for (std::uint32_t y = 0; y < tilesDown(format); ++y) {
        for (std::uint32_t x = 0; x < across; ++x) {
            const std::uint32_t first = x;
            while (x < across && changed(x, y)) {
                ++x;
            }
            if (x > first) {
                changes.add(tiles(format, first, x - 1, y));
            }
        }
    }
    return changes;
}

void ChangeFinder::skip() {
    skipped_ = true;
    comparer_.forget();
}

PictureChanges ChangeFinder::look(const VideoFormat& format, const std::byte* payload,
                                  const PictureChanges& told, bool travels) {
    sourceTells_ |= !told.isAll();
    const bool follows = !std::exchange(skipped_, false) && from_ != ChangesFrom::Off;
    if (from_ == ChangesFrom::Compare) {
        return comparer_.compare(format, payload);
    }
    if (from_ == ChangesFrom::Auto && travels && !sourceTells_) {
        return lookWherePays(format, payload);
    }
    comparer_.forget();
    return follows ? told : PictureChanges::all();
}

PictureChanges ChangeFinder::lookWherePays(const VideoFormat& format, const std::byte* payload) {
    if (resting_ > 0) {
        --resting_;
        return PictureChanges::all();
    }
    const bool follows = comparer_.knowsPicture();
    const PictureChanges changed = comparer_.compare(format, payload);
    if (!follows) {
        return changed;
    }
    if (isSmall(changed, format)) {
        nextRest_ = kFirstRest;
        return changed;
    }
    resting_ = nextRest_;
    nextRest_ = std::min(2 * nextRest_, kLongestRest);
    comparer_.forget();
    return changed;
}

}  // namespace verbcast
