#include "tests/fuzz/memory_peer.h"

#include <unistd.h>

#include <algorithm>

#include "core/transport/path_checks.h"

namespace verbcast::fuzz {
namespace {

constexpr std::size_t kMaxInFlight = 2;
constexpr std::uint64_t kMaxMappedBytes = 1U << 20;

}  // namespace

Status MemoryChannel::send(std::span<const std::byte> message) {
    require(!message.empty() && message.size() <= kMaxMessageBytes,
            "a message of an impossible size is sent");
    return isOpen() ? Status::Ok : Status::Closed;
}

void MemoryChannel::say(Bytes message) {
    if (isOpen() && !message.empty() && message.size() <= kMaxMessageBytes) {
        bytes_ += message.size();
        // In memory of its own, so that reading beyond its end is detected.
        const std::vector<std::byte> copy(message.begin(), message.end());
        handler_->onMessage(copy);
    }
}

void MemoryPath::offer(RingId ring, std::shared_ptr<FramePool> pool) {
    requireOfferable(ring, newestOffered_);
    newestOffered_ = ring;
    offered_.push_back({ring, std::move(pool)});
    unready_.push_back(ring);
    if (readyAtOnce_) {
        finishOffer(true);
    }
}

void MemoryPath::finishOffer(bool atOnceFromNowOn) {
    readyAtOnce_ = atOnceFromNowOn;
    if (!unready_.empty()) {
        const RingId ring = unready_.front();
        unready_.pop_front();
        handler_->onOfferReady(ring, {});
    }
}

void MemoryPath::retire(RingId ring) {
    std::erase(unready_, ring);
    std::erase_if(offered_, [=](const Offered& one) { return one.ring == ring; });
}

std::shared_ptr<FramePool> MemoryPath::accept(RingId ring, const RingShape& shape, Bytes) {
    requireAcceptable(ring, newestAccepted_, shape);
    newestAccepted_ = ring;
    targets_.push_back(ring);
    if (!shares_) {
        return nullptr;
    }
    if (shape.slotBytes > kMaxMappedBytes / shape.slotCount) {
        throw Error(ErrorKind::Peer, "more memory than the peer has");
    }
    const auto memory = Memory::allocate({.bytes = shape.slotBytes * shape.slotCount, .hugePages = false});
    return FramePool::mapPeer(UniqueFd(::dup(memory->descriptor())), shape.slotBytes, shape.slotCount);
}

Status MemoryPath::send(const OutgoingFrame& frame) {
    const bool known =
        shares_ ? std::ranges::any_of(
                      offered_,
                      [&](const Offered& one) { return one.ring == frame.ring && one.pool == frame.pool; })
                : std::ranges::count(targets_, frame.ring) > 0;
    const std::uint64_t bytes = requireSendable(frame, known);
    if (!shares_ && sending_.size() == kMaxInFlight) {
        return Status::Busy;
    }
    moved_ += bytes;
    if (!shares_) {
        sending_.push_back(frame);
    }
    return Status::Ok;
}

void MemoryPath::frame(RingId ring, std::uint32_t slot, const FrameInfo& info) {
    if (shares_) {
        handler_->onFrame(ring, slot, info);
    } else if (begun_) {
        const Begun arrived = *std::exchange(begun_, std::nullopt);
        std::fill_n(arrived.target.pool->slotData(arrived.target.slot),
                    std::min<std::uint64_t>(arrived.info.payloadBytes, 4096), std::byte{9});
        handler_->onFrame(arrived.ring, arrived.slot, arrived.info);
    } else if (std::ranges::any_of(offered_, [=](const Offered& one) { return one.ring == ring; })) {
        FrameTarget target = handler_->beginFrame(ring, slot, info);
        require(target.pool && target.slot < target.pool->slotCount() &&
                    info.payloadBytes <= target.pool->slotBytes(),
                "a frame begins where it finds no room");
        begun_ = Begun{ring, slot, info, std::move(target)};
    }
}

void MemoryPath::finishSending() {
    if (!sending_.empty()) {
        const std::uint32_t slot = sending_.front().localSlot;
        sending_.pop_front();
        handler_->onFrameSent(slot);
    }
}

}  // namespace verbcast::fuzz
