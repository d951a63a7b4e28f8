#include "app/bench/modes/sweep_ends.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "app/bench/workers/frame_pattern.h"
#include "core/base/error.h"
#include "core/session/messages/messages.h"

namespace verbcast {
namespace {

constexpr RingId kRing = 1;

void stamp(std::byte* block, std::uint64_t bytes, std::uint64_t sequence) {
    std::memcpy(block, &sequence, sizeof sequence);
    std::memcpy(block + bytes - sizeof sequence, &sequence, sizeof sequence);
}

bool holdsStamp(const std::byte* block, std::uint64_t bytes, std::uint64_t sequence) {
    return std::memcmp(block, &sequence, sizeof sequence) == 0 &&
           std::memcmp(block + bytes - sizeof sequence, &sequence, sizeof sequence) == 0;
}

/// The first message: from the sink, or from the source if memory is shared. Longer than a
/// SweepAcknowledgement.
std::vector<std::byte> encodeOffer(const FramePool& ring, std::span<const std::byte> offer) {
    return encodeMessage(RingMessage{
        .ring = kRing, .shape = {ring.slotBytes(), ring.slotCount()}, .offer = {offer.begin(), offer.end()}});
}

/// The peer's ring, if memory is shared.
std::shared_ptr<FramePool> acceptOffer(FramePath& path, std::span<const std::byte> message) {
    ByteReader reader(message);
    reader.get<std::uint8_t>();
    const auto ring = decodeMessage<RingMessage>(reader);
    return path.accept(ring.ring, ring.shape, ring.offer);
}

}  // namespace

SweepSource::SweepSource(const Connection& connection, std::uint64_t blockBytes, std::uint32_t slots)
    : ChannelEnd(connection), blockBytes_(blockBytes), pool_(touchedRing(blockBytes, slots)) {
    path().prepare(pool_);
    if (path().sharesMemory()) {
        path().offer(kRing, pool_);
    }
}

void SweepSource::measure(std::uint32_t depth, const RateWindow::Length& length) {
    depth_ = depth;
    window_.emplace(length, std::max<std::uint64_t>(depth, 4));
    latency_.clear();
    const TimestampNs now = nowNs();
    for (std::uint32_t n = 0; n < depth; ++n) {
        offer(now);
    }
}

SweepPoint SweepSource::point() const {
    return {.transport = channel().description().transport,
            .blockBytes = blockBytes_,
            .inFlight = depth_,
            .blocksPerSecond = window_->perSecond(),
            .gigabytesPerSecond = window_->perSecond() * static_cast<double>(blockBytes_) * 1e-9,
            .latency = latency_.percentiles()};
}

bool SweepSource::step() {
    send();
    return window_->complete() && acknowledged_ == offered_;
}

void SweepSource::onOfferReady(RingId, std::span<const std::byte> offer) {
    offer_ = encodeOffer(*pool_, offer);
}

void SweepSource::onFrameSent(std::uint32_t) {
    ++released_;
    send();
}

void SweepSource::onMessage(std::span<const std::byte> message) {
    if (!ready_ && !path().sharesMemory()) {
        acceptOffer(path(), message);
        ready_ = true;
        return send();
    }
    SweepAcknowledgement acknowledgement{};
    if (message.size() == sizeof acknowledgement) {
        std::memcpy(&acknowledgement, message.data(), sizeof acknowledgement);
    }
    if (message.size() != sizeof acknowledgement || acknowledged_ == sent_ ||
        acknowledgement.sequence != static_cast<std::uint32_t>(acknowledged_) ||
        acknowledgement.slot != slotOf(acknowledged_)) {
        throw Error(ErrorKind::Peer, fmt::format("block {} was not acknowledged in turn", acknowledged_));
    }
    const TimestampNs now = nowNs();
    if (window_->count(now)) {
        latency_.record(now - offeredAt_[acknowledged_ % kMaxSweepDepth]);
    }
    ++acknowledged_;
    if (!window_->complete()) {
        offer(now);
    }
    send();
}

std::uint32_t SweepSource::slotOf(std::uint64_t sequence) const {
    return static_cast<std::uint32_t>(sequence % pool_->slotCount());
}

/// A slot is reused when its last block is acknowledged and the transport no longer reads it.
bool SweepSource::slotIsFree() const {
    return path().sharesMemory() || sent_ - released_ < pool_->slotCount();
}

void SweepSource::send() {
    if (!offer_.empty() && channel().send(offer_) == Status::Ok) {
        offer_.clear();
        ready_ = true;  // if the ring is ours, the peer learns of it before its first block
    }
    while (ready_ && sent_ < offered_ && slotIsFree()) {
        const std::uint32_t slot = slotOf(sent_);
        stamp(pool_->slotData(slot), blockBytes_, sent_);
        FrameInfo info;
        info.sequence = sent_;
        info.payloadBytes = blockBytes_;
        if (path().send(
                {.pool = pool_, .localSlot = slot, .ring = kRing, .remoteSlot = slot, .info = info}) !=
            Status::Ok) {
            return;
        }
        ++sent_;
    }
}

SweepSink::SweepSink(const Connection& connection, std::uint64_t blockBytes, std::uint32_t slots,
                     std::uint64_t& blocks)
    : ChannelEnd(connection),
      blockBytes_(blockBytes),
      ring_(touchedRing(blockBytes, slots)),
      blocks_(blocks) {
    if (!path().sharesMemory()) {
        ring_->slots().takeFree([](std::uint32_t) {});
        path().offer(kRing, ring_);
    }
}

bool SweepSink::step() {
    if (!offer_.empty() && channel().send(offer_) == Status::Ok) {
        offer_.clear();
    }
    while (!late_.empty() && send(late_.front())) {
        late_.erase(late_.begin());
    }
    return false;  // the source ends it
}

void SweepSink::onMessage(std::span<const std::byte> message) {
    peerPool_ = acceptOffer(path(), message);
}

void SweepSink::onOfferReady(RingId, std::span<const std::byte> offer) {
    offer_ = encodeOffer(*ring_, offer);
}

FrameTarget SweepSink::beginFrame(RingId, std::uint32_t slot, const FrameInfo& info) {
    if (!ring_->slots().isTaken(slot) || info.payloadBytes != blockBytes_) {
        throw Error(ErrorKind::Peer, fmt::format("{} bytes for slot {}", info.payloadBytes, slot));
    }
    return {ring_, slot};
}

void SweepSink::onFrame(std::uint32_t, std::uint32_t slot, const FrameInfo& info) {
    if (info.payloadBytes != blockBytes_ || info.sequence != blocks_ || slot >= ring_->slotCount()) {
        throw Error(ErrorKind::Peer, fmt::format("block {} did not come in turn", blocks_));
    }
    if (peerPool_) {
        std::memcpy(ring_->slotData(slot), peerPool_->slotData(slot), blockBytes_);
    }
    if (!holdsStamp(ring_->slotData(slot), blockBytes_, info.sequence)) {
        throw Error(ErrorKind::Corrupt, fmt::format("block {} arrived with other bytes", blocks_));
    }
    ++blocks_;
    const SweepAcknowledgement acknowledgement{slot, static_cast<std::uint32_t>(info.sequence)};
    if (!late_.empty() || !send(acknowledgement)) {
        late_.push_back(acknowledgement);
    }
}

bool SweepSink::send(const SweepAcknowledgement& acknowledgement) {
    return channel().send(std::as_bytes(std::span(&acknowledgement, 1))) != Status::Busy;
}

}  // namespace verbcast
