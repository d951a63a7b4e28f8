// The sink's half of the data connection: reads frames from the socket straight into their slots.
#pragma once

#include <array>
#include <vector>

#include "core/transport/block_walk.h"
#include "core/transport/frame_path.h"
#include "core/transport/tcp/tcp_connection.h"
#include "core/transport/tcp/tcp_wire.h"

namespace verbcast::tcp {

/// Thread-bound.
class FrameReader {
  public:
    void addRing(RingId ring) { rings_.push_back(ring); }
    void removeRing(RingId ring) { std::erase(rings_, ring); }

    /// Whether the peer may send any: it was given a ring.
    bool expectsFrames() const { return !rings_.empty() || atPayload(); }
    /// Reads a piece of one frame, for which it waits where frames come fast; else what is available. False
    /// if nothing was. Throws Error{Peer} for impossible values, and reads nothing afterwards: the rest of
    /// the stream cannot be interpreted.
    bool receive(TcpConnection& connection, FrameHandler& handler);
    /// Call before sleeping: in the middle of a payload only a sizeable piece is worth a wake-up.
    void setWakeThreshold(const TcpConnection& connection);

    std::uint64_t payloadBytesReceived() const { return payloadBytes_; }

  private:
    bool receiveSome(TcpConnection& connection, FrameHandler& handler);
    bool receiveHead(TcpConnection& connection);
    void sizeHead();
    void beginPayload(FrameHandler& handler);
    bool receivePayload(TcpConnection& connection);
    void setWakeThreshold(const TcpConnection& connection, int bytes);
    bool atPayload() const { return target_.pool != nullptr; }

    std::vector<RingId> rings_;  // rings that the peer may write into
    std::array<std::byte, kMaxHeadBytes> head_;
    std::size_t headWanted_ = kFixedHeadBytes;
    std::size_t headGot_ = 0;
    DataHeader header_{};
    FrameInfo info_;
    FrameTarget target_;  // keeps the memory while the payload arrives, whatever happens to the ring
    BlockWalk payload_;
    std::uint64_t payloadBytes_ = 0;
    bool comesFast_ = true;  // pieces are worth waiting for
    int wakeThreshold_ = 1;
    bool outOfStep_ = false;
};

}  // namespace verbcast::tcp
