#include "core/regions/region_requests.h"

#include <memory>
#include <utility>

#include "core/flow/region_blocks.h"
#include "core/stream/send/sender_link.h"
#include "core/video/picture_region.h"

namespace verbcast {
namespace {

class RegionCut final : public FrameCut {
  public:
    RegionCut(const VideoFormat& whole, const FrameRect& region)
        : region_(region), format_(regionFormat(whole, region)) {}
    RegionCut(const VideoFormat& whole, const FrameRect& region, const RegionPlace& place,
              const PlaceRule& rule)
        : region_(region), format_(regionFormat(whole, region)), place_(place), rule_(rule) {}

    std::uint64_t slotBytes() const override {
        return place_ ? place_->picture.payloadBytes : format_.payloadBytes;
    }
    std::optional<PlaceRule> rule() const override { return rule_; }

    Status send(SourceLedger& ledger, QueuedFrame& frame, FrameInfo& info, const PictureChanges& told,
                const PictureChanges& since) const override {
        PictureChanges changes = PictureChanges::all();
        if (info.rectCount > 0) {
            changesWithin(told, region_).tellIn(info);
            changes = changesWithin(since, region_);
        }
        info.payloadBytes = slotBytes();
        const RegionBlocks blocks(frame.epoch->format.video, region_, format_, changes,
                                  place_ ? &*place_ : nullptr);
        const Status status = ledger.send(std::move(frame.lease), info, blocks.into(), blocks.from());
        info.payloadBytes = format_.payloadBytes;
        return status;
    }

  private:
    const FrameRect region_;
    const VideoFormat format_;                // of what travels
    const std::optional<RegionPlace> place_;  // in slots that other senders write into, too
    const std::optional<PlaceRule> rule_;     // with a place
};

/// The format of the pictures that the peer wants a part of. Throws Error{Peer} if it cannot have one.
const VideoFormat& cuttable(const SenderTrack& track, std::uint32_t epoch, const FrameRect& region) {
    const TrackFormat& format = track.formatToAccept(epoch);
    if (format.kind != TrackKind::Video) {
        throw peerError("the peer asks for a part of what is no picture");
    }
    if (const auto problem = regionProblem(format.video, region)) {
        throw Error(ErrorKind::Peer, "the peer asks for " + *problem);
    }
    return format.video;
}

}  // namespace

bool RegionRequests::onMessage(MessageType type, ByteReader& reader) {
    if (type == MessageType::Region) {
        onRegion(decodeMessage<RegionMessage>(reader));
    } else if (type == MessageType::Place) {
        onPlace(decodeMessage<PlaceMessage>(reader));
    } else {
        return false;
    }
    return true;
}

void RegionRequests::onRegion(const RegionMessage& message) {
    SenderTrack& track = link_.known(message.track);
    const VideoFormat& whole = cuttable(track, message.epoch, message.region);
    track.cutBy(std::make_unique<RegionCut>(whole, message.region));
}

void RegionRequests::onPlace(const PlaceMessage& message) {
    SenderTrack& track = link_.known(message.track);
    const VideoFormat& whole = cuttable(track, message.epoch, message.region);
    VideoFormat picture = whole;
    const auto possible = [](std::uint16_t size) { return size >= kMinDimension && size <= kMaxDimension; };
    if (!possible(message.width) || !possible(message.height) || picture.hasDepth() ||
        link_.peer().isRail()) {
        throw peerError("the peer asks for a part of {} in pictures of {}x{}", describe(picture),
                        message.width, message.height);
    }
    picture.width = message.width;
    picture.height = message.height;
    layOutPlanes(picture, 1, 1);
    if (const auto problem =
            regionProblem(picture, {message.x, message.y, message.region.width, message.region.height})) {
        throw Error(ErrorKind::Peer, "the peer wants to be given " + *problem);
    }
    track.cutBy(std::make_unique<RegionCut>(whole, message.region,
                                            RegionPlace{picture, {message.x, message.y}}, message.rule));
}

}  // namespace verbcast
