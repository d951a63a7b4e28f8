// The RDMA data path: everything that happens per frame at the source.
//
// A frame's way from source to sink:
//   1. send() looks up addresses and keys and copies the FrameInfo into a registered notice.
//   2. pump() chains RDMA WRITEs of up to ChunkWindow::chunkBytes() from the source's slot into the
//      sink's, while the window is not full. Some are signalled: their completions drive the pump and
//      adapt the window.
//   3. The last request is an RDMA WRITE of the FrameRecord into the sink's table, with ring and slot as
//      immediate (or, without immediates, a SEND of the notice). Its completion is onFrameSent().
//   4. At the sink the immediate's completion announces the frame: RingTable::arrived() copies and checks
//      the info; the session's handler does the rest.
//
// Copies: none of the payload; FrameInfo once at each end.
//
// Ordering: if PortLimits::keepsOrder is set (a reliable verbs connection executes requests in order, and the
// immediate's completion is generated after all data before it is visible to the sink's host: IBTA o9-20),
// the notice is posted behind the payload, no memory is polled and no fence is needed. Otherwise the notice
// waits for the payload's completion, which then means that it is in place.
//
// No allocation, lock or log per frame, and no system call unless the thread was asleep. Cost:
// tests/core/transport/rdma/verbs_versus_perftest, which compares verbs_bench with ib_write_bw.
#include "core/transport/rdma/frame_sender.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/transport/path_checks.h"

namespace verbcast {

FrameSender::FrameSender(QueuePort& port, SendQueue& queue, const MessageCredits& credits,
                         BackgroundTasks& tasks, const FrameSenderOptions& options)
    : port_(port),
      queue_(queue),
      credits_(credits),
      tasks_(tasks),
      immediates_(options.immediates),
      window_(options.chunkBytes),
      notices_(*port.domain(), kFramesInFlight * sizeof(FrameNoticeMessage), MemoryUse::LocalRead) {}

void FrameSender::prepare(const std::shared_ptr<FramePool>& pool) {
    const auto domain = port_.domain();
    if (const std::string reason = domain->cannotSendFrom(*pool->memory()); !reason.empty()) {
        throw Error(ErrorKind::Resource, "frames cannot be sent from this memory: " + reason);
    }
    std::erase_if(sources_, [&](const Source& source) { return source.pool.expired() || source.of(pool); });
    SourceRegistration registration = domain->sources().find(*pool->memory());
    if (!registration && pool->memory()->size() <= kRegisterAtOnceBytes) {
        registration = domain->sources().registerSource(pool->memory());
    }
    sources_.push_back({pool, registration});
    if (registration) {
        return;
    }
    tasks_.start([this, domain, pool] {
        auto made = domain->sources().registerSource(pool->memory());
        return [this, pool, made] { use(pool, made); };
    });
}

/// We may already hold frames from that pool.
void FrameSender::use(const std::shared_ptr<FramePool>& pool, const SourceRegistration& registration) {
    for (Source& source : sources_) {
        if (source.of(pool)) {
            source.registration = registration;
        }
    }
    for (FrameInFlight& frame : frames_) {
        if (frame.pool == pool) {
            frame.registration = registration;
        }
    }
}

void FrameSender::accept(RingId ring, const RingShape& shape, std::span<const std::byte> offer) {
    requireAcceptable(ring, newest_, shape);
    const RingOffer decoded = decodeOffer(shape, offer);
    newest_ = ring;
    targets_.push_back({ring, shape, decoded});
}

void FrameSender::drop() {
    for (FrameInFlight& frame : frames_) {
        frame.pool.reset();
        frame.registration.reset();
    }
    sources_.clear();
}

FrameNoticeMessage& FrameSender::notice(const FrameInFlight& frame) const {
    return reinterpret_cast<FrameNoticeMessage*>(notices_.data())[&frame - frames_.data()];
}

Status FrameSender::send(const OutgoingFrame& frame) {
    const auto source = std::ranges::find_if(sources_, [&](const Source& one) { return one.of(frame.pool); });
    const auto target = std::ranges::find(targets_, frame.ring, &Target::ring);
    const std::uint64_t bytes = requireSendable(frame, source != sources_.end() && target != targets_.end());
    if (frame.remoteSlot >= target->shape.slotCount || frame.info.payloadBytes > target->shape.slotBytes) {
        throw Error(ErrorKind::Internal, fmt::format("{} bytes fit no slot {} of ring {}",
                                                     frame.info.payloadBytes, frame.remoteSlot, frame.ring));
    }
    if (tail_ - head_ == kFramesInFlight) {
        return Status::Busy;
    }
    FrameInFlight& flight = frames_[tail_ % kFramesInFlight];
    flight.from.begin(frame.from.empty() ? frame.blocks : frame.from, frame.info.payloadBytes);
    flight.into.begin(frame.blocks, frame.info.payloadBytes);
    flight.localSlot = frame.localSlot;
    flight.remoteSlot = frame.remoteSlot;
    flight.complete = false;
    flight.lastSequence = queue_.retired();
    flight.pool = frame.pool;
    flight.registration = source->registration;
    flight.target = *target;
    FrameNoticeMessage& message = notice(flight);
    message.header.kind = MessageKind::Frame;
    message.notice = {frame.ring, frame.remoteSlot, {bytes, frame.info}};
    ++tail_;
    pump();
    return port_.failure().empty() ? Status::Ok : Status::Closed;
}

void FrameSender::pump() {
    for (std::uint32_t index = head_; index != tail_; ++index) {
        FrameInFlight& frame = frames_[index % kFramesInFlight];
        if (!frame.complete && (!frame.registration || !pumpFrame(frame))) {
            break;
        }
    }
}

/// True once the whole frame is posted.
bool FrameSender::pumpFrame(FrameInFlight& frame) {
    const bool keepsOrder = port_.limits().keepsOrder;
    while (!frame.complete) {
        std::array<PortWrite, kMaxWriteChain> chain;
        std::size_t count = 0;
        while (count < chain.size() && !frame.complete && queue_.room() > kRoomForMessages) {
            if (frame.into.left() > 0) {
                if (window_.full()) {
                    break;
                }
                chain[count++] = payloadWrite(frame);
            } else if (immediates_ && (keepsOrder || queue_.isRetired(frame.lastSequence))) {
                chain[count++] = noticeWrite(frame);
                frame.complete = true;
            } else {
                break;
            }
        }
        if (count > 0 && !port_.write({chain.data(), count})) {
            return false;
        }
        const bool noticeIsDue = !immediates_ && !frame.complete && frame.into.left() == 0 &&
                                 (keepsOrder || queue_.isRetired(frame.lastSequence));
        if (noticeIsDue && !sendNotice(frame)) {
            return false;
        }
        if (count == 0) {
            break;
        }
    }
    return frame.complete;
}

PortWrite FrameSender::payloadWrite(FrameInFlight& frame) {
    if (frame.registration->readsMapping) {
        static_cast<void>(frame.pool->slotData(frame.localSlot));
    }
    const BlockWalk::Run from = frame.from.run();
    const BlockWalk::Run into = frame.into.run();
    const auto bytes =
        static_cast<std::uint32_t>(std::min({std::uint64_t{window_.chunkBytes()}, from.bytes, into.bytes}));
    frame.from.advance(bytes);
    frame.into.advance(bytes);
    const std::uint64_t remoteSlot = frame.remoteSlot * frame.target.shape.slotBytes;
    PortWrite write;
    write.fromAddress =
        frame.registration->localAddress + frame.localSlot * frame.pool->slotBytes() + from.offset;
    write.localHandle = frame.registration->handleOf(frame.localSlot);
    write.remoteAddress = frame.target.offer.payloadAddress + remoteSlot + into.offset;
    write.remoteKey = frame.target.offer.payloadKey;
    write.bytes = bytes;
    const bool last = frame.into.left() == 0;
    const bool keepsOrder = port_.limits().keepsOrder;
    // The notice follows the last one, or waits for it.
    write.signalled = window_.post(bytes, last && keepsOrder) || (last && !keepsOrder);
    write.workId = queue_.take(write.signalled, bytes);
    frame.lastSequence = queue_.posted();
    return write;
}

/// The request that announces the frame to the sink. Always signalled.
PortWrite FrameSender::noticeWrite(FrameInFlight& frame) {
    const FrameNoticeMessage& message = notice(frame);
    PortWrite write;
    write.fromAddress = reinterpret_cast<std::uint64_t>(&message.notice.record);
    write.localHandle = notices_.registration().localHandle;
    write.remoteAddress = frame.target.offer.infoAddress + frame.remoteSlot * kFrameRecordBytes;
    write.remoteKey = frame.target.offer.infoKey;
    write.bytes = static_cast<std::uint32_t>(frameRecordBytes(message.notice.record));
    write.hasImmediate = true;
    write.immediate = makeImmediate(frame.target.ring, frame.remoteSlot);
    write.signalled = true;
    write.workId = queue_.take(write.signalled);
    frame.lastSequence = queue_.posted();
    return write;
}

/// False if there is no room now, or the queue has failed.
bool FrameSender::sendNotice(FrameInFlight& frame) {
    if (queue_.room() <= kRoomForMessages) {
        return false;
    }
    FrameNoticeMessage& message = notice(frame);
    message.header.consumed = credits_.told();
    PortSend send;
    send.bytes = {reinterpret_cast<const std::byte*>(&message),
                  kMessageHeaderBytes + frameNoticeBytes(message.notice.record.info)};
    send.localHandle = notices_.registration().localHandle;
    send.signalled = true;
    send.workId = queue_.take(send.signalled);
    frame.lastSequence = queue_.posted();
    frame.complete = true;
    return port_.send(send);
}

void FrameSender::retire(FrameHandler& handler) {
    window_.retire(queue_.retiredPayload());
    while (head_ != tail_) {
        FrameInFlight& frame = frames_[head_ % kFramesInFlight];
        if (!frame.complete || !queue_.isRetired(frame.lastSequence)) {
            break;
        }
        const std::uint32_t slot = frame.localSlot;
        frame.pool.reset();
        frame.registration.reset();
        ++head_;
        handler.onFrameSent(slot);
    }
}

}  // namespace verbcast
