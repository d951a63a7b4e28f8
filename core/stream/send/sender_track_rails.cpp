// What a track does differently if its link is a rail: it takes frames from what all rails share when it can
// send them, and they stay there until the receiver has them.
#include "core/session/messages/rail_order.h"
#include "core/stream/rails/rail_queue.h"
#include "core/stream/send/sender_link.h"
#include "core/stream/send/sender_track.h"

namespace verbcast {

void SenderTrack::onFrameSent(std::uint32_t localSlot) {
    const std::uint64_t sequence = ledger_.sent(localSlot);
    release(sequence);
    if (rails_ != nullptr) {
        rails_->left(link_.rail(), sequence);
        link_.shared().progress.notify();
    }
}

std::optional<TimestampNs> SenderTrack::nextDue() const {
    if (rails_ == nullptr) {
        return std::nullopt;
    }
    const std::lock_guard lock(mutex_);
    if (waitsForPeer_ || !queue_.empty()) {
        return std::nullopt;  // it could take none
    }
    return rails_->nextDue(link_.rail(), announced_ && ledger_.credits() <= 1);
}

/// Call with mutex_ held. Skips what waited here and has come over another rail meanwhile.
void SenderTrack::skipAccepted() {
    while (!queue_.empty() && rails_->isAccepted(queue_.front().info.sequence)) {
        queue_.drop();
    }
}

void SenderTrack::tellGaps() {
    rails_->tellGaps(link_.rail(), [this](std::uint64_t sequence, bool begins, std::uint64_t follows) {
        link_.tell(RailOrder{id(), sequence, begins, follows});
    });
}

/// Call with mutex_ held. Returns whether there is a frame to send.
bool SenderTrack::takeFromRails() {
    tellGaps();
    skipAccepted();
    if (!queue_.empty()) {
        return true;
    }
    // Take only what can leave now: another rail may be free for it.
    const bool accepted = announced_ && acceptedEpoch_ == announcedEpoch_;
    if (announced_ && (!accepted || !ledger_.hasRoom() || ledger_.inFlight() >= link_.railFrames())) {
        waitsForPeer_ = true;
        return false;
    }
    const auto taken =
        rails_->take(link_.rail(), accepted && ledger_.credits() <= 1, nowNs(),
                     [this](const RailQueue::Taken& one) { link_.countTaken(one.frame.info, one.first); });
    if (!taken) {
        return false;
    }
    tellGaps();  // before the frame
    queue_.push(taken->frame.share());
    return true;
}

/// Call with mutex_ held. The changes that a frame reports: its own if the consumer has the frame before it.
/// Rails bring the frames of a stream to one consumer, which knows that frame no matter which rail brought
/// it.
PictureChanges SenderTrack::toldChanges(const FrameInfo& info) const {
    const bool own = lastSent_ && (rails_ != nullptr || *lastSent_ + 1 == info.sequence);
    return own ? PictureChanges::of(info) : changesSince(lastSent_, info);
}

}  // namespace verbcast
