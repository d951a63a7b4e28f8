// The sink's half of the data connection: frames from the socket straight into their slots.
#pragma once

#include <array>
#include <vector>

#include "core/transport/frame_path.h"
#include "core/transport/tcp/block_walk.h"
#include "core/transport/tcp/tcp_connection.h"
#include "core/transport/tcp/tcp_wire.h"

namespace verbcast::tcp {

/// Thread-bound.
class FrameReader {
  public:
    void addRing(RingId ring) { rings_.push_back(ring); }
    void removeRing(RingId ring) { std::erase(rings_, ring); }

    /// Takes what is there of one frame. False when nothing was. Throws Error{Peer} for what cannot be, and
    /// then takes nothing any more: what follows is anybody's guess.
    bool receive(TcpConnection& connection, FrameHandler& handler);
    /// Before sleeping: in the middle of a payload a wake-up is worth its price only for a good piece of it.
    void setWakeThreshold(const TcpConnection& connection);

    std::uint64_t payloadBytesReceived() const { return payloadBytes_; }

  private:
    bool receiveSome(TcpConnection& connection, FrameHandler& handler);
    bool receiveHead(TcpConnection& connection);
    void sizeHead();
    void beginPayload(FrameHandler& handler);
    bool receivePayload(TcpConnection& connection);
    bool atPayload() const { return target_.pool != nullptr; }

    std::vector<RingId> rings_;  // that the peer may write into
    std::array<std::byte, kMaxHeadBytes> head_;
    std::size_t headWanted_ = kFixedHeadBytes;
    std::size_t headGot_ = 0;
    DataHeader header_{};
    FrameInfo info_;
    FrameTarget target_;  // holds the memory while the payload arrives, whatever becomes of the ring
    BlockWalk payload_;
    std::uint64_t payloadBytes_ = 0;
    int wakeThreshold_ = 1;
    bool outOfStep_ = false;
};

}  // namespace verbcast::tcp
