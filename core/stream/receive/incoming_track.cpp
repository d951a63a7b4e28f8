#include "core/stream/receive/incoming_track.h"

#include <utility>

#include "core/base/log/peer_log.h"

namespace verbcast {
void IncomingTrack::arrived(ReceivedFrame&& frame) {
    ++counts[&StreamStats::framesTransferred];
    counts[&StreamStats::bytes] += frame.region ? tightBytes(*frame.format) : frame.info.payloadBytes;
    if ((frame.info.flags & kFrameDamaged) != 0) {
        ++counts[&StreamStats::framesCorrupt];
    }
    TimestampNs none = 0;
    firstAt_.compare_exchange_strong(none, frame.arrivedAt);
    lastAt_ = frame.arrivedAt;
    if (!inbox_.push(std::move(frame))) {
        throw peerError("the peer sent more frames than there are slots");
    }
}

void IncomingTrack::countMissing(std::uint64_t first, std::uint64_t frames, bool lossless,
                                 std::string_view why) {
    if (lossless) {
        warnOfPeer(LogCategory::Stream, why, "", "frames {} to {} of track {} are lost: {}", first,
                   first + frames - 1, id_, why);
    }
    counts[&StreamStats::framesDropped] += frames;
    counts[&StreamStats::framesLost] += lossless ? frames : 0;
}

bool IncomingTrack::take(ReceivedFrame& frame) {
    ReceivedFrame next;
    do {
        if (!inbox_.pop(next)) {
            return false;
        }
        ++taken_;
        // While the connection goes on, the consumer confirms afterwards: confirm() costs a system call.
    } while (next.lease.pool()->tellsThroughDeathSocket() && !confirm(next));
    frame = std::move(next);
    if (passedOver_) {
        passedOver_->add(PictureChanges::of(frame.info));
        passedOver_->tellIn(frame.info);
        passedOver_.reset();
    }
    const std::lock_guard lock(passageMutex_);
    const FrameInfo& info = frame.info;
    passage_ =
        Passage{elapsedNs(info.capturedAt, info.submittedAt), elapsedNs(info.submittedAt, info.postedAt),
                elapsedNs(frame.submittedAt, frame.arrivedAt), elapsedNs(frame.postedAt, frame.arrivedAt),
                frame.clockKnown};
    if (frame.sound != sound_) {
        sound_ = frame.sound;
    }
    return true;
}

bool IncomingTrack::confirm(const ReceivedFrame& frame) {
    const bool whole = !frame.lease.takenBack();
    if (!whole) {
        countTakenBack(frame);
    }
    return whole;
}

void IncomingTrack::countTakenBack(const ReceivedFrame& frame) {
    countMissing(frame.info.sequence, 1, frame.lossless,
                 "the sender took its memory back before it was read");
}

void IncomingTrack::recordPassage() {
    const std::lock_guard lock(passageMutex_);
    if (!passage_) {
        return;
    }
    times[&StreamStats::stageCapture].record(passage_->captureTime);
    times[&StreamStats::stagePost].record(passage_->postTime);
    if (passage_->clockKnown) {
        times[&StreamStats::latency].record(passage_->latency);
        times[&StreamStats::stageWire].record(passage_->wireTime);
    }
    passage_.reset();
}

void IncomingTrack::setSkippedLater(std::uint64_t frames) {
    std::uint64_t before = skippedLater_;
    while (before < frames && !skippedLater_.compare_exchange_weak(before, frames)) {
    }
}

void IncomingTrack::addTo(StreamStats& stats, bool over) const {
    const std::uint64_t taken = taken_;  // first: what arrives meanwhile has not been taken
    counts.addTo(stats);
    times.copyTo(stats);
    stats.framesSkipped = skipped() + (over ? stats.framesTransferred - taken : 0);
    stats.seconds = static_cast<double>(lastAt_ - firstAt_) * 1e-9;
}

}  // namespace verbcast
