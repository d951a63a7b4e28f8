#include "core/stream/send/sender_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/stranger_log.h"

namespace verbcast {

SenderLink::SenderLink(Guest guest, const LinkOptions& options, SenderShared& shared, std::uint64_t id,
                       std::shared_ptr<ViewerAccount> account, const std::vector<CurrentFormat>& current,
                       Policy policy, std::shared_ptr<RailGroup> rails)
    : Link(std::move(guest), options),
      shared_(shared),
      id_(id),
      policy_(policy),
      sharesMemory_(requirePath().sharesMemory()),
      imports_(requirePath()),
      viewer_(std::move(account)),
      rails_(std::move(rails)),
      current_(current),
      progressAt_(nowNs()),
      presents_(!rails_ && shared.together != nullptr && (peer().features & kPresentsTogether) != 0),
      orders_(loop()) {
    if (rails_ && sharesMemory_) {
        throw Error(ErrorKind::Peer,
                    "shared memory cannot be a rail: there is no second path within one host");
    }
    path().peerUsesDevice(peer().device.value);
}

SenderLink::~SenderLink() {
    leaveDisplays();
    orders_.close();
    imports_.finish();
    disconnect();  // before the leases of frames that it may still read
    leaveBudgets();
}

void SenderLink::leaveBudgets() {
    for (SlotBudget& budget : shared_.budgets) {
        budget.leave(id_);
    }
}

template <typename Visit>
void SenderLink::eachTrack(Visit&& visit) const {
    for (std::uint32_t bits = present_.load(std::memory_order_acquire); bits != 0; bits &= bits - 1) {
        visit(*tracks_[static_cast<std::size_t>(std::countr_zero(bits))]);
    }
}

SenderTrack* SenderLink::findTrack(TrackId id) const {
    const bool exists = id < kMaxTracks && (present_.load(std::memory_order_acquire) >> id & 1U) != 0;
    return exists ? tracks_[id].get() : nullptr;
}

SenderTrack& SenderLink::track(TrackId id) {
    if (SenderTrack* found = findTrack(id)) {
        return *found;
    }
    const std::lock_guard lock(mutex_);
    if (!tracks_[id]) {
        tracks_[id] = std::make_unique<SenderTrack>(*this, path(), id);
        present_.fetch_or(1U << id, std::memory_order_release);
    }
    return *tracks_[id];
}

void SenderLink::push(QueuedFrame&& frame) {
    // No thread is woken for a viewer that stalls. Over a shared ring this thread takes the peer's news.
    if (track(frame.epoch->track).push(std::move(frame)) || loop().mayBeServed()) {
        loop().serveNow();
    }
}

void SenderLink::turnDown(const QueuedFrame& frame) {
    track(frame.epoch->track).turnDown(frame.info);
    countDropped(frame.epoch->track);
}

bool SenderLink::canPush() {
    bool can = true;
    eachTrack([&](const SenderTrack& track) { can &= track.canPush(); });
    return can;
}

void SenderLink::finish(const std::string& reason) {
    {
        const std::lock_guard lock(mutex_);
        finishReason_ = reason;
    }
    track(kMainTrack);  // it ends even if it never began
    finishing_ = true;
    eachTrack([](SenderTrack& track) { track.finish(); });
    loop().serveNow();
}

void SenderLink::evict(const std::string& reason) {
    {
        const std::lock_guard lock(mutex_);
        evictReason_ = reason;
    }
    evicted_ = true;
    stop(reason);
}

void SenderLink::endBecause(const std::string& reason) {
    {
        const std::lock_guard lock(mutex_);
        lastWords_ = reason;
    }
    stop(reason);
}

ReceiverStats SenderLink::stats() const {
    ReceiverStats stats;
    stats.channel = description();
    stats.trust = trust();
    stats.viewer.name = peer().name.value;
    stats.viewer.peer = stats.channel.peer;
    stats.viewer.transport = stats.channel.transport;
    stats.viewer.protection = nameOf(stats.trust.protection);
    viewer_->addTo(stats.viewer);
    stats.copyReason = imports_.copyReason(kMainTrack);
    return stats;
}

void SenderLink::onReady() {
    joinDisplays();
    for (const CurrentFormat& current : std::exchange(current_, {})) {
        track(current.epoch->track).announce(current);
    }
    std::size_t lost = 0;
    eachTrack([&](SenderTrack& track) { lost += track.dropUnreached(imports_); });
    if (lost > 0) {
        shared_.framesLost += lost;
        shared_.progress.notify();  // there is room
        warnOfStranger(LogCategory::Stream, "not reached", peer().name.value,
                       "{} frames are lost: they lie in memory that the new connection does not reach", lost);
    }
}

bool SenderLink::step() {
    bool worked = false;
    eachTrack([&](SenderTrack& track) { worked |= track.step(); });
    worked |= orders_.flush(messages());
    return sendEnds() || worked;
}

/// Sends the tracks' ends once all have sent everything.
bool SenderLink::sendEnds() {
    if (!finishing_ || endSent_) {
        return false;
    }
    bool drained = true;
    eachTrack([&](const SenderTrack& track) { drained &= track.drained(); });
    if (!drained) {
        return false;
    }
    endSent_ = true;
    const std::lock_guard lock(mutex_);
    int left = std::popcount(present_.load());
    eachTrack([&](const SenderTrack& track) {
        send(EndOfTrack{track.id(), track.framesSent(), --left == 0, finishReason_});
    });
    return true;
}

bool SenderLink::mayDoze() {
    // With few frames out, credits can wait until the next frame is submitted: nobody is short of slots.
    // Input cannot wait, nor can what displays say that others wait for.
    bool may = !shared_.allowInput && !presents_ && present_ != 0;
    eachTrack([&](const SenderTrack& track) { may &= track.mayDoze(); });
    return may;
}

void SenderLink::onTick(TimestampNs now) {
    keepTogether(now);
    const std::uint64_t moved = path().payloadBytesMoved();
    if (std::exchange(payloadMoved_, moved) != moved || path().waitsForOthers()) {
        progressed();
    }
}

void SenderLink::progressed() {
    progressAt_.store(nowNs(), std::memory_order_relaxed);
}

std::uint32_t SenderLink::heldLimit() const {
    const std::uint32_t wanted = std::max(1U, peer().slots);
    return shared_.heldLimit == 0 ? wanted : std::min(wanted, shared_.heldLimit);
}

void SenderLink::countDropped(TrackId track) {
    if (track == kMainTrack) {
        viewer_->countDropped();
        ++shared_.framesDropped;
    }
}

void SenderLink::countSent(const FrameInfo& info) {
    progressed();
    account_.update(path(), shared_.paths);
    shared_.progress.notify();
    viewer_->markServed();
    if (!rails_) {
        countFirst(info);  // with rails, a frame counts when the first of them takes it
    }
}

void SenderLink::countFirst(const FrameInfo& info) {
    if (info.track == kMainTrack) {
        viewer_->countSent(info);
        if (presents_) {
            shared_.together->sent(id_, info.sequence);
        }
    }
    std::atomic<std::uint64_t>& nextUncounted = shared_.nextUncounted[info.track];
    std::uint64_t next = nextUncounted.load(std::memory_order_relaxed);
    do {
        if (info.sequence < next) {
            return;  // another receiver got this frame, or a later one, before
        }
    } while (!nextUncounted.compare_exchange_weak(next, info.sequence + 1));
    if (info.track != kMainTrack) {
        return;
    }
    ++shared_.framesSent;
    TimestampNs none = 0;
    shared_.firstSentAt.compare_exchange_strong(none, info.postedAt);
    shared_.lastSentAt = info.postedAt;
}

void SenderLink::onOfferReady(RingId ring, std::span<const std::byte> offer) {
    eachTrack([&](SenderTrack& track) {
        if (track.owns(ring)) {
            track.onOfferReady(ring, offer);
        }
    });
}

void SenderLink::onFrameGivenUp() {
    if (!sendingOrder_.empty()) {
        countDropped(sendingOrder_.front()->id());
    }
}

void SenderLink::onFrameSent(std::uint32_t localSlot) {
    account_.update(path(), shared_.paths);
    progressed();
    // Frames leave in the order in which they were sent, whatever their track.
    if (!sendingOrder_.empty()) {
        sendingOrder_.pop()->onFrameSent(localSlot);
    }
}

void SenderLink::handleInput(InputMessage&& message) {
    constexpr std::size_t kMaxPending = 4096;
    if (!shared_.allowInput || (trust().grants & kMayInput) == 0) {
        return;  // it was told so in our greeting
    }
    if (message.sequence <= lastInput_) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer sent input event {} after event {}", message.sequence, lastInput_));
    }
    lastInput_ = message.sequence;
    const RailInput turn = rails_ ? rails_->inputBy(rail(), message.sequence) : RailInput::Take;
    if (turn == RailInput::Leave) {
        return;
    }
    if (turn == RailInput::TakeAnew) {
        releaseInput();
    }
    const std::uint64_t serial = shared_.input.push(viewerId(), peer().name.value, std::move(message.event));
    if (pendingInput_.size() == kMaxPending) {
        pendingInput_.pop_front();  // a later event tells of it, too
    }
    pendingInput_.push_back({serial, message.sequence});
}

std::uint64_t SenderLink::shownInput(std::uint64_t serial) {
    if (!shared_.allowInput) {
        return serial;  // a source's own use of the field stays as it is
    }
    while (!pendingInput_.empty() && pendingInput_.front().serial <= serial) {
        shownInput_ = pendingInput_.front().sequence;
        pendingInput_.pop_front();
    }
    return shownInput_;
}

void SenderLink::conclude() {
    leaveDisplays();
    if (shared_.allowInput && (!rails_ || rails_->endInput(rail()))) {
        releaseInput();
    }
}

/// Releases all that this receiver holds down.
void SenderLink::releaseInput() {
    shared_.input.push(viewerId(), peer().name.value, {.kind = InputKind::ReleaseAll});
}

void SenderLink::letGo(Deadline deadline) {
    const Event& stop = loop().stopRequested();
    bool stopping = false;
    while (!evicted_ && !deadline.passed()) {
        if (!stopping && stop.isSet()) {
            stopping = true;
            deadline = earlier(deadline, Deadline::in(kLastLook));
        }
        std::vector<int> lifelines;
        eachTrack([&](SenderTrack& track) {
            std::ranges::copy(track.releaseUnread(), std::back_inserter(lifelines));
        });
        if (lifelines.empty()) {
            break;
        }
        if (!stopping) {
            lifelines.push_back(stop.descriptor());
        }
        waitReadable(lifelines, deadline);
    }
    imports_.finish();
    disconnect();  // before the leases of frames that it may still read
    eachTrack([&](SenderTrack& track) { track.drop(stopping && !evicted_); });
    leaveBudgets();
    shared_.progress.notify();
}

std::vector<QueuedFrame> SenderLink::takeUnaccepted(bool lost) {
    std::vector<QueuedFrame> frames;
    eachTrack([&](SenderTrack& track) {
        std::ranges::move(track.takeUnaccepted(lost), std::back_inserter(frames));
    });
    return frames;
}

void SenderLink::resend(std::vector<QueuedFrame> frames) {
    for (QueuedFrame& frame : frames) {
        std::vector<QueuedFrame> one;
        const TrackId id = frame.epoch->track;
        one.push_back(std::move(frame));
        track(id).resend(std::move(one));
    }
}

void SenderLink::onSessionMessage(MessageType type, ByteReader& reader) {
    // A receiver that speaks of a track without frames speaks of what was never offered to it.
    const auto known = [this](TrackId id) -> SenderTrack& {
        if (SenderTrack* found = findTrack(id)) {
            return *found;
        }
        if (id == kMainTrack) {
            return track(id);
        }
        throw Error(ErrorKind::Peer, fmt::format("the peer speaks of track {}, which does not exist", id));
    };
    switch (type) {
        case MessageType::Credit: {
            const Credit credit = decodeMessage<Credit>(reader);
            known(credit.track).onCredit(credit);
            return;
        }
        case MessageType::Ring: {
            const RingMessage message = decodeMessage<RingMessage>(reader);
            known(message.track).onRing(message);
            return;
        }
        case MessageType::Region: {
            const RegionMessage message = decodeMessage<RegionMessage>(reader);
            known(message.track).onRegion(message);
            return;
        }
        case MessageType::Place: {
            const PlaceMessage message = decodeMessage<PlaceMessage>(reader);
            known(message.track).onPlace(message);
            return;
        }
        case MessageType::PlacedCredit: {
            const PlacedCredit credit = decodeMessage<PlacedCredit>(reader);
            known(credit.track).onPlacedCredit(credit);
            return;
        }
        case MessageType::Accept: {
            const Accept accept = decodeMessage<Accept>(reader);
            known(accept.track).onAccept(accept);
            return;
        }
        case MessageType::Input:
            handleInput(decodeMessage<InputMessage>(reader));
            return;
        case MessageType::Report: {
            viewer_->report(decodeMessage<Report>(reader));
            return;
        }
        case MessageType::Bye:
            end(LinkEnd::Kind::Orderly, "the receiver left: " + decodeMessage<Bye>(reader).reason.value);
            return;
        default:
            static_cast<void>(handleTogether(type, reader));
            return;
    }
}

void SenderLink::onStopping() {
    const std::lock_guard lock(mutex_);
    if (evicted_) {
        send(Refuse{RefuseCode::Stalled, evictReason_});
    } else if (!endSent_) {
        int left = std::popcount(present_.load());
        eachTrack([&](const SenderTrack& track) {
            send(EndOfTrack{track.id(), track.framesSent(), --left == 0, lastWords_});
        });
    }
}

}  // namespace verbcast
