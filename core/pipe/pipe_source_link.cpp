// Per block: push() by the owner, sendNext() by whoever serves the link, then onFrameSent() or a credit. No
// copy of its bytes.
#include "core/pipe/pipe_source_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace verbcast {

PipeSourceLink::PipeSourceLink(std::unique_ptr<Channel> channel, const LinkOptions& options,
                               ArmedEvent& progress, const PipeOffer& offer)
    : PipeLink(std::move(channel), options, progress), offer_(offer) {
    credits_.reserve(kMaxSlots);
}

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
        ++outstanding_;  // first: it may be gone at once
        queue_.push_back(std::move(block));
    }
    serveNow();
}

void PipeSourceLink::finish(const PipeEnd& last) {
    {
        const std::lock_guard lock(mutex_);
        end_ = last;
    }
    serveNow();
}

bool PipeSourceLink::complete() const {
    const std::lock_guard lock(mutex_);
    return done_;
}

void PipeSourceLink::onReady() {
    send(encodeMessage(offer_));
    PipeLink::onReady();
}

void PipeSourceLink::onPipeMessage(PipeMessageType type, ByteReader& reader) {
    switch (type) {
        case PipeMessageType::Accept:
            handleAccept(decodePipeAccept(reader));
            return;
        case PipeMessageType::Done:
            handleDone(decodePipeDone(reader));
            return;
        case PipeMessageType::Offer:
        case PipeMessageType::End:
            throw Error(ErrorKind::Peer, "the receiving end of a pipe speaks as the sending one");
        default:
            return;
    }
}

void PipeSourceLink::handleAccept(const PipeAccept& accept) {
    const std::lock_guard lock(mutex_);
    if (accept_) {
        throw Error(ErrorKind::Peer, "the peer accepted the pipe twice");
    }
    if (accept.blockBytes > offer_.blockBytes || accept.depth > offer_.depth ||
        (offer_.checksum && !accept.checksum)) {
        throw Error(ErrorKind::Peer, "the peer accepts another pipe than was offered to it");
    }
    nextOffset_ = accept.start;
    depth_ = accept.depth;
    accept_ = accept;
}

void PipeSourceLink::handleDone(const PipeDone& message) {
    {
        const std::lock_guard lock(mutex_);
        if (!endSent_ || message.bytes != end_->bytes) {
            throw Error(
                ErrorKind::Peer,
                fmt::format("the peer says that it has all {} bytes, which is not so", message.bytes));
        }
        done_ = true;
    }
    sayGoodbye();
}

void PipeSourceLink::onPeerSlots(std::uint32_t generation, std::uint64_t slotBytes, std::uint32_t slotCount) {
    if (remoteGeneration_ != 0 || slotBytes == 0 || slotCount > kMaxSlots) {
        throw Error(ErrorKind::Peer, "the peer offers a second ring for one pipe");
    }
    remoteGeneration_ = generation;
    remoteSlotBytes_ = slotBytes;
    remoteSlotCount_ = slotCount;
}

void PipeSourceLink::onCredit(std::uint32_t generation, std::uint32_t slot) {
    const bool lent = sharesPool() && generation == generation_ && slot < lent_.size() && lent_[slot];
    const bool fresh =
        !sharesPool() && generation == remoteGeneration_ && slot < remoteSlotCount_ && !credited_[slot];
    if (lent) {
        lent_[slot].reset();
        --lentCount_;
        blockLeft();
    } else if (fresh) {
        credited_[slot] = true;
        credits_.push_back(static_cast<std::uint16_t>(slot));
    } else {
        throw Error(
            ErrorKind::Peer,
            fmt::format("the peer gave back slot {} of ring {}, which it did not hold", slot, generation));
    }
}

void PipeSourceLink::onFrameSent(std::uint32_t localSlot) {
    if (sending_.empty() || sending_.front().slot() != localSlot) {
        throw Error(ErrorKind::Internal, "a transport that sends blocks out of order");
    }
    sending_.pop_front();
    blockLeft();
}

/// The owner is woken for several blocks at once: there are others on their way meanwhile.
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
    if (block == nullptr || (!sharesPool() && credits_.empty())) {
        return false;
    }
    if (block->lease.pool() != pool_) {
        pool_ = block->lease.pool();
        channel().setSourcePool(++generation_, pool_);
    }
    OutgoingFrame out;
    out.localSlot = block->lease.slot();
    out.remoteSlot = sharesPool() ? out.localSlot : credits_.back();
    out.info.sequence = nextSequence_;
    out.info.pts = static_cast<std::int64_t>(nextOffset_);
    out.info.payloadBytes = block->bytes;
    if (channel().sendFrame(out) != Status::Ok) {
        return false;
    }
    ++nextSequence_;
    nextOffset_ += block->bytes;
    if (sharesPool()) {
        lent_[out.localSlot] = std::move(block->lease);
        ++lentCount_;
    } else {
        credited_[out.remoteSlot] = false;
        credits_.pop_back();
        sending_.push_back(std::move(block->lease));
    }
    const std::lock_guard lock(mutex_);
    queue_.pop_front();
    return true;
}

/// Not locked while it is sent, which may take long: it stays where it is while others are added, and only
/// the serving thread takes it out.
PipeBlock* PipeSourceLink::nextInQueue() {
    const std::lock_guard lock(mutex_);
    if (queue_.empty() || !accept_) {
        return nullptr;
    }
    if (!sharesPool() && remoteSlotCount_ != 0 && remoteSlotBytes_ < accept_->blockBytes) {
        throw Error(ErrorKind::Peer, fmt::format("the peer accepts blocks of {} bytes into slots of {}",
                                                 accept_->blockBytes, remoteSlotBytes_));
    }
    return &queue_.front();
}

bool PipeSourceLink::sendEnd() {
    const std::lock_guard lock(mutex_);
    if (!end_ || endSent_ || !queue_.empty()) {
        return false;
    }
    send(encodeMessage(*end_));
    endSent_ = true;
    return true;
}

bool PipeSourceLink::mayDoze() {
    // While half of the slots are free the credits on their way can wait for the next block, which takes
    // them. Without any on their way only news may come, and those cannot.
    const std::lock_guard lock(mutex_);
    return sharesPool() && accept_ && !end_ && queue_.empty() && lentCount_ > 0 &&
           2 * lentCount_ <= std::min(accept_->depth, pool_->slotCount());
}

}  // namespace verbcast
