// One ring that all senders of a wall's display write into, each its own part of a slot.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/wall/viewed_tile.h"
#include "core/regions/part_placer.h"
#include "core/stream/matched_parts.h"

namespace verbcast {

/// Made for the first source that announces its pictures; a source with different pixels gets another ring.
/// Parts that cannot be received in place are copied, and the log says why. Thread-safe; must outlive the
/// receivers.
class TileRing {
  public:
    /// `held`: most frames of the tile given out at once; `waiting`: parts of each source that may wait.
    TileRing(const ViewedTile& tile, std::uint32_t held, std::uint32_t waiting);

    /// For the ReceiverOptions of a source that the display shows.
    PartPlacer* placerOf(std::size_t source) { return placers_[source].get(); }

    /// The slot that holds a set's parts.
    struct Slot {
        std::byte* payload = nullptr;
        std::vector<bool> placed;  ///< by source: its part is in the slot
    };
    /// Returns nullopt if no part is in the ring or the parts are in different slots.
    std::optional<Slot> slotOf(std::span<const MatchedParts::Part> parts) const;
    /// Call when the slot is complete: replaces the leases of the parts with one on the slot. Returns nullopt
    /// if others hold the slot too.
    std::optional<FrameLease> join(std::span<MatchedParts::Part> parts);

  private:
    class Placer;
    struct Ring {
        VideoFormat picture;  // of a slot, without a frame rate
        std::shared_ptr<FramePool> pool;
        std::shared_ptr<ComposedSlots> slots;  // shared with the sources' connections and with frames
    };
    std::optional<PartPlace> place(std::size_t source, const VideoFormat& format, const PictureRegion& region,
                                   const std::string& obstacle, const PartPlacer::MakeRing& makeRing);
    VideoFormat pictureOf(const VideoFormat& format) const;
    std::string problemOf(std::size_t source, const VideoFormat& format, const PictureRegion& region) const;
    FrameRect placeOf(std::size_t source, const VideoFormat& picture, const FrameRect& held) const;
    std::vector<std::vector<ByteBlock>> placesIn(const VideoFormat& picture) const;
    void useRing(const VideoFormat& format, const PartPlacer::MakeRing& makeRing);
    void note(std::size_t source, const std::string& reason);

    const ViewedTile tile_;
    const std::uint32_t held_;
    const std::uint16_t places_;
    std::vector<std::unique_ptr<PartPlacer>> placers_;
    mutable std::mutex mutex_;                          // guards the members below
    std::optional<Ring> newest_;                        // nullopt before the first
    std::vector<std::shared_ptr<ComposedSlots>> used_;  // by source; null: none
    std::vector<std::optional<std::string>> noted_;     // by source: the last reason logged
};

}  // namespace verbcast
