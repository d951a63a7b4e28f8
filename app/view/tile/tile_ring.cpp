#include "app/view/tile/tile_ring.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/base/log/peer_log.h"
#include "core/flow/region_blocks.h"

namespace verbcast {
namespace {

/// Returns a prime, so that time stamps with an unknown step cycle through all places.
std::uint16_t placesFor(std::uint32_t waiting) {
    constexpr std::array<std::uint16_t, 18> kPrimes{2,  3,  5,  7,  11, 13, 17, 19, 23,
                                                    29, 31, 37, 41, 43, 47, 53, 59, 61};
    return *std::prev(std::ranges::upper_bound(kPrimes, std::max(waiting, 2U)));
}

std::uint32_t paceOf(const VideoFormat& format) {
    const double unitsPerSecond = format.timeBase.value() > 0 ? 1 / format.timeBase.value() : 0;
    const double rate = format.frameRate.value();
    const double pace = rate > 0 ? unitsPerSecond / rate : 1;
    return static_cast<std::uint32_t>(
        std::clamp(pace, 1.0, static_cast<double>(std::numeric_limits<std::uint32_t>::max())));
}

}  // namespace

class TileRing::Placer final : public PartPlacer {
  public:
    Placer(TileRing& ring, std::size_t source) : ring_(ring), source_(source) {}
    std::optional<PartPlace> place(const VideoFormat& format, const PictureRegion& region,
                                   const std::string& obstacle, const MakeRing& makeRing) override {
        return ring_.place(source_, format, region, obstacle, makeRing);
    }

  private:
    TileRing& ring_;
    const std::size_t source_;
};

TileRing::TileRing(const ViewedTile& tile, std::uint32_t held, std::uint32_t waiting)
    : tile_(tile), held_(held), places_(placesFor(waiting)) {
    for (std::size_t i = 0; i < tile_.pictures(); ++i) {
        placers_.push_back(std::make_unique<Placer>(*this, i));
    }
    used_.resize(placers_.size());
    noted_.resize(placers_.size());
}

VideoFormat TileRing::pictureOf(const VideoFormat& format) const {
    const VideoFormat canvas = canvasFormat(tile_.wall, format);
    return regionFormat(canvas, alignedRegion(canvas, tile_.display.rectangle));
}

/// Converts what a source's frames hold to the tile's pixels. Empty unless all of it is inside.
FrameRect TileRing::placeOf(std::size_t source, const VideoFormat& picture, const FrameRect& held) const {
    const VideoFormat canvas = canvasFormat(tile_.wall, picture);
    const FrameRect tile = alignedRegion(canvas, tile_.display.rectangle);
    const FrameRect& rect = tile_.wall.sources[source].rectangle;
    const int x = rect.x + held.x - tile.x, y = rect.y + held.y - tile.y;
    if (x < 0 || y < 0) {
        return {};
    }
    const FrameRect place{static_cast<std::uint16_t>(x), static_cast<std::uint16_t>(y), held.width,
                          held.height};
    return regionProblem(canvas, rect) || regionProblem(picture, place) ? FrameRect{} : place;
}

std::string TileRing::problemOf(std::size_t source, const VideoFormat& format,
                                const PictureRegion& region) const {
    if (region.isNone()) {
        return "its pictures do not fit the wall";
    }
    if (format.hasDepth()) {
        return "its pictures have depths";
    }
    return placeOf(source, pictureOf(format), region.held).isEmpty()
               ? "what it sends cannot be cut where the display's picture ends"
               : "";
}

/// By source: the bytes of a slot that it may write.
std::vector<std::vector<ByteBlock>> TileRing::placesIn(const VideoFormat& picture) const {
    std::vector<std::vector<ByteBlock>> places;
    for (std::size_t i = 0; i < placers_.size(); ++i) {
        const WallSource& source = tile_.wall.sources[i];
        VideoFormat whole = picture;
        whole.width = source.rectangle.width;
        whole.height = source.rectangle.height;
        layOutPlanes(whole, 1, 1);
        const PictureRegion region = chooseRegion(whole, sourceWish(source, tile_.display));
        const FrameRect place = region.isNone() ? FrameRect{} : placeOf(i, picture, region.held);
        if (place.isEmpty()) {
            places.push_back({ByteBlock{}});  // writes nothing
            continue;
        }
        const RegionPlace into{picture, {place.x, place.y}};
        const RegionBlocks blocks(whole, region.held, regionFormat(whole, region.held), PictureChanges::all(),
                                  &into);
        places.emplace_back(blocks.into().begin(), blocks.into().end());
    }
    return places;
}

void TileRing::useRing(const VideoFormat& format, const PartPlacer::MakeRing& makeRing) {
    VideoFormat picture = pictureOf(format);
    picture.frameRate = {0, 1};
    if (newest_ && newest_->picture == picture) {
        return;
    }
    newest_.reset();
    auto pool = makeRing(picture.payloadBytes, places_ + held_);
    auto slots = ComposedSlots::over(*pool, {.places = places_, .pace = paceOf(format)}, placesIn(picture));
    newest_ = Ring{picture, std::move(pool), std::move(slots)};
}

std::optional<PartPlace> TileRing::place(std::size_t source, const VideoFormat& format,
                                         const PictureRegion& region, const std::string& obstacle,
                                         const PartPlacer::MakeRing& makeRing) {
    const std::lock_guard lock(mutex_);
    std::string reason = obstacle.empty() ? problemOf(source, format, region) : obstacle;
    std::shared_ptr<ComposedSlots> slots;
    if (reason.empty()) {
        try {
            useRing(format, makeRing);
            slots = newest_->slots;
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Resource) {
                throw;
            }
            reason = error.what();
        }
    }
    if (used_[source] && used_[source] != slots) {
        used_[source]->close(source);
    }
    used_[source] = slots;
    note(source, reason);
    if (!slots) {
        return std::nullopt;
    }
    slots->open(source);
    const VideoFormat picture = pictureOf(format);
    const FrameRect place = placeOf(source, picture, region.held);
    return PartPlace{.part = {slots, source}, .picture = picture, .corner = {place.x, place.y}};
}

void TileRing::note(std::size_t source, const std::string& reason) {
    if (noted_[source] == reason) {
        return;
    }
    noted_[source] = reason;
    const std::string& name = tile_.wall.sources[source].name;
    if (reason.empty()) {
        tellOfPeer(LogCategory::General, "part written", name,
                   "tile {}: {} writes its part into the display's frames", tile_.display.name, name);
    } else {
        tellOfPeer(LogCategory::General, "part copied", name,
                   "tile {}: the part of {} is copied into the display's frames: {}", tile_.display.name,
                   name, reason);
    }
}

std::optional<TileRing::Slot> TileRing::slotOf(std::span<const MatchedParts::Part> parts) const {
    const std::lock_guard lock(mutex_);
    if (!newest_) {
        return std::nullopt;
    }
    std::vector<const FrameLease*> leases;
    Slot slot;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        leases.push_back(&parts[i].frame->lease);
        slot.placed.push_back(leases[i]->pool() == newest_->slots->part(i));
    }
    const auto number = newest_->slots->slotOf(leases);
    if (!number) {
        return std::nullopt;
    }
    slot.payload = newest_->pool->slotData(*number);
    return slot;
}

std::optional<FrameLease> TileRing::join(std::span<MatchedParts::Part> parts) {
    const std::lock_guard lock(mutex_);
    std::vector<FrameLease*> leases;
    for (MatchedParts::Part& part : parts) {
        leases.push_back(&part.frame->lease);
    }
    return newest_ ? newest_->slots->join(leases) : std::nullopt;
}

}  // namespace verbcast
