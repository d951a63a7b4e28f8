// Receives only a part of a sender's pictures.
#pragma once

#include "core/regions/part_placer.h"
#include "core/stream/receive/format_choice.h"

namespace verbcast {

class ReceiverLink;

/// The sender cuts if it writes into our ring and can: then only the region travels, and lies there, or in a
/// slot that other senders write into, too. Else whole pictures come, and the consumer gets the region.
class RegionChoice final : public FormatChoice {
  public:
    /// `placer` may be null. All must outlive this.
    RegionChoice(ReceiverLink& link, TrackId track, const RegionWish& wish, PartPlacer* placer)
        : link_(link), track_(track), wish_(wish), placer_(placer) {}

    EpochFormat choose(std::uint32_t epoch, const TrackFormat& announced, const MakeRing& makeRing) override;

  private:
    bool senderCuts() const;
    std::string obstacleToPlacing() const;
    void takePlace(EpochFormat& format, std::uint32_t epoch, const PartPlace& place) const;

    ReceiverLink& link_;
    const TrackId track_;
    const RegionWish& wish_;
    PartPlacer* const placer_;
};

}  // namespace verbcast
