// The path of pixels over tcp. Per frame at the source: one sendmsg (header and the start of the payload) and
// as many sends as the socket's buffer makes necessary, straight from the slot; at the sink: recv of the
// header, then recv straight into the slot. The kernel copies each byte once at either end; nothing here
// copies. No allocation, no lock. Cost: `build/dev/tests/transport/transport_bench tcp` prints it beside a
// plain send/recv loop over equal rings.
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "core/transport/tcp/tcp_channel.h"

namespace verbcast::tcp {

Status TcpChannel::sendFrame(const OutgoingFrame& frame) {
    if (!closeReason_.empty()) {
        return Status::Closed;
    }
    if (sendingCount_ == sending_.size()) {
        return Status::Busy;
    }
    SendingFrame& next = sending_[sendingCount_++];
    next.localSlot = frame.localSlot;
    next.header = {kDataMagic, peerGeneration_, frame.remoteSlot, 0, frame.info};
    next.pool = sourcePool_;
    next.sent = 0;
    return Status::Ok;
}

bool TcpChannel::flushFrames(ChannelHandler& handler) {
    bool worked = false;
    while (sendingCount_ > 0) {
        SendingFrame& frame = sending_[0];
        std::array<iovec, 2> parts{};
        std::size_t count = 0;
        const std::uint64_t total = sizeof frame.header + frame.header.info.payloadBytes;
        if (frame.sent < sizeof frame.header) {
            parts[count++] = {reinterpret_cast<std::byte*>(&frame.header) + frame.sent,
                              sizeof frame.header - frame.sent};
        }
        const std::uint64_t payloadSent =
            frame.sent > sizeof frame.header ? frame.sent - sizeof frame.header : 0;
        parts[count++] = {frame.pool->slotData(frame.localSlot) + payloadSent,
                          frame.header.info.payloadBytes - payloadSent};
        msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = count;
        const auto sent = ::sendmsg(data_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno != EAGAIN && errno != EINTR) {
                fail(fmt::format("sending a frame: {}", errnoText(errno)));
            }
            return worked;
        }
        worked = true;
        frame.sent += static_cast<std::uint64_t>(sent);
        // What went beyond the header was copied from the slot into the kernel's buffers.
        payloadBytesCopied_ +=
            (frame.sent > sizeof frame.header ? frame.sent - sizeof frame.header : 0) - payloadSent;
        if (frame.sent < total) {
            return worked;  // the socket is full: look at the control connection first
        }
        const std::uint32_t slot = frame.localSlot;
        std::swap(sending_[0], sending_[1]);
        sending_[--sendingCount_].pool.reset();
        handler.onFrameSent(slot);
    }
    return worked;
}

const std::shared_ptr<FramePool>& TcpChannel::sinkPoolFor(const DataHeader& header) const {
    if (header.magic != kDataMagic) {
        throw Error(ErrorKind::Peer, "the peer's pixel connection is out of step");
    }
    for (const SinkPool& candidate : sinkPools_) {
        if (candidate.pool && candidate.generation == header.generation) {
            if (!candidate.pool->isTaken(header.slot)) {
                throw Error(ErrorKind::Peer,
                            fmt::format("the peer writes into slot {}, which it was not given", header.slot));
            }
            if (header.info.payloadBytes == 0 || header.info.payloadBytes > candidate.pool->slotBytes()) {
                throw Error(ErrorKind::Peer,
                            fmt::format("the peer sends {} bytes into a slot of {}", header.info.payloadBytes,
                                        candidate.pool->slotBytes()));
            }
            return candidate.pool;
        }
    }
    throw Error(ErrorKind::Peer,
                fmt::format("the peer writes into ring {}, which does not exist", header.generation));
}

bool TcpChannel::receiveHeader() {
    const auto got = ::recv(data_.get(), reinterpret_cast<std::byte*>(&incoming_) + incomingHeaderBytes_,
                            sizeof incoming_ - incomingHeaderBytes_, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return false;
    }
    if (got <= 0) {
        fail(got == 0 ? "the peer closed the connection" : fmt::format("receiving: {}", errnoText(errno)));
        return false;
    }
    bytesReceived_ += static_cast<std::uint64_t>(got);
    incomingHeaderBytes_ += static_cast<std::size_t>(got);
    if (incomingHeaderBytes_ == sizeof incoming_) {
        incomingPool_ = sinkPoolFor(incoming_);
        incomingSlot_ = incomingPool_->slotData(incoming_.slot);
        incomingPayloadBytes_ = 0;
        if (incoming_.generation == sinkPools_[0].generation) {
            sinkPools_[1] = {};  // nothing of the ring before can follow
        }
    }
    return true;
}

void TcpChannel::setWakeThreshold() {
    // In the middle of a payload a wake-up is worth its price only for a good piece of it.
    constexpr std::uint64_t kPiece = 256U << 10;
    std::uint64_t wanted = 1;
    if (incomingHeaderBytes_ == sizeof incoming_) {
        wanted = std::min(kPiece, incoming_.info.payloadBytes - incomingPayloadBytes_);
    }
    const int threshold = static_cast<int>(wanted);
    if (threshold != wakeThreshold_) {
        ::setsockopt(data_.get(), SOL_SOCKET, SO_RCVLOWAT, &threshold, sizeof threshold);
        wakeThreshold_ = threshold;
    }
}

bool TcpChannel::receiveFrames(ChannelHandler& handler) {
    if (incomingHeaderBytes_ < sizeof incoming_ &&
        (!receiveHeader() || incomingHeaderBytes_ < sizeof incoming_)) {
        return false;
    }
    const std::uint64_t wanted = incoming_.info.payloadBytes - incomingPayloadBytes_;
    const auto got = ::recv(data_.get(), incomingSlot_ + incomingPayloadBytes_, wanted, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return false;
    }
    if (got <= 0) {
        fail(got == 0 ? "the peer closed the connection within a frame"
                      : fmt::format("receiving: {}", errnoText(errno)));
        return false;
    }
    bytesReceived_ += static_cast<std::uint64_t>(got);
    incomingPayloadBytes_ += static_cast<std::uint64_t>(got);
    payloadBytesCopied_ += static_cast<std::uint64_t>(got);  // from the kernel's buffers into the slot
    if (incomingPayloadBytes_ == incoming_.info.payloadBytes) {
        incomingHeaderBytes_ = 0;
        incomingPool_.reset();
        handler.onFrame(incoming_.generation, incoming_.slot, incoming_.info);
    }
    return true;
}

}  // namespace verbcast::tcp
