// Per frame: push() by the submitting thread, sendNext() by the link's, then onFrameSent() or a credit. No
// copy of pixels, no allocation. The frame's FrameInfo is copied twice (128 bytes).
#include "core/session/sender_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace verbcast {

SenderLink::SenderLink(std::unique_ptr<Channel> channel, const LinkOptions& options, Shared& shared,
                       std::shared_ptr<const Epoch> current, std::uint64_t viewer)
    : Link(std::move(channel), options), shared_(shared), starting_(std::move(current)), viewer_(viewer) {
    credits_.reserve(kMaxSlots);
}

Status SenderLink::push(QueuedFrame&& frame) {
    QueuedFrame dropped;  // destroyed outside the lock
    {
        const std::lock_guard lock(mutex_);
        if (queueCount_ == queue_.size()) {
            if (shared_.policy == Policy::Lossless) {
                return Status::Busy;
            }
            dropped = std::move(queue_[0]);
            queue_[0] = std::move(queue_[1]);
            --queueCount_;
            ++framesDropped_;
            ++shared_.framesDropped;
        }
        queue_[queueCount_++] = std::move(frame);
    }
    serveNow();
    return Status::Ok;
}

bool SenderLink::canPush() {
    const std::lock_guard lock(mutex_);
    return shared_.policy == Policy::Latest || queueCount_ < queue_.size();
}

void SenderLink::finish(const std::string& reason) {
    {
        const std::lock_guard lock(mutex_);
        finishing_ = true;
        finishReason_ = reason;
    }
    serveNow();
}

ReceiverStats SenderLink::stats() const {
    ReceiverStats stats;
    stats.channel = channelDescription();
    stats.framesSent = framesSent_;
    stats.framesDropped = framesDropped_;
    const std::lock_guard lock(mutex_);
    stats.report = report_;
    if (accepting_) {
        stats.name = peer().name;
    }
    return stats;
}

void SenderLink::onReady() {
    if (starting_) {
        announce(starting_);
    }
    accepting_ = true;
    ++shared_.linkCount;
    shared_.progress.notify();
    if (shared_.audience != nullptr) {
        shared_.audience->notify();
    }
}

void SenderLink::announce(const std::shared_ptr<const Epoch>& epoch) {
    if (!announced_ || announced_->generation != epoch->generation) {
        for (FrameLease& lease : inFlight_) {
            if (lease) {
                heldFromBefore_.push_back({announced_->generation, std::move(lease)});
                --inFlightCount_;
            }
        }
        channel().setSourcePool(epoch->generation, epoch->pool);
    }
    FormatMessage message;
    message.epoch = epoch->number;
    message.lossless = shared_.policy == Policy::Lossless;
    message.framesBefore = framesSent_;
    message.format = epoch->format;
    send(encodeMessage(message));
    announced_ = epoch;
}

bool SenderLink::step() {
    bool worked = false;
    while (sendNext()) {
        worked = true;
    }
    const std::lock_guard lock(mutex_);
    if (finishing_ && !endSent_ && queueCount_ == 0 && (sharesPool() || inFlightCount_ == 0)) {
        send(encodeMessage(EndOfStream{framesSent_, finishReason_}));
        endSent_ = true;
        worked = true;
    }
    return worked;
}

bool SenderLink::mayDoze() {
    // With few frames out, credits can wait until the next frame is submitted: nobody is short of slots.
    // Input cannot.
    const std::lock_guard lock(mutex_);
    if (shared_.allowInput || !sharesPool() || !announced_ || acceptedEpoch_ != announced_->number ||
        finishing_ || queueCount_ > 0) {
        return false;
    }
    const std::uint32_t spare = announced_->pool->slotCount() > 3 ? announced_->pool->slotCount() - 3 : 0;
    return 2 * (inFlightCount_ + heldFromBefore_.size()) <= std::min(heldLimit(), spare);
}

std::uint32_t SenderLink::heldLimit() const {
    // Of `slots` frames one is being captured and two wait in the queue; the receivers share the rest.
    const std::uint32_t sharedSlots = shared_.slots > 4 ? shared_.slots - 3 : 1;
    return std::max(1U, std::min(peer().slots, sharedSlots / std::max(1U, shared_.linkCount.load())));
}

bool SenderLink::takeRemoteSlot(const QueuedFrame& frame, std::uint32_t& slot) {
    if (sharesPool()) {
        slot = frame.lease.slot();
        return inFlightCount_ + heldFromBefore_.size() < heldLimit();
    }
    if (credits_.empty()) {
        return false;
    }
    slot = credits_.back();
    return true;
}

bool SenderLink::sendNext() {
    // The lock is held while the transport takes the frame: otherwise push() could drop it at that moment.
    const std::lock_guard lock(mutex_);
    if (queueCount_ == 0) {
        return false;
    }
    QueuedFrame& frame = queue_[0];
    if (frame.epoch != announced_) {
        // Frames of the last epoch leave first, so that their pool may be replaced; one change at a time.
        if ((announced_ && acceptedEpoch_ != announced_->number) || (!sharesPool() && inFlightCount_ > 0)) {
            return false;
        }
        announce(frame.epoch);
        return true;
    }
    OutgoingFrame out;
    if (acceptedEpoch_ != frame.epoch->number || !takeRemoteSlot(frame, out.remoteSlot)) {
        return false;
    }
    out.localSlot = frame.lease.slot();
    out.info = frame.info;
    if (shared_.allowInput) {
        out.info.inputSequence = shownInput(frame.info.inputSequence);
    }
    out.info.postedAt = nowNs();
    if (channel().sendFrame(out) != Status::Ok) {
        return false;
    }
    inFlight_[out.localSlot] = std::move(frame.lease);
    ++inFlightCount_;
    queue_[0] = std::move(queue_[1]);
    --queueCount_;
    if (!sharesPool()) {
        credited_[out.remoteSlot] = false;
        credits_.pop_back();
    }
    ++framesSent_;
    countSent(out.info);
    shared_.progress.notify();
    return true;
}

void SenderLink::countSent(const FrameInfo& info) {
    std::uint64_t next = shared_.nextUncounted.load(std::memory_order_relaxed);
    do {
        if (info.sequence < next) {
            return;  // another receiver got this frame, or a later one, before
        }
    } while (!shared_.nextUncounted.compare_exchange_weak(next, info.sequence + 1));
    ++shared_.framesSent;
    shared_.bytesSent += info.payloadBytes;
    TimestampNs none = 0;
    shared_.firstSentAt.compare_exchange_strong(none, info.postedAt);
    shared_.lastSentAt = info.postedAt;
}

void SenderLink::onFrameSent(std::uint32_t localSlot) {
    const std::uint64_t copied = channel().payloadBytesCopied();
    shared_.bytesCopied += copied - std::exchange(bytesCopied_, copied);
    if (localSlot < inFlight_.size() && inFlight_[localSlot]) {
        inFlight_[localSlot].reset();
        --inFlightCount_;
    }
}

void SenderLink::onPeerSlots(std::uint32_t generation, std::uint64_t slotBytes, std::uint32_t slotCount) {
    remoteGeneration_ = generation;
    remoteSlotBytes_ = slotBytes;
    remoteSlotCount_ = slotCount;
    credits_.clear();
    credited_.fill(false);
}

void SenderLink::handleCredit(std::uint32_t generation, std::uint32_t slot) {
    const auto wrong = [&] {
        return Error(
            ErrorKind::Peer,
            fmt::format("the peer gave back slot {} of ring {}, which it did not hold", slot, generation));
    };
    if (sharesPool()) {
        if (announced_ && generation == announced_->generation && slot < inFlight_.size() &&
            inFlight_[slot]) {
            inFlight_[slot].reset();
            --inFlightCount_;
            return;
        }
        const auto held = std::find_if(
            heldFromBefore_.begin(), heldFromBefore_.end(),
            [&](const OldLease& old) { return old.generation == generation && old.lease.slot() == slot; });
        if (held == heldFromBefore_.end()) {
            throw wrong();
        }
        heldFromBefore_.erase(held);
        return;
    }
    if (generation != remoteGeneration_) {
        return;  // on its way when the ring was replaced
    }
    if (slot >= remoteSlotCount_ || credited_[slot]) {
        throw wrong();
    }
    credited_[slot] = true;
    credits_.push_back(static_cast<std::uint16_t>(slot));
}

void SenderLink::handleInput(InputMessage&& message) {
    constexpr std::size_t kMostPending = 4096;
    if (!shared_.allowInput) {
        return;  // it was told so in our greeting
    }
    if (message.sequence <= lastInput_) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer sent input event {} after event {}", message.sequence, lastInput_));
    }
    lastInput_ = message.sequence;
    const std::uint64_t serial = shared_.input.push(viewer_, peer().name, std::move(message.event));
    if (pendingInput_.size() == kMostPending) {
        pendingInput_.pop_front();  // a later event tells of it, too
    }
    pendingInput_.push_back({serial, message.sequence});
}

std::uint64_t SenderLink::shownInput(std::uint64_t serial) {
    while (!pendingInput_.empty() && pendingInput_.front().serial <= serial) {
        shownInput_ = pendingInput_.front().sequence;
        pendingInput_.pop_front();
    }
    return shownInput_;
}

void SenderLink::releaseInput() {
    if (shared_.allowInput && accepting()) {
        shared_.input.push(viewer_, peer().name, {.kind = InputKind::ReleaseAll});
    }
}

void SenderLink::onSessionMessage(MessageType type, ByteReader& reader) {
    switch (type) {
        case MessageType::Credit:
            visitCredits(reader, [this](std::uint32_t generation, std::uint32_t slot) {
                handleCredit(generation, slot);
            });
            return;
        case MessageType::Accept: {
            const Accept accept = decodeAccept(reader);
            if (!announced_ || accept.epoch > announced_->number) {
                throw Error(ErrorKind::Peer,
                            fmt::format("the peer accepts epoch {}, which was not announced", accept.epoch));
            }
            if (accept.epoch == announced_->number && !sharesPool() &&
                remoteSlotBytes_ < announced_->format.payloadBytes) {
                throw Error(ErrorKind::Peer,
                            fmt::format("the peer accepts frames of {} bytes into slots of {}",
                                        announced_->format.payloadBytes, remoteSlotBytes_));
            }
            acceptedEpoch_ = accept.epoch;
            return;
        }
        case MessageType::Input:
            handleInput(decodeInput(reader));
            return;
        case MessageType::Report: {
            const Report report = decodeReport(reader);
            const std::lock_guard lock(mutex_);
            report_ = report;
            return;
        }
        case MessageType::Bye:
            end(LinkEnd::Kind::Orderly, "the receiver left: " + decodeBye(reader).reason);
            return;
        default:
            return;
    }
}

void SenderLink::onStopping() {
    if (!endSent_) {
        send(encodeMessage(EndOfStream{framesSent_, "the sender stopped"}));
    }
}

}  // namespace verbcast
