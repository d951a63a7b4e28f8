// Per frame: one sendmsg (head and start of the payload) and as many more as the socket's buffer requires,
// each gathering up to kMaxParts rows, straight from the slot. The kernel copies each byte once; nothing here
// copies payload. No allocation, no lock. Cost: `transport_bench tcp` prints it beside a plain send/recv loop
// over equal rings.
#include "core/transport/tcp/frame_writer.h"

#include <limits.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace verbcast::tcp {
namespace {

constexpr std::size_t kMaxParts = 512;  // rows of a rectangle in one call, plus the head
static_assert(kMaxParts <= IOV_MAX);
// After that it is the messages' turn. One call sends as much as the socket accepts, or kMaxParts rows.
constexpr int kMaxCallsPerTurn = 8;

}  // namespace

void FrameWriter::add(const OutgoingFrame& frame, std::uint64_t bytes) {
    Frame& next = frames_[(first_ + count_++) % frames_.size()];
    next.pool = frame.pool;
    next.slot = frame.localSlot;
    next.payload.begin(frame.from.empty() ? frame.blocks : frame.from, frame.info.payloadBytes);
    next.headSent = 0;
    next.headBytes = 0;
    const auto put = [&](const void* data, std::size_t size) {
        std::memcpy(next.head.data() + next.headBytes, data, size);
        next.headBytes += size;
    };
    const DataHeader header{kDataMagic, frame.ring, frame.remoteSlot,
                            static_cast<std::uint32_t>(frame.blocks.size()), bytes};
    put(&header, sizeof header);
    put(&frame.info, frameInfoBytes(frame.info));
    if (!frame.blocks.empty()) {
        put(frame.blocks.data(), frame.blocks.size_bytes());
    }
}

bool FrameWriter::flush(TcpConnection& connection, FrameHandler& handler) {
    bool worked = false;
    bool room = count_ == 0 || room_.expected();
    for (int calls = 0; calls < kMaxCallsPerTurn && count_ > 0 && room; ++calls) {
        Frame& frame = frames_[first_];
        const Sent sent = sendSome(connection, frame);
        if (sent != Sent::All) {
            room = false;
            room_.exhausted();
        }
        if (sent == Sent::Nothing) {
            return worked;
        }
        worked = true;
        if (frame.payload.left() == 0) {
            const std::uint32_t slot = frame.slot;
            frame.pool.reset();
            first_ = (first_ + 1) % frames_.size();
            --count_;
            handler.onFrameSent(slot);
        }
    }
    return worked;
}

FrameWriter::Sent FrameWriter::sendSome(TcpConnection& connection, Frame& frame) {
    std::array<iovec, kMaxParts> parts;
    std::size_t count = 0;
    if (frame.headSent < frame.headBytes) {
        parts[count++] = {frame.head.data() + frame.headSent, frame.headBytes - frame.headSent};
    }
    count += frame.payload.gather(frame.pool->slotData(frame.slot), std::span(parts).subspan(count));
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    const auto sent = ::sendmsg(connection.data(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent <= 0) {
        if (sent < 0 && errno != EAGAIN && errno != EINTR) {
            connection.end("sending a frame: " + errnoText(errno));
        }
        return Sent::Nothing;
    }
    const auto ofHead = std::min(static_cast<std::size_t>(sent), frame.headBytes - frame.headSent);
    const std::uint64_t ofPayload = static_cast<std::size_t>(sent) - ofHead;
    frame.headSent += ofHead;
    frame.payload.advance(ofPayload);
    payloadBytes_ += ofPayload;  // copied from the slot into the kernel's buffers
    std::size_t wanted = 0;
    for (const iovec& part : std::span(parts).first(count)) {
        wanted += part.iov_len;
    }
    return static_cast<std::size_t>(sent) == wanted ? Sent::All : Sent::Some;
}

}  // namespace verbcast::tcp
