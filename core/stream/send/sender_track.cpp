// Per frame: push() by the submitting thread, step() by the thread that serves the link, then onFrameSent()
// or a credit. No copy of pixels. The frame's FrameInfo is copied twice. Which part of a frame travels
// follows from what its slot at the receiver holds, and from what has changed since. So frames that were
// dropped on the way are accounted for.
#include "core/stream/send/sender_track.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/trace.h"
#include "core/session/slots/changed_blocks.h"
#include "core/session/slots/region_blocks.h"
#include "core/stream/rails/rail_queue.h"
#include "core/stream/send/imports.h"
#include "core/stream/send/sender_link.h"

namespace verbcast {

SenderTrack::SenderTrack(SenderLink& link, FramePath& path, TrackId id)
    : link_(link), ledger_(path, id), rails_(link.railQueue(id)) {}

bool SenderTrack::push(QueuedFrame&& frame) {
    std::optional<QueuedFrame> dropped;  // destroyed outside the lock
    const std::lock_guard lock(mutex_);
    if (declined_) {
        return false;
    }
    if (link_.policy() == Policy::Latest) {
        if (queue_.size() >= kQueueLength) {
            dropped = queue_.pop();
            link_.countDropped(id());
        }
    }
    history_.add(frame.info);
    queue_.push(std::move(frame));
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
    if (link_.policy() == Policy::Latest) {
        return true;
    }
    // A slot stays free for the source: it must get here to learn that nobody is left.
    const std::size_t outstanding = queue_.size() + unacceptedCount_;
    return queue_.size() < kQueueLength && outstanding < std::max<std::size_t>(1, link_.shared().slots - 1);
}

void SenderTrack::finish() {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
}

void SenderTrack::announce(const CurrentFormat& current) {
    announced_ = current.epoch;
    ++announcedEpoch_;
    lastSent_.reset();
    region_.reset();
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
    const FramePool& pool = *ledger_.source();
    RingMessage message;
    message.track = id();
    message.ring = ring;
    message.shape = {pool.slotBytes(), pool.slotCount()};
    message.offer.assign(offer.begin(), offer.end());
    message.open = ledger_.openBesides();
    link_.tell(message);
    ringWaits_ = false;
    if (formatWaits_) {
        sendFormat();
    }
}

void SenderTrack::sendFormat() {
    formatWaits_ = false;
    FormatMessage message;
    message.track = id();
    message.epoch = announcedEpoch_;
    message.lossless = link_.policy() == Policy::Lossless;
    message.framesBefore = framesSent_;
    message.format = announced_->format;
    link_.tell(message);
}

void SenderTrack::requireCuttable(std::uint32_t epoch, const FrameRect& region) const {
    if (!announced_ || epoch != announcedEpoch_ || acceptedEpoch_ == announcedEpoch_) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer asks for a part of the pictures of epoch {}, which is not the one "
                                "that was announced",
                                epoch));
    }
    if (ledger_.sharesMemory() || announced_->format.kind != TrackKind::Video) {
        throw Error(ErrorKind::Peer, ledger_.sharesMemory()
                                         ? "the peer asks for a part of pictures that it reads in place"
                                         : "the peer asks for a part of what is no picture");
    }
    if (link_.reachesMany()) {
        throw Error(ErrorKind::Peer, "the peer asks for a part of the pictures that a group gets whole");
    }
    if (const auto problem = regionProblem(announced_->format.video, region)) {
        throw Error(ErrorKind::Peer, "the peer asks for " + *problem);
    }
}

void SenderTrack::onRegion(const RegionMessage& message) {
    requireCuttable(message.epoch, message.region);
    region_ = {message.region, regionFormat(announced_->format.video, message.region)};
}

void SenderTrack::onPlace(const PlaceMessage& message) {
    requireCuttable(message.epoch, message.region);
    VideoFormat picture = announced_->format.video;
    const auto possible = [](std::uint16_t size) { return size >= kMinDimension && size <= kMaxDimension; };
    if (!possible(message.width) || !possible(message.height) || picture.hasDepth() || rails_ != nullptr) {
        throw Error(ErrorKind::Peer, fmt::format("the peer asks for a part of {} in pictures of {}x{}",
                                                 describe(picture), message.width, message.height));
    }
    picture.width = message.width;
    picture.height = message.height;
    layOutPlanes(picture, 1, 1);
    if (const auto problem =
            regionProblem(picture, {message.x, message.y, message.region.width, message.region.height})) {
        throw Error(ErrorKind::Peer, "the peer wants to be given " + *problem);
    }
    region_ = {.rect = message.region,
               .format = regionFormat(announced_->format.video, message.region),
               .place = RegionPlace{picture, {message.x, message.y}},
               .rule = message.rule};
}

/// Bytes of a frame as it travels.
std::uint64_t SenderTrack::frameBytes() const {
    if (region_) {
        return region_->place ? region_->place->picture.payloadBytes : region_->format.payloadBytes;
    }
    return announced_->format.slotBytes();
}

void SenderTrack::onAccept(const Accept& accept) {
    if (!accept.wanted) {
        {
            const std::lock_guard lock(mutex_);
            declined_ = true;
            queue_.clear();
            unaccepted_.clear();  // nobody waits for them
            unacceptedCount_ = 0;
        }
        if (rails_ != nullptr) {
            rails_->decline();
        }
        link_.shared().progress.notify();
        return;
    }
    if (!announced_ || accept.epoch > announcedEpoch_) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer accepts epoch {}, which was not announced", accept.epoch));
    }
    if (accept.epoch == announcedEpoch_ && !ledger_.sharesMemory() &&
        ledger_.remoteSlotBytes() < frameBytes()) {
        throw Error(ErrorKind::Peer, fmt::format("the peer accepts frames of {} bytes into slots of {}",
                                                 frameBytes(), ledger_.remoteSlotBytes()));
    }
    if (acceptedEpoch_ == 0) {
        resumeAt_ = accept.nextSequence;
    }
    if (rails_ != nullptr) {
        rails_->accepted(accept.nextSequence);
    }
    if (accept.epoch == announcedEpoch_) {
        ledger_.placeBy(region_ ? region_->rule : std::nullopt);
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
    bool moved = accepted(nextSequence) || slotsCameBack;
    if (const auto newest = ledger_.newestBack()) {
        link_.cameBack(*this, *newest);
    }
    if (rails_ != nullptr) {
        moved |= rails_->accepted(nextSequence);
        link_.shared().progress.notify();
    }
    if (moved) {
        link_.progressed();
    }
    if (link_.policy() == Policy::Lossless) {
        link_.shared().progress.notify();  // a slot for a copy may be free
    }
}

SlotBudget& SenderTrack::budget() {
    return link_.shared().budgets[id()];
}

void SenderTrack::release(std::uint64_t sequence) {
    if (link_.policy() == Policy::Latest) {
        budget().release(link_.id(), sequence, nowNs());
    }
}

/// Gives back the hold that canSend() got.
void SenderTrack::withdraw(std::uint64_t sequence) {
    if (link_.policy() == Policy::Latest) {
        budget().withdraw(link_.id(), sequence);
    }
}

bool SenderTrack::accepted(std::uint64_t nextSequence) {
    bool any = false;
    while (!unaccepted_.empty() && unaccepted_.front().info.sequence < nextSequence) {
        unaccepted_.drop();
        --unacceptedCount_;
        link_.shared().progress.notify();
        any = true;
    }
    while (!unheard_.empty() && unheard_.front() < nextSequence) {
        unheard_.drop();
        any = true;
    }
    return any;
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
    if (link_.policy() == Policy::Lossless || budget().hold(link_.id(), frame.info.sequence)) {
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
    if (rails_ != nullptr) {
        rails_->giveUp(frame.info.sequence);
    }
    queue_.drop();
    link_.countDropped(id());
    link_.shared().progress.notify();
    return true;
}

bool SenderTrack::sendNext() {
    // The lock is held while the transport takes the frame: otherwise push() could drop it at that moment.
    std::unique_lock lock(mutex_);
    waitsForPeer_ = false;
    if (rails_ != nullptr && !takeFromRails()) {
        return false;
    }
    if (queue_.empty()) {
        return false;
    }
    QueuedFrame& frame = queue_.front();
    if (frame.epoch != announced_) {
        // Frames of the last epoch leave first; one change at a time.
        const bool pending = announced_ && acceptedEpoch_ != announcedEpoch_;
        if (pending || (!ledger_.sharesMemory() && ledger_.inFlight() > 0)) {
            waitsForPeer_ = true;
            return false;
        }
        // The path may have to register memory first: nothing of that may hold up who pushes frames.
        const CurrentFormat next{frame.epoch, frame.lease.pool()};
        lock.unlock();
        announce(next);
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
        queue_.drop();  // it has arrived over an earlier connection
        link_.shared().progress.notify();
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
    info.inputSequence = link_.shownInput(info.inputSequence);
    info.postedAt = nowNs();
    const bool keeps = link_.policy() == Policy::Lossless && rails_ == nullptr;
    // Nothing may fail between sending a frame and recording who has it.
    unaccepted_.makeRoom();
    unheard_.makeRoom();
    link_.makeRoomForSending();
    QueuedFrame kept = keeps ? frame.share() : QueuedFrame{};
    if (send(frame, info) != Status::Ok) {
        withdraw(info.sequence);
        waitsForPeer_ = ledger_.inFlight() > 0;
        return false;
    }
    if (!ledger_.sharesMemory()) {
        link_.sending(*this);
    }
    if (rails_ != nullptr) {
        rails_->began(link_.rail(), info.sequence);
    }
    if (keeps) {
        unaccepted_.push(std::move(kept));
        ++unacceptedCount_;
    } else if (rails_ == nullptr) {
        unheard_.push(info.sequence);
    }
    VERBCAST_TRACE_FRAME(frame_sent, info);
    queue_.drop();
    lastSent_ = info.sequence;
    ++framesSent_;
    link_.countSent(info);
    return true;
}

/// Call with mutex_ held.
PictureChanges SenderTrack::changesSince(std::optional<std::uint64_t> earlier, const FrameInfo& info) const {
    return earlier ? history_.between(*earlier, info.sequence) : PictureChanges::all();
}

/// Call with mutex_ held.
Status SenderTrack::send(QueuedFrame& frame, FrameInfo& info) {
    if (region_) {
        return sendRegion(frame, info);
    }
    if (info.rectCount == 0) {
        return ledger_.send(std::move(frame.lease), info);  // all of it counts as changed
    }
    toldChanges(info).tellIn(info);
    if (ledger_.sharesMemory()) {
        return ledger_.send(std::move(frame.lease), info);  // the peer reads the whole picture
    }
    const ChangedBlocks parts(frame.epoch->format.video, changesSince(ledger_.nextSlotHolds(), frame.info));
    return ledger_.send(std::move(frame.lease), info, parts.blocks());
}

/// Call with mutex_ held.
Status SenderTrack::sendRegion(QueuedFrame& frame, FrameInfo& info) {
    PictureChanges changes = PictureChanges::all();
    if (info.rectCount > 0) {
        changesWithin(toldChanges(info), region_->rect).tellIn(info);
        changes = changesWithin(changesSince(ledger_.nextSlotHolds(info.pts), frame.info), region_->rect);
    }
    info.payloadBytes = frameBytes();
    const RegionBlocks blocks(frame.epoch->format.video, region_->rect, region_->format, changes,
                              region_->place ? &*region_->place : nullptr);
    const Status status = ledger_.send(std::move(frame.lease), info, blocks.into(), blocks.from());
    info.payloadBytes = region_->format.payloadBytes;  // what it counts as
    return status;
}

bool SenderTrack::drained() const {
    const std::lock_guard lock(mutex_);
    return finishing_ && queue_.empty() && (rails_ == nullptr || rails_->empty()) &&
           (ledger_.sharesMemory() || ledger_.inFlight() == 0);
}

bool SenderTrack::mayDoze() const {
    const std::lock_guard lock(mutex_);
    if (!ledger_.sharesMemory() || !announced_ || acceptedEpoch_ != announcedEpoch_ || finishing_ ||
        !queue_.empty()) {
        return false;
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

void SenderTrack::drop(bool ending) {
    ledger_.drop(ending);
}

std::vector<QueuedFrame> SenderTrack::takeUnaccepted(bool lost) {
    const std::lock_guard lock(mutex_);
    if (link_.policy() == Policy::Latest || rails_ != nullptr) {
        for (std::size_t left = lost && rails_ == nullptr ? queue_.size() + unheard_.size() : 0; left > 0;
             --left) {
            link_.countDropped(id());
        }
        queue_.clear();
        unheard_.clear();
        return {};
    }
    std::vector<QueuedFrame> frames;
    for (RingQueue<QueuedFrame>* source : {&unaccepted_, &queue_}) {
        while (!source->empty()) {
            frames.push_back(source->pop());
        }
    }
    return frames;
}

void SenderTrack::resend(std::vector<QueuedFrame> frames) {
    const std::lock_guard lock(mutex_);
    for (QueuedFrame& frame : frames) {
        history_.add(frame.info);
        queue_.push(std::move(frame));
    }
}

std::size_t SenderTrack::dropUnreached(Imports& imports) {
    std::map<std::shared_ptr<const Memory>, bool> reached;
    {
        const std::lock_guard lock(mutex_);
        for (std::size_t i = 0; i < queue_.size(); ++i) {
            const auto& memory = queue_[i].lease.pool()->memory();
            reached.try_emplace(memory, memory->writable());
        }
    }
    for (auto& [memory, is] : reached) {
        is = is || imports.of(id(), memory).get().direct;
    }
    const std::lock_guard lock(mutex_);
    std::size_t dropped = 0;
    for (std::size_t left = queue_.size(); left > 0; --left) {
        QueuedFrame frame = queue_.pop();
        // Frames that were queued meanwhile have been asked for when they were given out.
        const auto found = reached.find(frame.lease.pool()->memory());
        if (found == reached.end() || found->second) {
            queue_.push(std::move(frame));
        } else {
            ++dropped;
        }
    }
    return dropped;
}

}  // namespace verbcast
