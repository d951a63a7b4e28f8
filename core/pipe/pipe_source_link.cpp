// Per block: push() by the owner, sendNext() by the thread that serves the link, then onFrameSent() or a
// credit. Its bytes are not copied.
#include "core/pipe/pipe_source_link.h"

#include <algorithm>
#include <utility>

namespace verbcast {

PipeSourceLink::PipeSourceLink(PeerConnection connection, const LinkOptions& options, ArmedEvent& progress,
                               const PipeOffer& offer)
    : PipeLink(std::move(connection), options, progress), offer_(offer), ledger_(requirePath(), kPipeTrack) {}

std::optional<PipeAccept> PipeSourceLink::accepted() const {
    const std::lock_guard lock(mutex_);
    return accept_;
}

bool PipeSourceLink::canPush() const {
    const std::lock_guard lock(mutex_);
    return accept_ && outstanding_ < accept_->depth;
}

void PipeSourceLink::push(PipeBlock&& block) {
    {
        const std::lock_guard lock(mutex_);
        ++outstanding_;  // first: the block may be gone at once
        queue_.push(std::move(block));
    }
    loop().serveNow();
}

void PipeSourceLink::finish(const PipeEnd& last) {
    {
        const std::lock_guard lock(mutex_);
        end_ = last;
    }
    loop().serveNow();
}

bool PipeSourceLink::complete() const {
    const std::lock_guard lock(mutex_);
    return done_;
}

void PipeSourceLink::onReady() {
    send(offer_);
    PipeLink::onReady();
}

void PipeSourceLink::onPipeMessage(PipeMessageType type, ByteReader& reader) {
    switch (type) {
        case PipeMessageType::Accept:
            handleAccept(decodeMessage<PipeAccept>(reader));
            return;
        case PipeMessageType::Done:
            handleDone(decodeMessage<PipeDone>(reader));
            return;
        case PipeMessageType::Offer:
        case PipeMessageType::End:
            throw peerError("the receiving end of a pipe speaks as the sending one");
        default:
            return;
    }
}

void PipeSourceLink::handleAccept(const PipeAccept& accept) {
    const std::lock_guard lock(mutex_);
    if (accept_) {
        throw peerError("the peer accepted the pipe twice");
    }
    if (accept.blockBytes > offer_.blockBytes || accept.depth > offer_.depth ||
        (offer_.checksum && !accept.checksum)) {
        throw peerError("the peer accepts another pipe than was offered to it");
    }
    nextOffset_ = accept.start;
    depth_ = accept.depth;
    accept_ = accept;
    checkSlots();
}

/// Once both are known: checks that the agreed block size fits the peer's ring.
void PipeSourceLink::checkSlots() const {
    const std::uint64_t slotBytes = ledger_.remoteSlotBytes();
    if (slotBytes != 0 && accept_ && slotBytes < accept_->blockBytes) {
        throw peerError("the peer accepts blocks of {} bytes into slots of {}", accept_->blockBytes,
                        slotBytes);
    }
}

void PipeSourceLink::handleDone(const PipeDone& message) {
    {
        const std::lock_guard lock(mutex_);
        if (!endSent_ || message.bytes != end_->bytes) {
            throw peerError("the peer claims to have everything after {} bytes, which is not so",
                            message.bytes);
        }
        done_ = true;
    }
    sayGoodbye();
}

void PipeSourceLink::onRing(const RingMessage& ring) {
    if (ledger_.remoteSlotBytes() != 0) {
        throw peerError("the peer offers a second ring for one pipe");
    }
    ledger_.takeRing(ring);
    const std::lock_guard lock(mutex_);
    checkSlots();
}

void PipeSourceLink::onOfferReady(RingId ring, std::span<const std::byte> offer) {
    send(RingMessage::of(kPipeTrack, ring, *ledger_.source(), offer));
}

void PipeSourceLink::onCredit(const Credit& credit) {
    ledger_.takeCredit(credit, [this](std::uint64_t) { blockLeft(); });
}

void PipeSourceLink::onFrameSent(std::uint32_t localSlot) {
    ledger_.sent(localSlot);
    blockLeft();
}

/// Wakes the owner once for several blocks: others are in flight meanwhile.
void PipeSourceLink::blockLeft() {
    const std::uint32_t left = --outstanding_;
    if (4 * left <= 3 * depth_) {
        notifyOwner();
    }
}

bool PipeSourceLink::move() {
    bool worked = false;
    while (sendNext()) {
        worked = true;
    }
    return sendEnd() || worked;
}

bool PipeSourceLink::sendNext() {
    PipeBlock* block = nextInQueue();
    if (block == nullptr || !ledger_.hasRoom()) {
        return false;
    }
    if (block->lease.pool() != ledger_.source()) {
        ledger_.closeSources();
        ledger_.addSource(block->lease.pool(), ++lastRing_);
    }
    FrameInfo info;
    info.sequence = nextSequence_;
    info.pts = static_cast<std::int64_t>(nextOffset_);
    info.payloadBytes = block->bytes;
    if (ledger_.send(std::move(block->lease), info) != Status::Ok) {
        return false;
    }
    ++nextSequence_;
    nextOffset_ += info.payloadBytes;
    const std::lock_guard lock(mutex_);
    queue_.drop();
    return true;
}

/// The lock is not held while the block is sent, which may take long: it stays in place while others are
/// added, and only the serving thread removes it.
PipeBlock* PipeSourceLink::nextInQueue() {
    const std::lock_guard lock(mutex_);
    return queue_.empty() || !accept_ ? nullptr : &queue_.front();
}

bool PipeSourceLink::sendEnd() {
    const std::lock_guard lock(mutex_);
    if (!end_ || endSent_ || !queue_.empty()) {
        return false;
    }
    send(*end_);
    endSent_ = true;
    return true;
}

bool PipeSourceLink::maySleep() {
    // While half of the slots are free, credits can wait for the next block, which collects them. With none
    // in flight only news may arrive, and news cannot wait.
    const std::lock_guard lock(mutex_);
    const std::uint32_t lent = ledger_.inFlight();
    return ledger_.sharesMemory() && accept_ && !end_ && queue_.empty() && lent > 0 &&
           2 * lent <= std::min(accept_->depth, ledger_.source()->slotCount());
}

}  // namespace verbcast
