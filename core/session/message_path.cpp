#include "core/session/message_path.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/session/messages/messages.h"
#include "core/transport/path_checks.h"

namespace verbcast {
namespace {

/// Of a part, at least: its message less the type and the fields.
constexpr std::size_t kPart = kMaxMessageBytes - 1 - sizeof(FramePart);
static_assert(sizeof(FramePart) >= 4 + 2 + 4 + kFrameInfoHeadBytes);

}  // namespace

Progress MessagePath::poll() {
    bool worked = leaving_ && sendParts();
    while (!left_.empty()) {
        handler_->onFrameSent(left_.pop());
        worked = true;
    }
    return worked ? Progress::Worked : Progress::Idle;
}

std::optional<Import> MessagePath::reaches(const Memory& memory) const {
    return reachedByProcessor(memory);
}

void MessagePath::offer(RingId ring, std::shared_ptr<FramePool> pool) {
    requireOfferable(ring, newestOffered_);
    if (reachesRing(ring, *pool, *handler_)) {
        newestOffered_ = ring;
        offered_.push_back(ring);
        handler_->onOfferReady(ring, {});
    }
}

std::shared_ptr<FramePool> MessagePath::accept(RingId ring, const RingShape& shape,
                                               std::span<const std::byte> offer) {
    requireAcceptable(ring, newestAccepted_, shape);
    if (!offer.empty()) {
        throw peerError("the peer's offer of a ring says more than one for messages can");
    }
    newestAccepted_ = ring;
    accepted_.push_back(ring);
    return nullptr;
}

Status MessagePath::send(const OutgoingFrame& frame) {
    requireSendable(frame, std::ranges::count(accepted_, frame.ring) > 0);
    if (!frame.blocks.empty() || frame.info.rectCount > 0) {
        throw Error(ErrorKind::Internal, "a part of a frame, to be sent as messages");
    }
    if (!messages_.closeReason().empty()) {
        return Status::Closed;
    }
    if (leaving_) {
        return Status::Busy;
    }
    left_.makeRoom();
    leaving_ = Leaving{frame};
    sendParts();
    return Status::Ok;
}

/// Sends what there is room for.
bool MessagePath::sendParts() {
    bool worked = false;
    const OutgoingFrame& frame = leaving_->frame;
    const std::byte* const bytes = frame.pool->slotData(frame.localSlot);
    while (messages_.hasRoomToSpare()) {
        const std::uint64_t offset = leaving_->offset;
        FramePart part{.ring = frame.ring,
                       .slot = static_cast<std::uint16_t>(frame.remoteSlot),
                       .offset = static_cast<std::uint32_t>(offset)};
        std::memcpy(part.head.data(), &frame.info, part.head.size());
        const std::size_t size = std::min<std::uint64_t>(kPart, frame.info.payloadBytes - offset);
        std::array<std::byte, kMaxMessageBytes> buffer;
        WireWriter writer(buffer);
        writer(FramePart::kType);
        writer(part);
        writer.putBytes({bytes + offset, size});
        if (messages_.send(writer.bytes()) != Status::Ok) {
            break;
        }
        worked = true;
        moved_ += size;
        leaving_->offset += size;
        if (leaving_->offset == frame.info.payloadBytes) {
            left_.push(frame.localSlot);
            leaving_.reset();
            break;
        }
    }
    return worked;
}

MessagePath::Arriving MessagePath::begin(RingId ring, std::uint32_t slot, std::span<const std::byte> head) {
    const FrameInfo info = frameInfoFrom(head);
    if (std::ranges::find(offered_, ring) == offered_.end()) {
        throw peerError("the peer writes into ring {}, which it was not given", ring);
    }
    if (info.rectCount > 0 || info.payloadBytes > kMaxMessagePayload) {
        throw peerError("the peer sends a frame of {} bytes in {} rectangles as messages", info.payloadBytes,
                        info.rectCount);
    }
    FrameTarget target = handler_->beginFrame(ring, slot, info);
    if (!target.pool || target.slot >= target.pool->slotCount() || !target.pool->memory()->writable() ||
        info.payloadBytes > target.pool->slotBytes()) {
        throw Error(ErrorKind::Internal, "no slot for a frame that comes as messages");
    }
    return {.ring = ring, .slot = slot, .info = info, .target = std::move(target)};
}

void MessagePath::take(ByteReader& reader) {
    const FramePart part = decodeMessage<FramePart>(reader);
    const auto bytes = reader.getBytes(reader.remaining());
    if (!arriving_ && part.offset == 0) {
        arriving_ = begin(part.ring, part.slot, part.head);
    }
    if (!arriving_ || part.ring != arriving_->ring || part.slot != arriving_->slot ||
        part.offset != arriving_->offset || bytes.empty() ||
        bytes.size() > arriving_->info.payloadBytes - part.offset) {
        throw peerError("the peer sends a part of a frame that does not follow the one before");
    }
    std::memcpy(arriving_->target.pool->slotData(arriving_->target.slot) + part.offset, bytes.data(),
                bytes.size());
    arriving_->offset += bytes.size();
    moved_ += bytes.size();
    if (arriving_->offset == arriving_->info.payloadBytes) {
        const Arriving whole = *std::exchange(arriving_, std::nullopt);
        handler_->onFrame(whole.ring, whole.slot, whole.info);
    }
}

}  // namespace verbcast
