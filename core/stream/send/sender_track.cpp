// Steps of a frame: push() on the submitting thread, step() on the thread that serves the link, then
// onFrameSent() or a credit. No copy of pixels; its FrameInfo is copied twice. What travels of a frame is
// what has changed since the picture that its slot at the receiver holds, which covers frames dropped in
// between.
#include "core/stream/send/sender_track.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/log/trace.h"
#include "core/flow/region_blocks.h"
#include "core/stream/send/imports.h"
#include "core/stream/send/sender_link.h"

namespace verbcast {

SenderTrack::SenderTrack(SenderLink& link, FramePath& path, TrackId id, TrackKind kind,
                         std::unique_ptr<TrackQueue> queue)
    : link_(link),
      ledger_(path, id),
      queue_(std::move(queue)),
      takesFramePath_(verbcast::takesFramePath(kind)),
      encrypts_(takesFramePath_ && link.encrypts()),
      budgeted_(takesFramePath_ && mayDrop(queue_->policy())) {}

bool SenderTrack::push(QueuedFrame&& frame) {
    std::optional<QueuedFrame> dropped;  // destroyed outside the lock
    const std::lock_guard lock(mutex_);
    if (declined_) {
        return false;
    }
    history_.add(frame.info);
    queue_->push(std::move(frame), dropped);
    return !waitsForPeer_;
}

void SenderTrack::turnDown(const FrameInfo& info) {
    const std::lock_guard lock(mutex_);
    if (!declined_) {
        history_.add(info);
    }
}

bool SenderTrack::canPush() const {
    const std::lock_guard lock(mutex_);
    return queue_->canPush();
}

void SenderTrack::finish() {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
}

void SenderTrack::announce(const CurrentFormat& current) {
    announced_ = current.epoch;
    ++announcedEpoch_;
    lastSent_.reset();
    cut_.reset();
    formatWaits_ = true;
    if (ledger_.openCount() > 1 || !ledger_.hasSource(current.pool)) {
        ledger_.closeSources();  // the peer hears of that with the next ring
        addSource(current.pool);
    }
    // The receiver needs the ring first.
    if (!ringWaits_ && formatWaits_) {
        sendFormat();
    }
}

void SenderTrack::addSource(const std::shared_ptr<FramePool>& pool) {
    ringWaits_ = ledger_.sharesMemory();
    offeredRing_ = ringWaits_ ? link_.nextRing() : 0;
    ledger_.addSource(pool, offeredRing_);
}

void SenderTrack::onOfferReady(RingId ring, std::span<const std::byte> offer) {
    RingMessage message = RingMessage::of(id(), ring, *ledger_.source(), offer);
    message.open = ledger_.openBesides();
    link_.send(message);
    ringWaits_ = false;
    if (formatWaits_) {
        sendFormat();
    }
}

void SenderTrack::sendFormat() {
    formatWaits_ = false;
    link_.send(FormatMessage{.track = id(),
                             .epoch = announcedEpoch_,
                             .policy = queue_->policy(),
                             .framesBefore = framesSent_,
                             .format = announced_->format});
}

const TrackFormat& SenderTrack::formatToAccept(std::uint32_t epoch) const {
    if (!announced_ || epoch != announcedEpoch_ || accepted()) {
        throw peerError(
            "the peer asks for a part of the pictures of epoch {}, which is not the one that was announced",
            epoch);
    }
    return announced_->format;
}

void SenderTrack::onAccept(const Accept& accept) {
    if (!accept.wanted) {
        {
            const std::lock_guard lock(mutex_);
            declined_ = true;
            queue_->decline();
        }
        link_.changed();
        return;
    }
    if (!announced_ || accept.epoch > announcedEpoch_) {
        throw peerError("the peer accepts epoch {}, which was not announced", accept.epoch);
    }
    if (accept.epoch == announcedEpoch_ && !ledger_.sharesMemory() &&
        ledger_.remoteSlotBytes() < frameBytes()) {
        throw peerError("the peer accepts frames of {} bytes into slots of {}", frameBytes(),
                        ledger_.remoteSlotBytes());
    }
    if (acceptedEpoch_ == 0) {
        resumeAt_ = accept.nextSequence;
    }
    queue_->accepted(accept.nextSequence);
    if (accept.epoch == announcedEpoch_) {
        ledger_.placeBy(cut_ ? cut_->rule() : std::nullopt);
    }
    if (accept.epoch > acceptedEpoch_) {
        acceptedEpoch_ = accept.epoch;
        link_.progressed();
    }
}

void SenderTrack::onCredit(const Credit& credit) {
    bool cameBack = false;
    ledger_.takeCredit(credit, [&](std::uint64_t sequence) {
        release(sequence);
        cameBack = true;
    });
    creditTaken(credit.nextSequence, cameBack);
}

void SenderTrack::onPlacedCredit(const PlacedCredit& credit) {
    ledger_.takePlaced(credit);
    creditTaken(credit.nextSequence, false);
}

/// Only what moved shows that the peer goes on: an empty credit does not, or it could hold everybody up.
void SenderTrack::creditTaken(std::uint64_t nextSequence, bool slotsCameBack) {
    const bool moved = queue_->accepted(nextSequence) || slotsCameBack;
    if (const auto newest = ledger_.newestBack()) {
        link_.cameBack(*this, *newest);
    }
    if (moved) {
        link_.progressed();
    }
    link_.changed();  // a slot may be free
}

SlotBudget& SenderTrack::budget() {
    return link_.shared().budgets[id()];
}

void SenderTrack::release(std::uint64_t sequence) {
    if (budgeted_) {
        budget().release(link_.id(), sequence, nowNs());
    }
}

/// Gives back the hold that canSend() got.
void SenderTrack::withdraw(std::uint64_t sequence) {
    if (budgeted_) {
        budget().withdraw(link_.id(), sequence);
    }
}

bool SenderTrack::step() {
    bool worked = false;
    while (sendNext()) {
        worked = true;
    }
    return worked;
}

bool SenderTrack::canSend(const QueuedFrame& frame) {
    const bool limited = ledger_.sharesMemory() && ledger_.inFlight() >= link_.heldLimit();
    if (limited || !ledger_.hasRoom(frame.info.pts)) {
        waitsForPeer_ = true;
        return false;
    }
    if (!budgeted_ || budget().hold(link_.id(), frame.info.sequence)) {
        return true;
    }
    waitsForPeer_ = ledger_.inFlight() > 0;
    return false;
}

/// Gives up a passed-on frame whose memory its owner has since taken back: it may be torn. Call with mutex_
/// held.
bool SenderTrack::giveUpTakenBack(const QueuedFrame& frame) {
    if (!frame.lease.takenBack()) {
        return false;
    }
    withdraw(frame.info.sequence);
    queue_->giveUp();
    link_.changed();
    return true;
}

bool SenderTrack::sendNext() {
    // The lock is held while the transport takes the frame, or push() could drop it at that moment; unless
    // that takes long: see sendInHand().
    std::unique_lock lock(mutex_);
    waitsForPeer_ = false;
    QueuedFrame* const next = queue_->front(*this);
    if (next == nullptr) {
        return false;
    }
    QueuedFrame& frame = *next;
    if (frame.epoch != announced_) {
        // Frames of the last epoch leave first; one change at a time.
        const bool pending = announced_ && acceptedEpoch_ != announcedEpoch_;
        if (pending || (!ledger_.sharesMemory() && ledger_.inFlight() > 0)) {
            waitsForPeer_ = true;
            return false;
        }
        // The path may have to register memory first: nothing of that may hold up who pushes frames.
        const CurrentFormat format{frame.epoch, frame.lease.pool()};
        lock.unlock();
        announce(format);
        return true;
    }
    if (acceptedEpoch_ != announcedEpoch_ || ringWaits_) {
        waitsForPeer_ = true;
        return false;
    }
    if (!ledger_.hasSource(frame.lease.pool())) {
        const auto pool = frame.lease.pool();
        lock.unlock();
        addSource(pool);
        return true;
    }
    if (frame.info.sequence < resumeAt_) {
        queue_->skip();
        link_.changed();
        return true;
    }
    if (!canSend(frame)) {
        return false;
    }
    if (giveUpTakenBack(frame)) {
        return true;
    }
    FrameInfo info = frame.info;
    info.epoch = announcedEpoch_;
    link_.beforeSend(info);
    info.postedAt = nowNs();
    // Nothing may fail between sending a frame and recording who has it.
    queue_->prepare();
    link_.makeRoomForSending(*this);
    const Status status =
        encrypts_ ? sendInHand(info, lock) : send(frame, info, [&frame]() -> QueuedFrame& { return frame; });
    if (status != Status::Ok) {
        withdraw(info.sequence);
        waitsForPeer_ = ledger_.inFlight() > 0;
        return false;
    }
    if (!ledger_.sharesMemory()) {
        link_.sending(*this);
    }
    VERBCAST_TRACE_FRAME(frame_sent, info);
    queue_->sent(info);
    lastSent_ = info.sequence;
    ++framesSent_;
    link_.countSent(info);
    return true;
}

/// Call with mutex_ held.
PictureChanges SenderTrack::changesSince(std::optional<std::uint64_t> earlier, const FrameInfo& info) const {
    return earlier ? history_.between(*earlier, info.sequence) : PictureChanges::all();
}

/// Call with mutex_ held. take() returns the frame once the lock is no longer needed.
template <typename Take>
Status SenderTrack::send(const QueuedFrame& frame, FrameInfo& info, Take&& take) {
    const bool all = info.rectCount == 0;  // counts as changed
    if (cut_) {
        const PictureChanges told = all ? PictureChanges::all() : toldChanges(info);
        const PictureChanges since =
            all ? PictureChanges::all() : changesSince(ledger_.nextSlotHolds(info.pts), frame.info);
        return cut_->send(ledger_, take(), info, told, since);
    }
    if (all) {
        return ledger_.send(std::move(take().lease), info);
    }
    toldChanges(info).tellIn(info);
    if (ledger_.sharesMemory()) {
        return ledger_.send(std::move(take().lease), info);  // the peer reads the whole picture
    }
    const ChangedBlocks parts(frame.epoch->format.video, changesSince(ledger_.nextSlotHolds(), frame.info));
    return ledger_.send(std::move(take().lease), info, parts.blocks());
}

/// Sends the front without the lock: who submits, and with it all other viewers, does not wait for this one.
/// Call with mutex_ held; it is held again afterwards.
Status SenderTrack::sendInHand(FrameInfo& info, std::unique_lock<std::mutex>& lock) {
    class InHand {
      public:
        InHand(TrackQueue& queue, std::unique_lock<std::mutex>& lock) : queue_(queue), lock_(lock) {}
        ~InHand() {
            if (!lock_.owns_lock()) {
                lock_.lock();
                queue_.putBack(std::move(frame_));
            }
        }
        QueuedFrame& take() {
            frame_ = queue_.takeInHand();
            lock_.unlock();
            return frame_;
        }

      private:
        TrackQueue& queue_;
        std::unique_lock<std::mutex>& lock_;
        QueuedFrame frame_;
    } inHand(*queue_, lock);
    return send(queue_->waiting().front(), info, [&inHand]() -> QueuedFrame& { return inHand.take(); });
}

bool SenderTrack::drained() const {
    const std::lock_guard lock(mutex_);
    return finishing_ && queue_->drained() && (ledger_.sharesMemory() || ledger_.inFlight() == 0);
}

bool SenderTrack::maySleep() const {
    const std::lock_guard lock(mutex_);
    if (declined_) {
        return true;
    }
    if (!announced_ || acceptedEpoch_ != announcedEpoch_ || finishing_ || !queue_->drained()) {
        return false;
    }
    if (!ledger_.sharesMemory()) {
        return !takesFramePath_ && ledger_.inFlight() == 0 && 2 * ledger_.credits() >= kSoundSlots;
    }
    const std::size_t slots = ledger_.fewestSlots();
    const std::size_t spare = slots > 3 ? slots - 3 : 0;
    return std::size_t{2} * ledger_.inFlight() <= std::min<std::size_t>(link_.heldLimit(), spare);
}

std::vector<int> SenderTrack::releaseUnread() {
    return ledger_.releaseUnread([this](std::uint64_t sequence) {
        release(sequence);
        link_.shared().progress.notify();  // a slot for a copy may be free
    });
}

std::vector<QueuedFrame> SenderTrack::takeUnaccepted(bool lost) {
    const std::lock_guard lock(mutex_);
    return queue_->takeUnaccepted(lost);
}

void SenderTrack::resend(std::vector<QueuedFrame> frames) {
    const std::lock_guard lock(mutex_);
    for (QueuedFrame& frame : frames) {
        history_.add(frame.info);
        queue_->resend(std::move(frame));
    }
}

void SenderTrack::onFrameSent(std::uint32_t localSlot) {
    const std::uint64_t sequence = ledger_.sent(localSlot);
    release(sequence);
    queue_->left(sequence);
    link_.changed();
}

std::optional<TimestampNs> SenderTrack::nextDue() const {
    const std::lock_guard lock(mutex_);
    return queue_->nextDue(*this);
}

/// Call with mutex_ held. The changes that a frame reports: its own if the consumer has the frame before it.
PictureChanges SenderTrack::toldChanges(const FrameInfo& info) const {
    const bool own = lastSent_ && queue_->hasPredecessor(*lastSent_, info.sequence);
    return own ? PictureChanges::of(info) : changesSince(lastSent_, info);
}

std::size_t SenderTrack::dropUnreached(Imports& imports) {
    std::map<std::shared_ptr<const Memory>, bool> reached;
    RingQueue<QueuedFrame>& waiting = queue_->waiting();
    {
        const std::lock_guard lock(mutex_);
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            const auto& memory = waiting[i].lease.pool()->memory();
            reached.try_emplace(memory, memory->writable());
        }
    }
    for (auto& [memory, is] : reached) {
        is = is || imports.of(id(), memory).get().direct;
    }
    const std::lock_guard lock(mutex_);
    std::size_t dropped = 0;
    for (std::size_t left = waiting.size(); left > 0; --left) {
        QueuedFrame frame = waiting.pop();
        // Frames that were queued meanwhile have been asked for when they were given out.
        const auto found = reached.find(frame.lease.pool()->memory());
        if (found == reached.end() || found->second) {
            waiting.push(std::move(frame));
        } else {
            ++dropped;
        }
    }
    return dropped;
}

}  // namespace verbcast
