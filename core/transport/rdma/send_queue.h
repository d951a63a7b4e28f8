// The send queue of a connection: which requests are outstanding, and the memory of the messages among them.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/transport/rdma/port.h"
#include "core/transport/rdma/rdma_wire.h"
#include "core/transport/rdma/registered_buffer.h"

namespace verbcast {

/// Requests that may be outstanding, if the device allows that many.
inline constexpr std::uint32_t kMaxSendDepth = 256;
/// Our large messages that the device may not have sent yet.
inline constexpr std::uint32_t kSendBuffers = 32;

// Places in the queue that frames leave for messages, and session messages for our own.
inline constexpr std::uint32_t kRoomForMessages = 32;
inline constexpr std::uint32_t kRoomForControl = 4;

/// Sequences count requests, modulo 2^32; a request is retired when it has completed, by itself or with a
/// later one. Thread-bound with its connection. Destroy it after the queue has stopped.
class SendQueue {
  public:
    /// Throws Error{Resource}.
    explicit SendQueue(QueuePort& port);

    std::uint32_t room() const { return depth_ - (posted_ - retired_); }
    std::uint32_t posted() const { return posted_; }
    std::uint32_t retired() const { return retired_; }
    bool isRetired(std::uint32_t sequence) const {
        return static_cast<std::int32_t>(retired_ - sequence) >= 0;
    }

    /// Posts a message; header and payload are copied. Busy without a free buffer; Closed if the queue has
    /// failed. The caller has checked room().
    Status postMessage(const MessageHeader& header, std::span<const std::byte> payload, bool signalled);
    /// QueuePort::openWindow(). The caller has checked room().
    std::uint64_t openWindow(const RegisteredMemory& memory, std::span<std::byte> bytes) {
        bool signalled = true;
        return port_.openWindow({.memory = &memory, .bytes = bytes, .workId = take(signalled)});
    }
    /// Of the buffers for large messages.
    bool halfOfBuffersFree() const { return freeCount_ > kSendBuffers / 2; }

    /// Takes the next sequence for a request that is about to be posted, with `payloadBytes` bytes of
    /// payload. `signalled` says whether its completion is wanted, and is set if it is needed to get places
    /// back.
    std::uint32_t take(bool& signalled, std::uint32_t payloadBytes = 0) {
        ++posted_;
        payload_ += payloadBytes;
        payloadAt_[posted_ % kMaxSendDepth] = payload_;
        signalled = signalled || posted_ - signalled_ >= kSignalInterval;
        signalled_ = signalled ? posted_ : signalled_;
        return posted_;
    }

    void retire(std::uint64_t workId);
    std::uint64_t retiredPayload() const { return retiredPayload_; }

  private:
    // At least one request in this many is signalled, so that the queue's places come back.
    static constexpr std::uint32_t kSignalInterval = 16;
    static_assert(kMaxSendDepth > kRoomForMessages + kRoomForControl + kSignalInterval);

    struct BufferInUse {
        std::uint32_t sequence;
        std::uint32_t index;
    };

    QueuePort& port_;
    std::uint32_t depth_;
    RegisteredBuffer buffers_;
    std::uint32_t posted_ = 0;
    std::uint32_t retired_ = 0;
    std::uint32_t signalled_ = 0;
    std::uint64_t payload_ = 0;
    std::uint64_t retiredPayload_ = 0;
    std::array<std::uint64_t, kMaxSendDepth> payloadAt_{};  ///< payload_ when each was posted
    std::array<std::uint32_t, kSendBuffers> free_{};
    std::uint32_t freeCount_ = 0;
    std::array<BufferInUse, kSendBuffers> inUse_{};  ///< a ring in posting order
    std::uint32_t inUseHead_ = 0;
    std::uint32_t inUseTail_ = 0;
};

}  // namespace verbcast
