// Per block: onFrame() turns the slot into a lease and queues it; when the lease is dropped the pool wakes
// the serving thread, which returns it and others as credits. No copy of its bytes.
#include "core/pipe/pipe_sink_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace verbcast {
namespace {

constexpr std::uint32_t kOwnGeneration = 1;

}  // namespace

PipeSinkLink::PipeSinkLink(std::unique_ptr<Channel> channel, const LinkOptions& options, ArmedEvent& progress)
    : PipeLink(std::move(channel), options, progress) {}

std::optional<PipeOffer> PipeSinkLink::offered() const {
    const std::lock_guard lock(mutex_);
    return offer_;
}

void PipeSinkLink::accept(const PipeAccept& accept, std::shared_ptr<FramePool> pool) {
    {
        const std::lock_guard lock(mutex_);
        accept_ = accept;
        arrivedBytes_ = accept.start;
        if (pool) {
            pool_ = std::move(pool);
            generation_ = kOwnGeneration;
        }
    }
    wake();
}

bool PipeSinkLink::pop(PipeBlock& block) {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) {
        return false;
    }
    block = std::move(queue_.front());
    queue_.pop_front();
    return true;
}

std::optional<PipeEnd> PipeSinkLink::endOfStream() const {
    const std::lock_guard lock(mutex_);
    return queue_.empty() && end_ && arrivedBytes_ == end_->bytes ? end_ : std::nullopt;
}

void PipeSinkLink::finish(const PipeDone& done) {
    {
        const std::lock_guard lock(mutex_);
        done_ = done;
    }
    wake();
}

bool PipeSinkLink::complete() const {
    const std::lock_guard lock(mutex_);
    return done_.has_value();
}

void PipeSinkLink::onPipeMessage(PipeMessageType type, ByteReader& reader) {
    switch (type) {
        case PipeMessageType::Offer:
            handleOffer(decodePipeOffer(reader));
            return;
        case PipeMessageType::End:
            handleEnd(decodePipeEnd(reader));
            return;
        case PipeMessageType::Accept:
        case PipeMessageType::Done:
            throw Error(ErrorKind::Peer, "the sending end of a pipe speaks as the receiving one");
        default:
            return;
    }
}

void PipeSinkLink::onCredit(std::uint32_t /*generation*/, std::uint32_t /*slot*/) {
    throw Error(ErrorKind::Peer, "the sending end of a pipe speaks as the receiving one");
}

void PipeSinkLink::handleOffer(const PipeOffer& offer) {
    const std::lock_guard lock(mutex_);
    if (offer_) {
        throw Error(ErrorKind::Peer, "the peer offered a pipe twice");
    }
    offer_ = offer;
}

void PipeSinkLink::handleEnd(const PipeEnd& last) {
    const std::lock_guard lock(mutex_);
    if (!acceptSent_ || end_ || last.bytes < arrivedBytes_) {
        throw Error(ErrorKind::Peer, fmt::format("the peer ended its stream after {} bytes, and {} have come",
                                                 last.bytes, arrivedBytes_));
    }
    end_ = last;
}

void PipeSinkLink::onPeerPool(std::uint32_t generation, std::shared_ptr<FramePool> pool) {
    if (pool_ || !acceptSent_) {
        throw Error(ErrorKind::Peer, "the peer offers a second ring for one pipe");
    }
    pool_ = std::move(pool);
    generation_ = generation;
}

void PipeSinkLink::onFrame(std::uint32_t generation, std::uint32_t slot, const FrameInfo& info) {
    takeBlock(generation, slot, info);
    notifyOwner();
}

void PipeSinkLink::takeBlock(std::uint32_t generation, std::uint32_t slot, const FrameInfo& info) {
    const std::lock_guard lock(mutex_);
    if (!acceptSent_ || generation != generation_ || (end_ && end_->bytes == arrivedBytes_)) {
        throw Error(ErrorKind::Peer, "the peer sent a block that does not belong to the pipe");
    }
    if (info.sequence != nextSequence_ || info.pts != static_cast<std::int64_t>(arrivedBytes_) ||
        info.payloadBytes == 0 || info.payloadBytes > accept_->blockBytes ||
        (end_ && info.payloadBytes > end_->bytes - arrivedBytes_)) {
        throw Error(
            ErrorKind::Peer,
            fmt::format("the peer sent block {} of {} bytes for byte {}: block {} for byte {} was due",
                        info.sequence, info.payloadBytes, info.pts, nextSequence_, arrivedBytes_));
    }
    auto lease = pool_->adopt(slot);
    if (!lease) {
        throw Error(ErrorKind::Peer, fmt::format("the peer sent slot {}, which it was not given", slot));
    }
    ++nextSequence_;
    arrivedBytes_ += info.payloadBytes;
    queue_.push_back({std::move(*lease), info.payloadBytes});
}

bool PipeSinkLink::move() {
    bool worked = sendAccept();
    worked |= giveCredits();
    worked |= sendDone();
    return worked;
}

bool PipeSinkLink::sendAccept() {
    const std::lock_guard lock(mutex_);
    if (!accept_ || acceptSent_) {
        return false;
    }
    if (!sharesPool()) {
        // Its slots are ours until the credits, which follow in this round.
        channel().setSinkPool(generation_, pool_);
        creditsAtOnce_ = std::max(1U, pool_->slotCount() / 4);
        pool_->wakeFrom(creditsAtOnce_);
    }
    send(encodeMessage(*accept_));
    acceptSent_ = true;
    return true;
}

bool PipeSinkLink::giveCredits() {
    if (!acceptSent_ || !pool_ || pool_->freeCount() < creditsAtOnce_) {
        return false;
    }
    std::array<std::uint16_t, kMaxSlots> slots;
    std::size_t count = 0;
    pool_->takeFree([&](std::uint32_t slot) { slots[count++] = static_cast<std::uint16_t>(slot); });
    std::array<std::byte, kMaxCreditBytes> buffer;
    const std::size_t length = encodeCredit(buffer, generation_, std::span(slots).first(count));
    send(std::span<const std::byte>(buffer).first(length));
    return true;
}

bool PipeSinkLink::sendDone() {
    const std::lock_guard lock(mutex_);
    if (!done_ || doneSent_) {
        return false;
    }
    send(encodeMessage(*done_));
    doneSent_ = true;
    return true;
}

void PipeSinkLink::armExtra() {
    if (acceptSent_ && pool_) {
        pool_->freed().arm();
    }
}

void PipeSinkLink::disarmExtra() {
    if (acceptSent_ && pool_) {
        pool_->freed().disarm();
    }
}

void PipeSinkLink::addExtraDescriptors(std::vector<int>& descriptors) const {
    if (acceptSent_ && pool_) {
        descriptors.push_back(pool_->freed().descriptor());
    }
}

}  // namespace verbcast
