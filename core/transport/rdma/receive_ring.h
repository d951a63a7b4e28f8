// The receives posted for messages and for frame notices.
#pragma once

#include <cstdint>
#include <vector>

#include "core/transport/rdma/port.h"
#include "core/transport/rdma/rdma_wire.h"
#include "core/transport/rdma/registered_buffer.h"

namespace verbcast {

/// Session messages that a peer may have in flight to us.
inline constexpr std::uint32_t kMessageCredits = 64;
/// Receives for messages that need no credit: Hello and Close once each, and at most two Credits messages.
/// (One is sent when half of the credits are used up; a third would need messages that the first has not yet
/// allowed.)
inline constexpr std::uint32_t kUncreditedReceives = 4;
/// Receives posted from the start; those for rings are added later.
inline constexpr std::uint32_t kBaseReceives = kMessageCredits + kUncreditedReceives;

/// Thread-bound with its connection. Destroy it after the queue has stopped.
class ReceiveRing {
  public:
    /// Posts kBaseReceives, so that the peer may speak as soon as the connection is up. Throws
    /// Error{Resource, Device}.
    explicit ReceiveRing(QueuePort& port);

    /// Makes room for the notices of this many slots; never shrinks. Throws Error{Device} if the queue is not
    /// that deep.
    void makeRoomFor(std::uint32_t slots);

    const std::byte* data(std::uint64_t workId) const;
    /// Posts it again. False if the queue has failed.
    bool repost(std::uint64_t workId);

  private:
    static constexpr std::uint32_t kReceivesPerBlock = 64;
    void grow(std::uint32_t wanted);

    QueuePort& port_;
    std::vector<RegisteredBuffer> blocks_;
    std::uint32_t count_ = 0;
};

}  // namespace verbcast
