// What a link does as one of a receiver's rails.
#include "core/stream/send/sender_link.h"

namespace verbcast {

void SenderLink::foretell(const FrameInfo& info) {
    SenderTrack& of = track(info.track);
    if (rails_->queue(info.track).empty()) {
        progressed();  // its stall time counts from now: a pause of the source is no stall
    }
    of.turnDown(info);
}

void SenderLink::countTaken(const FrameInfo& info, bool first) {
    if (info.track == kMainTrack) {
        rails_->countSent(rail(), info.payloadBytes, first);
    }
    if (first) {
        FrameInfo sent = info;
        sent.postedAt = nowNs();
        countFirst(sent);
    }
}

std::optional<TimestampNs> SenderLink::nextDue() const {
    std::optional<TimestampNs> due;
    if (rails_) {
        for (TrackId id = 0; id < kMaxTracks; ++id) {
            const SenderTrack* track = findTrack(id);
            const auto each = track ? track->nextDue() : std::nullopt;
            due = each && (!due || *each < *due) ? each : due;
        }
    }
    return due;
}

}  // namespace verbcast
