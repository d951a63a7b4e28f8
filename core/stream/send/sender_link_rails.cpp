// What a link does as one of a receiver's rails.
#include "core/stream/send/sender_link.h"

namespace verbcast {

void SenderLink::foretell(const FrameInfo& info) {
    track(info.track).turnDown(info);
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
