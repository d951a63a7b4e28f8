// How the frames of one epoch come, and what the consumer gets of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/flow/composed_slots.h"
#include "core/session/link.h"
#include "core/video/picture_region.h"

namespace verbcast {

struct EpochFormat {
    TrackFormat sent{};                             ///< of frames on the way
    std::shared_ptr<const VideoFormat> video{};     ///< of what the consumer gets; null: no video
    std::shared_ptr<const SoundFormat> sound{};     ///< likewise
    std::shared_ptr<const PictureRegion> region{};  ///< null: whole pictures
    bool cutHere = false;                           ///< whole pictures come; the consumer gets the region
    std::optional<ComposedPart> composed{};  ///< they come into slots that other senders write into, too
    TrackFormat told{};                      ///< of the pictures that FrameInfo::rects refer to
    std::function<void()> ask{};             ///< tells the sender what is wanted of them; null: all is
};

/// Chooses that for one track of one connection: here, whole pictures into slots of their own. Used by the
/// thread that serves the link.
class FormatChoice {
  public:
    using MakeRing = std::function<std::shared_ptr<FramePool>(std::uint64_t slotBytes, std::uint32_t slots)>;

    virtual ~FormatChoice() = default;
    /// `makeRing`: makes a ring within the allowed memory. Throws what that throws. Called again if the epoch
    /// cannot begin yet.
    virtual EpochFormat choose(std::uint32_t /*epoch*/, const TrackFormat& announced,
                               const MakeRing& /*makeRing*/) {
        EpochFormat format{.sent = announced, .told = announced};
        if (announced.kind == TrackKind::Video) {
            format.video = std::make_shared<const VideoFormat>(announced.video);
        } else if (announced.kind == TrackKind::Sound) {
            format.sound = std::make_shared<const SoundFormat>(announced.sound);
        }
        return format;
    }
};

}  // namespace verbcast
