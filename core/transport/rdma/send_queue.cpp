#include "core/transport/rdma/send_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace verbcast {
namespace {

// Messages up to this size are copied here and go inline in the request if the device takes that many bytes.
constexpr std::size_t kMaxInlineBytes = 256;

std::uint32_t usableDepth(const QueuePort& port) {
    const std::uint32_t depth = std::min(port.limits().sendDepth, kMaxSendDepth);
    if (depth < 64) {
        throw Error(ErrorKind::Device,
                    fmt::format("{} allows {} requests in a queue, 64 needed", port.deviceName(), depth));
    }
    return depth;
}

}  // namespace

SendQueue::SendQueue(QueuePort& port)
    : port_(port),
      depth_(usableDepth(port)),
      buffers_(*port.domain(), kSendBuffers * kMaxWireMessageBytes, MemoryUse::LocalRead) {
    for (std::uint32_t index = 0; index < kSendBuffers; ++index) {
        free_[freeCount_++] = index;
    }
}

Status SendQueue::postMessage(const MessageHeader& header, std::span<const std::byte> payload,
                              bool signalled) {
    const std::size_t bytes = sizeof header + payload.size();
    std::array<std::byte, kMaxInlineBytes> small;
    PortSend send;
    send.isInline = bytes <= std::min<std::size_t>(port_.limits().inlineBytes, small.size());
    std::byte* buffer = small.data();
    if (!send.isInline) {
        if (freeCount_ == 0) {
            return Status::Busy;
        }
        const std::uint32_t index = free_[--freeCount_];
        buffer = buffers_.data() + index * kMaxWireMessageBytes;
        send.localHandle = buffers_.registration().localHandle;
        inUse_[inUseTail_++ % kSendBuffers] = {posted_ + 1, index};
    }
    std::memcpy(buffer, &header, sizeof header);
    std::copy(payload.begin(), payload.end(), buffer + sizeof header);
    send.bytes = {buffer, bytes};
    send.signalled = signalled || !send.isInline;
    send.workId = take(send.signalled);
    return port_.send(send) ? Status::Ok : Status::Closed;
}

void SendQueue::retire(std::uint64_t workId) {
    retired_ = static_cast<std::uint32_t>(workId);
    retiredPayload_ = payloadAt_[retired_ % kMaxSendDepth];
    while (inUseHead_ != inUseTail_ && isRetired(inUse_[inUseHead_ % kSendBuffers].sequence)) {
        free_[freeCount_++] = inUse_[inUseHead_++ % kSendBuffers].index;
    }
}

}  // namespace verbcast
