#include "core/regions/region_choice.h"

#include "core/session/messages/placing.h"
#include "core/stream/receive/receiver_link.h"

namespace verbcast {

bool RegionChoice::senderCuts() const {
    return (link_.peer().features & kCutsRegions) != 0 && !link_.reachesMany();
}

/// Why the sender's frames cannot go straight into a slot that other senders write into, or "".
std::string RegionChoice::obstacleToPlacing() const {
    if (link_.sharesMemory()) {
        return "its frames are read in its own memory";
    }
    if (!link_.arrivals().alone()) {
        return "it comes over several rails";
    }
    if (!senderCuts()) {
        return "it sends whole pictures";
    }
    const bool places = (link_.peer().features & kPlacesParts) != 0;
    return places ? "" : "its version of verbcast sends parts into rings of their own only";
}

/// For the consumer, frames lie in slots that hold the whole picture.
void RegionChoice::takePlace(EpochFormat& format, std::uint32_t epoch, const PartPlace& place) const {
    const FrameRect& held = format.region->held;
    const VideoFormat& picture = place.picture;
    const auto& [x, y] = place.corner;
    format.composed = place.part;
    format.video =
        std::make_shared<const VideoFormat>(regionInPlace(picture, {x, y, held.width, held.height}));
    format.told = TrackFormat::ofVideo(regionFormat(format.sent.video, held));
    format.sent = TrackFormat::ofVideo(picture);
    format.ask = [&link = link_, wish = PlaceMessage{.track = track_,
                                                     .epoch = epoch,
                                                     .region = held,
                                                     .width = static_cast<std::uint16_t>(picture.width),
                                                     .height = static_cast<std::uint16_t>(picture.height),
                                                     .x = x,
                                                     .y = y,
                                                     .rule = place.part.slots->rule()}] { link.send(wish); };
}

EpochFormat RegionChoice::choose(std::uint32_t epoch, const TrackFormat& announced,
                                 const MakeRing& makeRing) {
    const VideoFormat& whole = announced.video;
    const auto region =
        announced.kind == TrackKind::Video ? chooseRegion(whole, wish_) : std::optional<PictureRegion>{};
    EpochFormat format = FormatChoice::choose(epoch, announced, makeRing);
    if (!region) {
        return format;
    }
    format.region = std::make_shared<const PictureRegion>(*region);
    if (placer_ != nullptr) {
        if (const auto place = placer_->place(whole, *region, obstacleToPlacing(), makeRing)) {
            takePlace(format, epoch, *place);
            return format;
        }
    }
    format.cutHere = link_.sharesMemory() || !senderCuts() || region->held == wholePicture(whole);
    if (format.cutHere) {
        format.video = std::make_shared<const VideoFormat>(regionInPlace(whole, region->held));
        return format;
    }
    format.video = std::make_shared<const VideoFormat>(regionFormat(whole, region->held));
    format.sent = format.told = TrackFormat::ofVideo(*format.video);
    format.ask = [&link = link_, wish = RegionMessage{track_, epoch, region->held}] { link.send(wish); };
    return format;
}

}  // namespace verbcast
