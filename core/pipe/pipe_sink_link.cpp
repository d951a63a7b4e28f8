// Per block: onFrame() turns the slot into a lease and queues it; when the lease is dropped, the pool wakes
// the serving thread, which returns it with others as credits. Its bytes are not copied.
#include "core/pipe/pipe_sink_link.h"

#include "core/base/text/counted.h"

#include <algorithm>
#include <utility>

namespace verbcast {
namespace {

constexpr RingId kOnlyRing = 1;

}  // namespace

PipeSinkLink::PipeSinkLink(PeerConnection connection, const LinkOptions& options, ArmedEvent& progress)
    : PipeLink(std::move(connection), options, progress), ledger_(requirePath(), kPipeTrack) {}

std::optional<PipeOffer> PipeSinkLink::offered() const {
    const std::lock_guard lock(mutex_);
    return offer_;
}

void PipeSinkLink::accept(const PipeAccept& accept, std::uint32_t slots) {
    auto pool = path().sharesMemory()
                    ? nullptr
                    : FramePool::create({.slotBytes = accept.blockBytes, .slotCount = slots});
    {
        const std::lock_guard lock(mutex_);
        accept_ = accept;
        arrivedBytes_ = accept.start;
        pool_ = std::move(pool);
    }
    wake();
}

bool PipeSinkLink::pop(PipeBlock& block) {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) {
        return false;
    }
    block = queue_.pop();
    return true;
}

std::optional<PipeEnd> PipeSinkLink::endOfStream() const {
    const std::lock_guard lock(mutex_);
    return queue_.empty() && end_ && arrivedBytes_ == end_->bytes ? end_ : std::nullopt;
}

void PipeSinkLink::finish() {
    {
        const std::lock_guard lock(mutex_);
        done_ = true;
    }
    wake();
}

bool PipeSinkLink::complete() const {
    const std::lock_guard lock(mutex_);
    return done_;
}

void PipeSinkLink::onPipeMessage(PipeMessageType type, ByteReader& reader) {
    switch (type) {
        case PipeMessageType::Offer:
            handleOffer(decodeMessage<PipeOffer>(reader));
            return;
        case PipeMessageType::End:
            handleEnd(decodeMessage<PipeEnd>(reader));
            return;
        case PipeMessageType::Accept:
        case PipeMessageType::Done:
            throw peerError("the sending end of a pipe speaks as the receiving one");
        default:
            return;
    }
}

void PipeSinkLink::onCredit(const Credit&) {
    throw peerError("the sending end of a pipe speaks as the receiving one");
}

void PipeSinkLink::handleOffer(const PipeOffer& offer) {
    const std::lock_guard lock(mutex_);
    if (offer_) {
        throw peerError("the peer offered a pipe twice");
    }
    offer_ = offer;
}

void PipeSinkLink::handleEnd(const PipeEnd& last) {
    const std::lock_guard lock(mutex_);
    if (!acceptSent_ || end_ || last.bytes < arrivedBytes_) {
        throw peerError("the peer ended its stream after {}, and {} have arrived",
                        counted(last.bytes, "byte"), arrivedBytes_);
    }
    end_ = last;
}

void PipeSinkLink::onRing(const RingMessage& ring) {
    if (ledger_.hasRing() || !acceptSent_) {
        throw peerError("the peer offers a second ring for one pipe");
    }
    ledger_.takeRing(ring);
}

FrameTarget PipeSinkLink::beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) {
    return ledger_.begin(ring, slot, info);
}

void PipeSinkLink::onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) {
    takeBlock(ring, slot, info);
    notifyOwner();
}

void PipeSinkLink::takeBlock(RingId ring, std::uint32_t slot, const FrameInfo& info) {
    const std::lock_guard lock(mutex_);
    if (!acceptSent_ || (end_ && end_->bytes == arrivedBytes_)) {
        throw peerError("the peer sent a block that does not belong to the pipe");
    }
    if (info.sequence != nextSequence_ || info.pts != static_cast<std::int64_t>(arrivedBytes_) ||
        info.payloadBytes == 0 || info.payloadBytes > accept_->blockBytes ||
        (end_ && info.payloadBytes > end_->bytes - arrivedBytes_)) {
        throw peerError("the peer sent block {} of {} bytes for byte {}: block {} for byte {} was due",
                        info.sequence, info.payloadBytes, info.pts, nextSequence_, arrivedBytes_);
    }
    FrameLease lease = ledger_.arrive(ring, slot, info);
    ++nextSequence_;
    arrivedBytes_ += info.payloadBytes;
    queue_.push({std::move(lease), info.payloadBytes});
}

bool PipeSinkLink::move() {
    bool worked = provideRing();
    worked |= giveCredits();
    worked |= sendDone();
    return worked;
}

/// Once the owner has accepted: first offers the ring, if it is ours, and then sends Accept.
bool PipeSinkLink::provideRing() {
    std::shared_ptr<FramePool> pool;
    {
        const std::lock_guard lock(mutex_);
        if (!accept_ || acceptBegun_) {
            return false;
        }
        acceptBegun_ = true;
        pool = std::move(pool_);
    }
    if (!pool) {
        sendAccept();
        return true;
    }
    creditsAtOnce_ = std::max(1U, pool->slotCount() / 4);
    pool->slots().wakeFrom(creditsAtOnce_);
    ledger_.provide(std::move(pool), kOnlyRing);
    return true;
}

void PipeSinkLink::onOfferReady(RingId ring, std::span<const std::byte> offer) {
    send(RingMessage::of(kPipeTrack, ring, *ledger_.pool(), offer));
    sendAccept();
}

void PipeSinkLink::sendAccept() {
    const std::lock_guard lock(mutex_);
    send(*accept_);
    acceptSent_ = true;
}

bool PipeSinkLink::giveCredits() {
    return acceptSent_ && ledger_.giveCredits(
                              nextSequence_, [this](const Credit& credit) { send(credit); }, creditsAtOnce_);
}

bool PipeSinkLink::sendDone() {
    const std::lock_guard lock(mutex_);
    if (!done_ || doneSent_) {
        return false;
    }
    send(PipeDone{end_->bytes});
    doneSent_ = true;
    return true;
}

}  // namespace verbcast
