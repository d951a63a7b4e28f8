#include "core/multirail/rail_lane.h"

#include <utility>

#include "core/stream/send/sender_link.h"

namespace verbcast {

void RailLane::push(QueuedFrame&& frame, std::optional<QueuedFrame>& /*dropped*/) {
    tally_.countDropped(shared_.push(std::move(frame)));
}

void RailLane::tellGaps(const SenderTrack& track) {
    shared_.tellGaps(rail_, [&](std::uint64_t sequence, bool begins, std::uint64_t follows) {
        track.link().send(RailOrder{track_, sequence, begins, follows});
    });
}

/// Skips what waited here and has come over another rail meanwhile.
void RailLane::skipAccepted() {
    while (!queue_.empty() && shared_.isAccepted(queue_.front().info.sequence)) {
        queue_.drop();
    }
}

QueuedFrame* RailLane::front(const SenderTrack& track) {
    tellGaps(track);
    skipAccepted();
    if (!queue_.empty()) {
        return &queue_.front();
    }
    // Take only what can leave now: another rail may be free for it.
    const SourceLedger& ledger = track.ledger();
    if (track.announced() && (!track.accepted() || !ledger.hasRoom() || ledger.inFlight() >= atOnce_)) {
        full_ = true;
        return nullptr;
    }
    full_ = false;
    const TimestampNs now = nowNs();
    auto taken =
        shared_.take(rail_, track.accepted() && ledger.credits() <= 1, now, [&](const RailQueue::Taken& one) {
            // It counts as sent now: rails may send frames in another order.
            FrameInfo info = one.frame.info;
            info.postedAt = now;
            if (track_ == kRailStatsTrack) {
                viewer_.countSent(rail_, info.payloadBytes, one.first);
            }
            if (one.first) {
                tally_.countSent(info);
            }
        });
    if (!taken) {
        return nullptr;
    }
    tellGaps(track);  // before the frame
    queue_.push(std::move(taken->frame));
    return &queue_.front();
}

void RailLane::giveUp() {
    if (shared_.giveUp(queue_.front().info.sequence)) {
        TrackQueue::giveUp();
    } else {
        skip();  // another rail had it, too, and has given it up, or it has arrived
    }
}

void RailLane::sent(const FrameInfo& info) {
    shared_.began(rail_, info.sequence);
    queue_.drop();
}

void RailLane::decline() {
    TrackQueue::decline();
    shared_.decline();
}

std::optional<TimestampNs> RailLane::nextDue(const SenderTrack& track) const {
    if (full_ || !queue_.empty()) {
        return std::nullopt;  // it could take none
    }
    return shared_.nextDue(rail_, track.announced() && track.ledger().credits() <= 1);
}

std::vector<QueuedFrame> RailLane::takeUnaccepted(bool /*lost*/) {
    queue_.clear();
    return {};
}

}  // namespace verbcast
