// The verbs data path: everything that happens per message and per frame.
//
// A frame, source to sink:
//   1. sendFrame() looks up addresses and keys and copies the 128-byte FrameInfo into a registered notice.
//   2. pumpFrames() chains RDMA WRITEs of up to chunkBytes_ from the source's slot into the sink's, at most
//      chunkWindow_ unretired. Some are signalled: their completions pump on and fit the window.
//   3. The last request is an RDMA WRITE of the FrameInfo into the sink's table, with slot and generation
//      as immediate (or, without immediates, a SEND of the notice). Its completion is onFrameSent().
//   4. At the sink the immediate's completion is the frame: post the receive again, copy the info, check
//      it, and call onFrame().
//
// Copies: none of the payload; FrameInfo once at each end; a message once at each end.
//
// Ordering: a reliable connection executes requests in order, and the immediate's completion is generated
// after all data before it is visible to this host (IBTA o9-20), so no memory is polled and no fence is
// needed; ibv_poll_cq orders our loads after the completion.
//
// No allocation, lock or log happens per frame or message, and no system call unless the thread was asleep.
// Cost: tests/rdma/verbs_versus_perftest, which holds verbs_bench beside ib_write_bw.
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/transport/verbs/verbs_channel.h"
#include "core/transport/verbs/verbs_errors.h"

namespace verbcast {
namespace {

// A work id of a send holds what its completion retires: all sequences and all chunks up to itself.
constexpr std::uint64_t kSendFlag = 1ULL << 63;
constexpr std::uint64_t sendWorkId(std::uint32_t sequence, std::uint16_t chunks) {
    return kSendFlag | (static_cast<std::uint64_t>(chunks) << 32) | sequence;
}

// Well below the session's 900 ms of patience, for emulated devices that move a chunk in 50 ms.
constexpr TimestampNs kMessageWait = 100'000'000;

// Places in the send queue that frames leave to messages, and sessions' messages to ours.
constexpr std::uint32_t kRoomForMessages = 32;
constexpr std::uint32_t kRoomForControl = 4;
// Small messages are unsignalled; one in this many is signalled, so that the queue's places come back.
constexpr std::uint32_t kSignalInterval = 16;
// Requests that are handed to the device in one call.
constexpr std::size_t kChain = 8;

static_assert(kSendDepth > kRoomForMessages + kRoomForControl + kSignalInterval);

}  // namespace

std::uint64_t VerbsChannel::nextWorkId() {
    return sendWorkId(++postedSequence_, chunksPosted_);
}

bool VerbsChannel::handleCompletions(ChannelHandler& handler) {
    if (batchNext_ == batchCount_) {
        const int count = endpoint_->completions().poll(batch_);
        if (count <= 0) {
            if (count < 0 && disconnectReason_.empty()) {
                disconnectReason_ = "the completion queue failed";
            }
            return false;
        }
        batchNext_ = 0;
        batchCount_ = static_cast<std::size_t>(count);
    }
    const bool handshaking = awaitingHello_;
    while (batchNext_ < batchCount_ && !closed_ && handshaking == awaitingHello_) {
        handleCompletion(batch_[batchNext_++], handler);
    }
    return true;
}

void VerbsChannel::handleCompletion(const ibv_wc& completion, ChannelHandler& handler) {
    if (completion.status != IBV_WC_SUCCESS) {
        failCompletion(completion);
    } else if ((completion.wr_id & kSendFlag) != 0) {
        handleSent(completion.wr_id, handler);
    } else if (completion.opcode == IBV_WC_RECV_RDMA_WITH_IMM) {
        handleImmediate(completion, handler);
    } else {
        handleMessage(completion, handler);
    }
}

void VerbsChannel::handleSent(std::uint64_t workId, ChannelHandler& handler) {
    retiredSequence_ = static_cast<std::uint32_t>(workId);
    retireChunks(static_cast<std::uint16_t>(static_cast<std::uint16_t>(workId >> 32) - chunksRetired_));
    while (buffersHead_ != buffersTail_) {
        const BufferInUse& buffer = buffersInUse_[buffersHead_ % kSendBuffers];
        if (static_cast<std::int32_t>(retiredSequence_ - buffer.sequence) < 0) {
            break;
        }
        freeBuffers_[freeBufferCount_++] = buffer.index;
        ++buffersHead_;
    }
    while (framesHead_ != framesTail_) {
        FrameInFlight& frame = frames_[framesHead_ % kFramesInFlight];
        if (!frame.complete || static_cast<std::int32_t>(retiredSequence_ - frame.lastSequence) < 0) {
            break;
        }
        const std::uint32_t slot = frame.localSlot;
        frame.source = {};
        ++framesHead_;
        handler.onFrameSent(slot);
    }
}

/// Fits the window to the device's speed, so that a message waits at most about kMessageWait behind payload.
void VerbsChannel::retireChunks(std::uint16_t retired) {
    if (retired == 0) {
        return;
    }
    chunksRetired_ = static_cast<std::uint16_t>(chunksRetired_ + retired);
    const TimestampNs now = nowNs();
    if (chunkClock_ != 0) {
        const TimestampNs fitting = kMessageWait * retired / std::max<TimestampNs>(now - chunkClock_, 1);
        chunkWindow_ =
            static_cast<std::uint16_t>(std::clamp<TimestampNs>(fitting, smallestWindow_, largestWindow_));
    }
    chunkClock_ = chunksPosted_ == chunksRetired_ ? 0 : now;
}

void VerbsChannel::handleImmediate(const ibv_wc& completion, ChannelHandler& handler) {
    if (const int code = endpoint_->postReceive(static_cast<std::uint32_t>(completion.wr_id)); code != 0) {
        failPost(code);
        return;
    }
    const std::uint32_t immediate = ntohl(completion.imm_data);
    deliverFrame(generationOfImmediate(immediate), slotOfImmediate(immediate), nullptr, handler);
}

void VerbsChannel::handleMessage(const ibv_wc& completion, ChannelHandler& handler) {
    // Copied, so that the receive is posted again before the handler runs, however long that takes.
    const auto index = static_cast<std::uint32_t>(completion.wr_id);
    const std::size_t bytes = std::min<std::size_t>(completion.byte_len, incoming_.size());
    std::memcpy(incoming_.data(), endpoint_->receiveData(index), bytes);
    if (const int code = endpoint_->postReceive(index); code != 0) {
        failPost(code);
        return;
    }
    bytesReceived_ += bytes;
    if (bytes < kMessageHeaderBytes) {
        throw Error(ErrorKind::Peer, fmt::format("the peer sent a message of {} bytes", bytes));
    }
    MessageHeader header;
    std::memcpy(&header, incoming_.data(), sizeof header);
    const auto payload = std::span<const std::byte>(incoming_).first(bytes).subspan(kMessageHeaderBytes);
    if (awaitingHello_ != (header.kind == MessageKind::Hello)) {
        throw Error(ErrorKind::Peer, "the peer's messages do not start with one Hello");
    }
    takeCredits(header.consumed);
    consumed_ += needsCredit(header.kind) ? 1 : 0;
    switch (header.kind) {
        case MessageKind::Hello:
            awaitingHello_ = false;
            return;
        case MessageKind::Session:
            handler.onMessage(payload);
            return;
        case MessageKind::Pool:
            handlePool(payload, handler);
            return;
        case MessageKind::Credits:
        case MessageKind::Alive:
            return;
        case MessageKind::Frame: {
            FrameNotice notice;
            if (payload.size() != sizeof notice) {
                throw Error(ErrorKind::Peer,
                            fmt::format("the peer sent a frame notice of {} bytes, {} expected",
                                        payload.size(), sizeof notice));
            }
            std::memcpy(&notice, payload.data(), sizeof notice);
            deliverFrame(static_cast<std::uint16_t>(notice.generation), notice.slot, &notice.info, handler);
            return;
        }
        case MessageKind::Close:
            shut("the peer closed the connection");
            return;
    }
    throw Error(ErrorKind::Peer,
                fmt::format("the peer sent a message of the unknown kind {}", static_cast<int>(header.kind)));
}

void VerbsChannel::deliverFrame(std::uint16_t generation, std::uint32_t slot, const FrameInfo* notice,
                                ChannelHandler& handler) {
    const auto sink = std::find_if(sinkPools_.begin(), sinkPools_.end(), [&](const SinkPool& candidate) {
        return static_cast<std::uint16_t>(candidate.generation) == generation;
    });
    if (sink == sinkPools_.end() || slot >= sink->pool->slotCount()) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer wrote into slot {} of pool generation {}, which it was not given",
                                slot, generation));
    }
    // Copied before it is checked: the peer could still change the table.
    FrameInfo info;
    std::memcpy(&info,
                notice != nullptr ? notice : reinterpret_cast<const FrameInfo*>(sink->infos.data()) + slot,
                sizeof info);
    if (info.payloadBytes > sink->pool->slotBytes()) {
        throw Error(ErrorKind::Peer, fmt::format("the peer says that {} bytes are in a slot of {}",
                                                 info.payloadBytes, sink->pool->slotBytes()));
    }
    bytesReceived_ += info.payloadBytes + kFrameInfoBytes;
    const std::uint32_t wholeGeneration = sink->generation;
    dropSinkPoolsBefore(wholeGeneration);
    handler.onFrame(wholeGeneration, slot, info);
}

Status VerbsChannel::postMessage(MessageKind kind, std::span<const std::byte> payload) {
    const bool credited = needsCredit(kind);
    if ((credited && creditsLeft() == 0) || sendRoom() <= (credited ? kRoomForControl : 0)) {
        return Status::Busy;
    }
    MessageHeader header;
    header.kind = kind;
    header.consumed = consumed_;
    std::array<ibv_sge, 2> entries{};
    entries[0].addr = reinterpret_cast<std::uint64_t>(&header);
    entries[0].length = sizeof header;
    entries[1].addr = reinterpret_cast<std::uint64_t>(payload.data());
    entries[1].length = static_cast<std::uint32_t>(payload.size());
    ibv_send_wr request{};
    request.opcode = IBV_WR_SEND;
    request.sg_list = entries.data();
    request.num_sge = payload.empty() ? 1 : 2;
    const bool isInline = sizeof header + payload.size() <= endpoint_->limits().inlineBytes;
    if (isInline) {
        request.send_flags = IBV_SEND_INLINE;
    } else {
        if (freeBufferCount_ == 0) {
            return Status::Busy;
        }
        const std::uint32_t index = freeBuffers_[--freeBufferCount_];
        std::byte* buffer = endpoint_->sendBuffer(index);
        std::memcpy(buffer, &header, sizeof header);
        std::copy(payload.begin(), payload.end(), buffer + sizeof header);
        entries[0].addr = reinterpret_cast<std::uint64_t>(buffer);
        entries[0].length = static_cast<std::uint32_t>(sizeof header + payload.size());
        entries[0].lkey = endpoint_->sendBuffersKey();
        request.num_sge = 1;
        buffersInUse_[buffersTail_++ % kSendBuffers] = {postedSequence_ + 1, index};
    }
    request.wr_id = nextWorkId();
    if (!isInline || kind == MessageKind::Close || postedSequence_ - signalledSequence_ >= kSignalInterval) {
        request.send_flags |= IBV_SEND_SIGNALED;
        signalledSequence_ = postedSequence_;
    }
    ibv_send_wr* failed = nullptr;
    if (const int code = ibv_post_send(endpoint_->queuePair(), &request, &failed); code != 0) {
        failPost(code);
        return Status::Closed;
    }
    messagesSent_ += credited ? 1 : 0;
    consumedTold_ = consumed_;
    return Status::Ok;
}

bool VerbsChannel::hasRoomToSpare() const {
    // The peer tells what it has taken once that is half of the credits, so waiting for less would not end.
    return held_.empty() && creditsLeft() > peer_.messageCredits / 2 && sendRoom() > kRoomForMessages &&
           freeBufferCount_ > kSendBuffers / 2;
}

Status VerbsChannel::sendFrame(const OutgoingFrame& frame) {
    if (closed_ || closeRequested_) {
        return Status::Closed;
    }
    if (framesTail_ - framesHead_ == kFramesInFlight) {
        return Status::Busy;
    }
    const std::uint64_t bytes = frame.info.payloadBytes;
    if (!peerPool_ || !sourcePool_.pool || frame.remoteSlot >= peerPool_->slotCount ||
        bytes > peerPool_->slotBytes || frame.localSlot >= sourcePool_.pool->slotCount() ||
        bytes > sourcePool_.pool->slotBytes()) {
        throw Error(ErrorKind::Internal,
                    fmt::format("sendFrame: {} bytes from slot {} to slot {} fit no announced pool", bytes,
                                frame.localSlot, frame.remoteSlot));
    }
    const std::uint32_t noticeIndex = framesTail_ % kFramesInFlight;
    FrameInFlight& flight = frames_[noticeIndex];
    flight.localSlot = frame.localSlot;
    flight.remoteAddress = peerPool_->poolAddress + frame.remoteSlot * peerPool_->slotBytes;
    flight.posted = 0;
    flight.total = bytes;
    flight.remoteKey = peerPool_->poolKey;
    flight.infoKey = peerPool_->infoKey;
    flight.infoAddress = peerPool_->infoAddress + frame.remoteSlot * kFrameInfoBytes;
    flight.immediate = makeImmediate(peerPool_->generation, frame.remoteSlot);
    flight.noticeIndex = noticeIndex;
    flight.complete = false;
    flight.source = sourcePool_;
    if (sourcePool_.registration) {
        flight.useRegistration(sourcePool_.registration);
    }
    FrameNoticeMessage& message = endpoint_->notice(noticeIndex);
    message.header.kind = MessageKind::Frame;
    message.notice = {peerPool_->generation, frame.remoteSlot, frame.info};
    ++framesTail_;
    pumpFrames();
    return closed_ ? Status::Closed : Status::Ok;
}

/// Posts what the window allows, oldest frame first. False when the connection failed.
bool VerbsChannel::pumpFrames() {
    for (std::uint32_t index = framesHead_; index != framesTail_ && !closeRequested_; ++index) {
        FrameInFlight& frame = frames_[index % kFramesInFlight];
        if (!frame.complete && (!frame.source.registration || !pumpFrame(frame) || !frame.complete)) {
            break;
        }
    }
    return !closed_;
}

bool VerbsChannel::pumpFrame(FrameInFlight& frame) {
    while (!closed_ && !frame.complete) {
        std::array<ibv_send_wr, kChain> requests{};
        std::array<ibv_sge, kChain> entries{};
        std::size_t count = 0;
        while (count < kChain && !frame.complete && sendRoom() > kRoomForMessages) {
            ibv_send_wr& request = requests[count];
            ibv_sge& entry = entries[count];
            request.sg_list = &entry;
            request.num_sge = 1;
            if (frame.posted == frame.total) {
                prepareNotice(frame, entry, request);
                frame.complete = true;
            } else {
                if (static_cast<std::uint16_t>(chunksPosted_ - chunksRetired_) >= chunkWindow_) {
                    break;
                }
                entry.addr = frame.localAddress + frame.posted;
                entry.length = static_cast<std::uint32_t>(
                    std::min<std::uint64_t>(chunkBytes_, frame.total - frame.posted));
                entry.lkey = frame.localKey;
                request.opcode = IBV_WR_RDMA_WRITE;
                request.wr.rdma.remote_addr = frame.remoteAddress + frame.posted;
                request.wr.rdma.rkey = frame.remoteKey;
                frame.posted += entry.length;
                ++chunksPosted_;
                const bool signal = chunksPosted_ % signalledChunks_ == 0;
                request.send_flags = signal ? static_cast<unsigned>(IBV_SEND_SIGNALED) : 0U;
            }
            request.wr_id = nextWorkId();
            if ((request.send_flags & IBV_SEND_SIGNALED) != 0) {
                signalledSequence_ = postedSequence_;
            }
            if (count > 0) {
                requests[count - 1].next = &request;
            }
            ++count;
        }
        if (count == 0) {
            break;
        }
        frame.lastSequence = postedSequence_;
        ibv_send_wr* failed = nullptr;
        if (const int code = ibv_post_send(endpoint_->queuePair(), requests.data(), &failed); code != 0) {
            failPost(code);
        }
    }
    return !closed_;
}

/// The request that makes the frame known to the sink. Always signalled.
void VerbsChannel::prepareNotice(const FrameInFlight& frame, ibv_sge& entry, ibv_send_wr& request) {
    FrameNoticeMessage& message = endpoint_->notice(frame.noticeIndex);
    entry.lkey = endpoint_->noticesKey();
    request.send_flags = IBV_SEND_SIGNALED;
    if (useImmediates_) {
        entry.addr = reinterpret_cast<std::uint64_t>(&message.notice.info);
        entry.length = kFrameInfoBytes;
        request.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
        request.imm_data = htonl(frame.immediate);
        request.wr.rdma.remote_addr = frame.infoAddress;
        request.wr.rdma.rkey = frame.infoKey;
    } else {
        message.header.consumed = consumedTold_;
        entry.addr = reinterpret_cast<std::uint64_t>(&message);
        entry.length = sizeof message;
        request.opcode = IBV_WR_SEND;
    }
}

}  // namespace verbcast
