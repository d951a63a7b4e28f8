// Per frame: one recv of the head (two if rectangles or blocks follow it), then recvmsg straight into the
// rows of the slot, a piece at a time. The kernel copies each byte once; nothing here copies payload. No
// allocation, no lock. Everything the peer says is checked in 64 bits before a byte of payload is accepted.
#include "core/transport/tcp/frame_reader.h"

#include <fmt/format.h>
#include <limits.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/transport/path_checks.h"

namespace verbcast::tcp {
namespace {

constexpr std::size_t kMaxRows = 512;  // per call
static_assert(kMaxRows <= IOV_MAX);
/// Of payload. Less is not worth a wake-up, and waiting for so much costs fewer system calls.
constexpr std::uint64_t kPiece = 256U << 10;
/// After a piece slower than 4 Gb/s the next are not waited for.
constexpr TimestampNs kWorthWaiting = 500'000;

}  // namespace

bool FrameReader::receive(TcpConnection& connection, FrameHandler& handler) {
    if (outOfStep_) {
        return false;
    }
    try {
        return receiveSome(connection, handler);
    } catch (...) {
        outOfStep_ = true;
        throw;
    }
}

bool FrameReader::receiveSome(TcpConnection& connection, FrameHandler& handler) {
    bool worked = false;
    if (!atPayload()) {
        worked = receiveHead(connection);
        if (headGot_ < headWanted_) {
            return worked;
        }
        beginPayload(handler);
    }
    worked |= receivePayload(connection);
    if (payload_.left() == 0) {
        // Released before the handler hears of the frame: it may offer or retire rings.
        target_ = {};
        headGot_ = 0;
        headWanted_ = kFixedHeadBytes;
        handler.onFrame(header_.ring, header_.slot, info_);
    }
    return worked;
}

bool FrameReader::receiveHead(TcpConnection& connection) {
    bool worked = false;
    while (headGot_ < headWanted_) {  // completed at most twice
        const auto got =
            ::recv(connection.data(), head_.data() + headGot_, headWanted_ - headGot_, MSG_DONTWAIT);
        if (const std::string failure = receiveFailure(got, errno); !failure.empty()) {
            connection.end(failure);
        }
        if (got <= 0) {
            break;
        }
        worked = true;
        connection.addReceived(static_cast<std::uint64_t>(got));
        headGot_ += static_cast<std::size_t>(got);
        if (headGot_ == kFixedHeadBytes) {
            sizeHead();
        }
    }
    return worked;
}

void FrameReader::sizeHead() {
    std::memcpy(&header_, head_.data(), sizeof header_);
    info_ = frameInfoFrom(std::span(head_).subspan(sizeof header_, kFrameInfoHeadBytes));
    if (header_.magic != kDataMagic) {
        throw Error(ErrorKind::Peer, "the peer's data connection is out of step");
    }
    if (header_.blockCount > kMaxByteBlocks || info_.rectCount > kMaxFrameRects) {
        throw Error(ErrorKind::Peer, fmt::format("the peer sends a frame in {} blocks and {} rectangles",
                                                 header_.blockCount, info_.rectCount));
    }
    headWanted_ =
        sizeof header_ + frameInfoBytes(info_) + std::size_t{header_.blockCount} * sizeof(ByteBlock);
}

void FrameReader::beginPayload(FrameHandler& handler) {
    const std::size_t infoBytes = frameInfoBytes(info_);
    info_ = frameInfoFrom(std::span(head_).subspan(sizeof header_, infoBytes));
    std::array<ByteBlock, kMaxByteBlocks> blocks;
    std::memcpy(blocks.data(), head_.data() + sizeof header_ + infoBytes,
                header_.blockCount * sizeof(ByteBlock));
    const auto sent = std::span<const ByteBlock>(blocks).first(header_.blockCount);

    if (std::ranges::find(rings_, header_.ring) == rings_.end()) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer writes into ring {}, which it was not given", header_.ring));
    }
    const auto bytes = bytesOfBlocks(sent, info_.payloadBytes);
    if (!bytes || *bytes != header_.payloadBytes) {
        throw Error(ErrorKind::Peer,
                    fmt::format("the peer sends {} bytes in {} blocks as a frame of {}", header_.payloadBytes,
                                header_.blockCount, info_.payloadBytes));
    }
    FrameTarget target = handler.beginFrame(header_.ring, header_.slot, info_);
    if (!target.pool || target.slot >= target.pool->slotCount() || !target.pool->memory()->writable()) {
        throw Error(ErrorKind::Internal, fmt::format("no slot for a frame of ring {}", header_.ring));
    }
    if (info_.payloadBytes > target.pool->slotBytes()) {
        throw Error(ErrorKind::Peer, fmt::format("the peer sends {} bytes into a slot of {}",
                                                 info_.payloadBytes, target.pool->slotBytes()));
    }
    if (!liesWithin(sent, target.within)) {
        throw Error(ErrorKind::Peer, fmt::format("the peer writes beside its part of slot {}", header_.slot));
    }
    payload_.begin(sent, info_.payloadBytes);
    target_ = std::move(target);
}

bool FrameReader::receivePayload(TcpConnection& connection) {
    std::array<iovec, kMaxRows> rows;
    msghdr message{};
    message.msg_iov = rows.data();
    // The blocks of a changed part are too small to be worth it.
    const bool waits = comesFast_ && header_.blockCount == 0;
    if (waits) {
        setWakeThreshold(connection, 1);  // the kernel heeds it while we wait, too
    }
    const std::uint64_t most = waits ? kPiece : UINT64_MAX;
    message.msg_iovlen = payload_.gather(target_.pool->slotData(target_.slot), rows, most);
    const TimestampNs began = nowNs();
    const auto got = ::recvmsg(connection.data(), &message, waits ? MSG_WAITALL : MSG_DONTWAIT);
    if (const std::string failure = receiveFailure(got, errno); !failure.empty()) {
        connection.end(failure + " (within a frame)");
    }
    comesFast_ =
        waits ? nowNs() - began < kWorthWaiting : comesFast_ || got >= static_cast<std::int64_t>(kPiece);
    if (got <= 0) {
        return false;
    }
    connection.addReceived(static_cast<std::uint64_t>(got));
    connection.noteFlow(waits && comesFast_);
    payload_.advance(static_cast<std::uint64_t>(got));
    payloadBytes_ += static_cast<std::uint64_t>(got);  // copied from the kernel's buffers into the slot
    return true;
}

void FrameReader::setWakeThreshold(const TcpConnection& connection) {
    setWakeThreshold(connection, atPayload() ? static_cast<int>(std::min(kPiece, payload_.left())) : 1);
}

void FrameReader::setWakeThreshold(const TcpConnection& connection, int wanted) {
    if (wanted != wakeThreshold_) {
        ::setsockopt(connection.data(), SOL_SOCKET, SO_RCVLOWAT, &wanted, sizeof wanted);
        wakeThreshold_ = wanted;
    }
}

}  // namespace verbcast::tcp
