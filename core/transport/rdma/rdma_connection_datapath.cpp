// What an RDMA connection does per message and per completion.
//
// A message is copied into the request (or into registered memory if large) and posted; the peer copies it
// out of its receive, which is reposted before the handler runs, however long that takes. A frame's arrival
// is a completion too: see frame_sender_datapath.cpp.
//
// No allocation, lock or log per message, and no system call unless the thread was asleep.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/transport/rdma/rdma_connection.h"

namespace verbcast {

bool RdmaConnection::handleCompletions() {
    if (batchNext_ == batchCount_) {
        batchNext_ = 0;
        batchCount_ = port_->poll(batch_);
    }
    if (batchCount_ == 0) {
        return false;
    }
    const bool handshaking = handshaking_;
    while (batchNext_ < batchCount_ && !state_.closed && handshaking == handshaking_) {
        if (handshaking_ && side_ == ConnectionSide::Connecting && endsHandshake(batch_[batchNext_])) {
            handshaking_ = false;  // what follows is for the session
        } else {
            handleCompletion(batch_[batchNext_++]);
        }
    }
    return true;
}

/// On the connecting side: our Hello has left. Providers without progress of their own send it only while
/// somebody polls, so the connecting side stays here until then.
bool RdmaConnection::endsHandshake(const Completion& completion) const {
    return completion.kind == Completion::Kind::Message || completion.kind == Completion::Kind::Immediate ||
           (completion.kind == Completion::Kind::Sent &&
            static_cast<std::int32_t>(static_cast<std::uint32_t>(completion.workId) - helloSequence_) >= 0);
}

void RdmaConnection::handleCompletion(const Completion& completion) {
    switch (completion.kind) {
        case Completion::Kind::Sent:
            queue_.retire(completion.workId);
            frames_->requestsRetired();
            return;
        case Completion::Kind::Message:
            frames_->rings().peerSpoke();
            handleMessage(completion);
            return;
        case Completion::Kind::Immediate:
            frames_->rings().peerSpoke();
            if (completion.tookReceive && !receives_.repost(completion.workId)) {
                return;  // process() finds the port's failure
            }
            bytesReceived_ += frames_->frameArrived(ringOfImmediate(completion.immediate),
                                                    slotOfImmediate(completion.immediate), nullptr);
            return;
        case Completion::Kind::Failed:
            fail(completion);
            return;
    }
}

void RdmaConnection::handleMessage(const Completion& completion) {
    const std::size_t bytes = std::min<std::size_t>(completion.bytes, incoming_.size());
    std::memcpy(incoming_.data(), receives_.data(completion.workId), bytes);
    if (!receives_.repost(completion.workId)) {
        return;
    }
    bytesReceived_ += bytes;
    if (bytes < kMessageHeaderBytes) {
        throw Error(ErrorKind::Peer, fmt::format("the peer sent a message of {} bytes", bytes));
    }
    MessageHeader header;
    std::memcpy(&header, incoming_.data(), sizeof header);
    if (handshaking_ != (header.kind == MessageKind::Hello)) {
        throw Error(ErrorKind::Peer, "the peer's messages do not start with one Hello");
    }
    credits_.peerTook(header.consumed);
    dispatch(header, std::span<const std::byte>(incoming_).first(bytes).subspan(kMessageHeaderBytes));
}

void RdmaConnection::dispatch(const MessageHeader& header, std::span<const std::byte> payload) {
    switch (header.kind) {
        case MessageKind::Hello:
            handshaking_ = false;
            return;
        case MessageKind::Session:
            credits_.countTaken();
            if (payload.empty()) {
                throw Error(ErrorKind::Peer, "the peer sent a message of 0 bytes");
            }
            if (handler_ != nullptr) {
                handler_->onMessage(payload);
            }
            return;
        case MessageKind::Credits:
            return;
        case MessageKind::Frame: {
            const FrameNotice notice = decodeFrameNotice(payload);
            bytesReceived_ += frames_->frameArrived(notice.ring, notice.slot, &notice.record);
            return;
        }
        case MessageKind::Close:
            shut("the peer closed the connection");
            return;
    }
    throw Error(ErrorKind::Peer,
                fmt::format("the peer sent a message of the unknown kind {}", static_cast<int>(header.kind)));
}

void RdmaConnection::fail(const Completion& completion) {
    port_->checkPeer();
    if (closeSequence_) {
        shut("closed");
    } else if (!port_->failure().empty()) {
        shut(port_->failure());
    } else if (completion.flushed) {
        shut("the peer disconnected");  // iWARP flushes before rdma_cm reports it
    } else {
        shut(port_->statusText(completion));
    }
}

Status RdmaConnection::postMessage(MessageKind kind, std::span<const std::byte> payload) {
    const bool credited = kind == MessageKind::Session;
    if (!port_->failure().empty()) {
        return Status::Closed;
    }
    if ((credited && credits_.left() == 0) || queue_.room() <= (credited ? kRoomForControl : 0)) {
        return Status::Busy;
    }
    MessageHeader header;
    header.kind = kind;
    header.consumed = credits_.taken();
    const Status status =
        queue_.postMessage(header, payload, kind == MessageKind::Close || kind == MessageKind::Hello);
    if (status == Status::Ok) {
        credits_.tell();
        if (credited) {
            credits_.countSent();
        }
    }
    return status;
}

bool RdmaConnection::hasRoomToSpare() const {
    return credits_.halfLeft() && queue_.room() > kRoomForMessages && queue_.halfOfBuffersFree();
}

}  // namespace verbcast
