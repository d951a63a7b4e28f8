// Per frame: onFrame() turns the slot into a lease and queues it; when the lease is dropped the pool wakes
// this thread, which returns the slot as a credit. No copy of pixels, no allocation, no lock.
#include "core/session/receiver_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace verbcast {
namespace {

constexpr TimestampNs kSecond = 1'000'000'000;
// After the last frame was taken, its consumer has this long to let go of it before the goodbye.
constexpr TimestampNs kLastLeasePatience = kSecond / 2;

}  // namespace

ReceiverLink::ReceiverLink(std::unique_ptr<Channel> channel, const LinkOptions& options, Shared& shared)
    : Link(std::move(channel), options), shared_(shared) {}

ReceiverLink::~ReceiverLink() = default;

void ReceiverLink::onReady() {
    connected_ = true;
}

void ReceiverLink::onSessionMessage(MessageType type, ByteReader& reader) {
    switch (type) {
        case MessageType::Format:
            if (nextEpoch_) {
                throw Error(ErrorKind::Peer, "the peer announced a format before the last one was accepted");
            }
            nextEpoch_ = decodeFormat(reader);
            beginEpoch();
            return;
        case MessageType::EndOfStream: {
            const EndOfStream message = decodeEndOfStream(reader);
            endAnnounced_ = true;
            framesAnnounced_ = message.frames;
            endReason_ = message.reason;
            return;
        }
        case MessageType::Bye:
            if (endAnnounced_) {
                end(LinkEnd::Kind::Orderly, endReason_);
            } else {
                end(LinkEnd::Kind::Orderly, decodeBye(reader).reason);
            }
            return;
        default:
            return;
    }
}

bool ReceiverLink::beginEpoch() {
    if (!nextEpoch_ || received_ < nextEpoch_->framesBefore) {
        return false;
    }
    const FormatMessage message = *nextEpoch_;
    nextEpoch_.reset();
    if (!formats_.empty() && message.epoch <= formats_.rbegin()->first) {
        throw Error(ErrorKind::Peer, fmt::format("the peer announced epoch {} twice", message.epoch));
    }
    if (sharesPool()) {
        if (rings_.empty() || rings_.front()->pool->slotBytes() < message.format.payloadBytes) {
            throw Error(ErrorKind::Peer,
                        fmt::format("the peer announced frames of {} bytes without a ring that holds them",
                                    message.format.payloadBytes));
        }
    } else {
        provideRing(message.format.payloadBytes);
    }
    auto format = std::make_shared<const VideoFormat>(message.format);
    formats_[message.epoch] = format;
    if (formats_.size() > 2) {
        formats_.erase(formats_.begin());
    }
    std::atomic_store(&newestFormat_, std::move(format));
    send(encodeMessage(Accept{message.epoch, rings_.front()->generation}));
    giveCredits(*rings_.front());
    return true;
}

void ReceiverLink::provideRing(std::uint64_t payloadBytes) {
    const bool large = shared_.pool && shared_.pool->slotBytes() >= payloadBytes &&
                       shared_.pool->slotCount() == shared_.slots;
    if (large && !rings_.empty() && rings_.front()->pool == shared_.pool) {
        return;  // a new epoch in the same slots
    }
    if (!large) {
        shared_.pool.reset();  // before the new one: leases may keep the old one for a while
        shared_.pool = FramePool::create({.slotBytes = payloadBytes, .slotCount = shared_.slots});
    }
    auto ring = std::make_unique<Ring>();
    ring->generation = ++shared_.generation;
    ring->pool = shared_.pool;
    ring->pool->reclaimTaken();  // of a connection before
    channel().setSinkPool(ring->generation, ring->pool);
    rings_
        .clear();  // no frame can follow in an older one; what the consumer holds of it comes back to nobody
    rings_.push_back(std::move(ring));
}

void ReceiverLink::onPeerPool(std::uint32_t generation, std::shared_ptr<FramePool> pool) {
    auto ring = std::make_unique<Ring>();
    ring->generation = generation;
    ring->pool = std::move(pool);
    rings_.insert(rings_.begin(), std::move(ring));
    // The sender reuses a slot only when it comes back, so a ring all of whose slots are back is of no more
    // use.
    while (rings_.size() > 2 && rings_.back()->deliveredCount == 0) {
        rings_.pop_back();
    }
    wake();  // the link's thread may be watching the rings there were
}

void ReceiverLink::onFrame(std::uint32_t generation, std::uint32_t slot, const FrameInfo& info) {
    ReceivedFrame frame;
    frame.arrivedAt = nowNs();
    const auto ring = std::find_if(rings_.begin(), rings_.end(),
                                   [&](const auto& r) { return r->generation == generation; });
    if (ring == rings_.end()) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer sent a frame in ring {}, which is not in use", generation));
    }
    auto lease = (*ring)->pool->adopt(slot);
    if (!lease) {
        throw Error(ErrorKind::Peer, fmt::format("the peer sent slot {} of ring {}, which it was not given",
                                                 slot, generation));
    }
    frame.lease = std::move(*lease);
    (*ring)->delivered[slot] = true;
    ++(*ring)->deliveredCount;
    const auto format = formats_.find(info.epoch);
    if (format == formats_.end() || info.payloadBytes != format->second->payloadBytes) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer sent a frame of {} bytes in epoch {}, which was not announced so",
                                info.payloadBytes, info.epoch));
    }
    if (info.sequence < nextSequence_) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer sent frame {} after frame {}", info.sequence, nextSequence_));
    }
    frame.format = format->second;
    frame.info = info;
    frame.clockKnown = peerClock().known();
    frame.postedAt = peerClock().toLocal(info.postedAt);
    frame.submittedAt = peerClock().toLocal(info.submittedAt);
    frame.capturedAt = peerClock().toLocal(info.capturedAt);
    countFrame(frame);
    if (!shared_.queue.push(std::move(frame))) {
        throw Error(ErrorKind::Peer, "the peer sent more frames than there are slots");
    }
}

void ReceiverLink::countFrame(const ReceivedFrame& frame) {
    if (received_ > 0) {
        shared_.framesMissing += frame.info.sequence - nextSequence_;
    }
    nextSequence_ = frame.info.sequence + 1;
    ++received_;
    ++shared_.framesReceived;
    shared_.bytes += frame.info.payloadBytes;
    const std::uint64_t copied = channel().payloadBytesCopied();
    shared_.bytesCopied += copied - std::exchange(bytesCopied_, copied);
    if ((frame.info.flags & kFrameDamaged) != 0) {
        ++shared_.framesCorrupt;
    }
    TimestampNs none = 0;
    shared_.firstAt.compare_exchange_strong(none, frame.arrivedAt);
    shared_.lastAt = frame.arrivedAt;
    if (peerClock().known()) {
        shared_.clockError = peerClock().errorNs();
    }
}

bool ReceiverLink::giveCredits(Ring& ring) {
    std::array<std::uint16_t, kMaxSlots> slots;
    std::size_t count = 0;
    ring.pool->takeFree([&](std::uint32_t slot) {
        slots[count++] = static_cast<std::uint16_t>(slot);
        if (ring.delivered[slot]) {
            ring.delivered[slot] = false;
            --ring.deliveredCount;
        }
    });
    if (count == 0) {
        return false;
    }
    std::array<std::byte, kMaxCreditBytes> buffer;
    const std::size_t length = encodeCredit(buffer, ring.generation, std::span(slots).first(count));
    send(std::span<const std::byte>(buffer).first(length));
    return true;
}

bool ReceiverLink::sendInput(const InputMessage& message) {
    constexpr std::size_t kMostQueued = 512;
    {
        const std::lock_guard lock(inputMutex_);
        if (input_.size() == kMostQueued) {
            return false;
        }
        input_.push_back(encodeMessage(message));
        anyInput_ = true;
    }
    wake();
    return true;
}

bool ReceiverLink::flushInput() {
    if (!anyInput_.load(std::memory_order_relaxed)) {
        return false;
    }
    const std::lock_guard lock(inputMutex_);
    bool worked = false;
    while (!input_.empty() && channel().hasRoomToSpare() &&
           channel().sendMessage(input_.front()) == Status::Ok) {
        input_.pop_front();
        worked = true;
    }
    anyInput_ = !input_.empty();
    return worked;
}

bool ReceiverLink::step() {
    bool worked = beginEpoch();
    worked |= flushInput();
    for (const auto& ring : rings_) {
        worked |= giveCredits(*ring);
    }
    return finishStream() || worked;
}

bool ReceiverLink::finishStream() {
    if (!endAnnounced_ || received_ < framesAnnounced_ || !shared_.queue.empty()) {
        return false;
    }
    const TimestampNs now = nowNs();
    consumedAt_ = consumedAt_ == 0 ? now : consumedAt_;
    const bool held =
        std::any_of(rings_.begin(), rings_.end(), [](const auto& ring) { return ring->deliveredCount > 0; });
    if (held && now - consumedAt_ < kLastLeasePatience) {
        return false;
    }
    sendReport();
    send(encodeMessage(Bye{"end of stream"}));
    end(LinkEnd::Kind::Orderly, endReason_);
    return true;
}

void ReceiverLink::armExtra() {
    for (const auto& ring : rings_) {
        ring->pool->freed().arm();
    }
}

void ReceiverLink::disarmExtra() {
    for (const auto& ring : rings_) {
        ring->pool->freed().disarm();
    }
}

void ReceiverLink::addExtraDescriptors(std::vector<int>& descriptors) const {
    for (const auto& ring : rings_) {
        descriptors.push_back(ring->pool->freed().descriptor());
    }
}

void ReceiverLink::onTick(TimestampNs now) {
    if (now - lastReport_ >= kSecond) {
        lastReport_ = now;
        sendReport();
    }
}

void ReceiverLink::onStopping() {
    sendReport();
}

void ReceiverLink::sendReport() {
    Report report;
    report.received = shared_.framesReceived;
    report.shown = shared_.framesShown;
    report.skipped = shared_.framesSkipped;
    report.latency = shared_.latency.snapshot().percentiles();
    report.clockErrorUs = static_cast<double>(shared_.clockError.load()) / 1000.0;
    send(encodeMessage(report));
}

}  // namespace verbcast
