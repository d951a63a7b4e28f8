#include "core/stream/send/sender_link.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/log/peer_log.h"
#include "core/stream/send/viewer.h"

namespace verbcast {

SenderLink::SenderLink(PeerConnection connection, const LinkOptions& options, Viewer& viewer,
                       std::uint64_t id, const std::vector<CurrentFormat>& current)
    : Link(std::move(connection), options),
      viewer_(viewer),
      shared_(viewer.shared()),
      id_(id),
      sharesMemory_(requirePath().sharesMemory()),
      reachesMany_(requirePath().reachesMany()),
      imports_(requirePath()),
      current_(current),
      progressAt_(nowNs()),
      messagePath_(messages()),
      sentMessages_(*this) {
    if (encrypts()) {
        serveOnOwnThread();  // all of a frame is read: that must not take the time of who submits
    }
    path().peerUsesDevice(peer().device.value);
    messagePath_.setHandler(&sentMessages_);
    track(0, TrackKind::Video);  // it ends even if it never begins
}

SenderLink::~SenderLink() {
    imports_.finish();
    disconnect();  // before the leases of frames that it may still read
    leaveBudgets();
}

void SenderLink::plugIn(std::unique_ptr<SourceFeature> feature) {
    if (feature) {
        features_.push_back(feature.get());
        Link::plugIn(std::move(feature));
    }
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

SenderTrack& SenderLink::track(TrackId id, TrackKind kind) {
    if (SenderTrack* found = findTrack(id)) {
        return *found;
    }
    const std::lock_guard lock(mutex_);
    if (!tracks_[id]) {
        FramePath& way = takesFramePath(kind) ? path() : messagePath_;
        tracks_[id] = std::make_unique<SenderTrack>(*this, way, id, kind, viewer_.makeQueue(id, kind, *this));
        present_.fetch_or(1U << id, std::memory_order_release);
    }
    return *tracks_[id];
}

void SenderLink::push(QueuedFrame&& frame) {
    SenderTrack& to = trackFor(*frame.epoch);
    if (!std::ranges::all_of(features_,
                             [&](const SourceFeature* feature) { return feature->wants(frame); })) {
        to.turnDown(frame.info);
        viewer_.tally(to.id()).countDropped();
        return;
    }
    // No thread is woken for a viewer that stalls. Over a shared ring this thread takes the peer's news.
    if (to.push(std::move(frame)) || loop().mayBeServed()) {
        loop().serveNow();
    }
}

bool SenderLink::canPush(TrackId id) const {
    const SenderTrack* const found = findTrack(id);
    return found == nullptr || found->canPush();
}

void SenderLink::finish(const std::string& reason) {
    {
        const std::lock_guard lock(mutex_);
        finishReason_ = reason;
    }
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
    viewer_.account().addTo(stats.viewer);
    stats.copyReason = imports_.copyReason(0);
    return stats;
}

void SenderLink::onReady() {
    for (const CurrentFormat& current : std::exchange(current_, {})) {
        trackFor(*current.epoch).announce(current);
    }
    std::size_t lost = 0;
    eachTrack([&](SenderTrack& track) { lost += track.dropUnreached(imports_); });
    if (lost > 0) {
        shared_.totals[&StreamStats::framesLost] += lost;
        shared_.progress.notify();  // there is room
        warnOfPeer(LogCategory::Stream, "not reached", peer().name.value,
                   "{} frames are lost: they lie in memory that the new connection does not reach", lost);
    }
}

bool SenderLink::moveOn() {
    bool worked = false;
    eachTrack([&](SenderTrack& track) { worked |= track.step(); });
    worked |= messagePath_.poll() == Progress::Worked;
    worked |= sendEnds();
    tellChanges();
    return worked;
}

void SenderLink::tellChanges() {
    if (std::exchange(hasProgressed_, false)) {
        progressAt_.store(nowNs(), std::memory_order_relaxed);
    }
    if (std::exchange(hasChanged_, false)) {
        shared_.progress.notify();
    }
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
    endTracks(finishReason_);
    return true;
}

/// Call with mutex_ held.
void SenderLink::endTracks(const std::string& reason) {
    int left = std::popcount(present_.load());
    eachTrack([&](const SenderTrack& track) {
        send(EndOfTrack{track.id(), track.framesSent(), --left == 0, reason});
    });
}

bool SenderLink::maySleep() {
    // With few frames out, credits can wait until the next frame is submitted: nobody is short of slots.
    bool may = present_ != 0;
    eachTrack([&](const SenderTrack& track) { may &= track.maySleep(); });
    return may;
}

void SenderLink::onTick(TimestampNs /*now*/) {
    const std::uint64_t moved = path().payloadBytesMoved();
    if (std::exchange(payloadMoved_, moved) != moved || path().waitsForOthers()) {
        progressed();
    }
}

std::uint32_t SenderLink::heldLimit() const {
    const std::uint32_t wanted = std::max(1U, peer().slots);
    return shared_.heldLimit == 0 ? wanted : std::min(wanted, shared_.heldLimit);
}

void SenderLink::countSent(const FrameInfo& info) {
    progressed();
    account_.update(path(), shared_.totals);
    changed();
    viewer_.account().markServed();
    for (SourceFeature* feature : features_) {
        feature->onSent(info);
    }
}

void SenderLink::cameBack(const SenderTrack& track, std::uint64_t newest) {
    for (SourceFeature* feature : features_) {
        feature->onSlotsBack(track.id(), newest);
    }
}

std::optional<TimestampNs> SenderLink::nextDue() const {
    std::optional<TimestampNs> due;
    eachTrack([&](const SenderTrack& track) {
        const auto each = track.nextDue();
        due = each && (!due || *each < *due) ? each : due;
    });
    return due;
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
        viewer_.tally(sendingOrder_.front()->id()).countDropped();
    }
}

void SenderLink::onFrameSent(std::uint32_t localSlot) {
    account_.update(path(), shared_.totals);
    left(sendingOrder_, localSlot);
}

/// Frames leave a path in the order in which they were sent, whatever their track.
void SenderLink::left(RingQueue<SenderTrack*>& order, std::uint32_t localSlot) {
    progressed();
    if (!order.empty()) {
        order.pop()->onFrameSent(localSlot);
    }
}

RingQueue<SenderTrack*>& SenderLink::orderOf(const SenderTrack& track) {
    return track.takesFramePath() ? sendingOrder_ : sentMessages_.order;
}

void SenderLink::letGo(Deadline deadline) {
    const Event& stop = loop().stopRequested();
    bool stopping = false;
    while (!evicted_ && !deadline.passed()) {
        if (!stopping && stop.isSet()) {
            stopping = true;
            deadline = earlier(deadline, Deadline::in(kLastLook));
        }
        std::vector<int> deathSockets;
        eachTrack([&](SenderTrack& track) {
            std::ranges::copy(track.releaseUnread(), std::back_inserter(deathSockets));
        });
        if (deathSockets.empty()) {
            break;
        }
        if (!stopping) {
            deathSockets.push_back(stop.descriptor());
        }
        waitReadable(deathSockets, deadline);
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
        SenderTrack& to = trackFor(*frame.epoch);
        one.push_back(std::move(frame));
        to.resend(std::move(one));
    }
}

SenderTrack& SenderLink::known(TrackId id) {
    if (SenderTrack* found = findTrack(id)) {
        return *found;
    }
    // It was never offered to the receiver.
    throw peerError("the peer speaks of track {}, which does not exist", id);
}

bool SenderLink::onSessionMessage(MessageType type, ByteReader& reader) {
    switch (type) {
        case MessageType::Credit: {
            const Credit credit = decodeMessage<Credit>(reader);
            known(credit.track).onCredit(credit);
            return true;
        }
        case MessageType::Ring: {
            const RingMessage message = decodeMessage<RingMessage>(reader);
            known(message.track).onRing(message);
            return true;
        }
        case MessageType::PlacedCredit: {
            const PlacedCredit credit = decodeMessage<PlacedCredit>(reader);
            known(credit.track).onPlacedCredit(credit);
            return true;
        }
        case MessageType::Accept: {
            const Accept accept = decodeMessage<Accept>(reader);
            known(accept.track).onAccept(accept);
            return true;
        }
        case MessageType::Report: {
            viewer_.account().report(decodeMessage<Report>(reader));
            return true;
        }
        case MessageType::Bye:
            end(SessionEnd::Kind::Orderly, "the receiver left: " + decodeMessage<Bye>(reader).reason.value);
            return true;
        default:
            return false;
    }
}

void SenderLink::onStopping() {
    const std::lock_guard lock(mutex_);
    if (evicted_) {
        send(Refuse{RefuseCode::Stalled, evictReason_});
    } else if (!endSent_) {
        endTracks(lastWords_);
    }
}

}  // namespace verbcast
