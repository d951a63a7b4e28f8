#include "core/stream/receive/receiver_shared.h"

#include "core/base/log/peer_log.h"

namespace verbcast {

void ReceiverShared::countMissing(TrackId track, std::uint64_t first, std::uint64_t frames, bool lossless,
                                  std::string_view why) {
    if (lossless) {
        warnOfPeer(LogCategory::Stream, why, "", "frames {} to {} of track {} are lost: {}", first,
                   first + frames - 1, track, why);
    }
    if (track == kMainTrack) {
        totals[&StreamStats::framesDropped] += frames;
        totals[&StreamStats::framesLost] += lossless ? frames : 0;
    }
}

void ReceiverShared::countArrived(const ReceivedFrame& frame) {
    if (frame.info.track != kMainTrack) {
        return;
    }
    ++totals[&StreamStats::framesTransferred];
    totals[&StreamStats::bytes] += frame.region ? tightBytes(*frame.format) : frame.info.payloadBytes;
    if ((frame.info.flags & kFrameDamaged) != 0) {
        ++totals[&StreamStats::framesCorrupt];
    }
    TimestampNs none = 0;
    firstAt.compare_exchange_strong(none, frame.arrivedAt);
    lastAt = frame.arrivedAt;
}

bool ReceiverShared::take(ReceivedFrame& frame) {
    for (ReceivedFrame next; inbox.pop(next);) {
        framesTaken += next.info.track == kMainTrack ? 1 : 0;
        // While the connection goes on, the consumer confirms afterwards: confirm() costs a system call.
        if (!next.lease.pool()->tellsThroughDeathSocket() || confirm(next)) {
            frame = std::move(next);
            return true;
        }
    }
    return false;
}

bool ReceiverShared::confirm(const ReceivedFrame& frame) {
    const bool whole = !frame.lease.takenBack();
    if (!whole) {
        countTakenBack(frame);
    }
    return whole;
}

void ReceiverShared::countTakenBack(const ReceivedFrame& frame) {
    countMissing(frame.info.track, frame.info.sequence, 1, frame.lossless,
                 "the sender took its memory back before it was read");
}

}  // namespace verbcast
