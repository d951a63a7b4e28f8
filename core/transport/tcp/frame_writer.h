// The source's half of the data connection: frames straight from their slots into the socket.
#pragma once

#include <array>
#include <memory>

#include "core/transport/frame_path.h"
#include "core/transport/tcp/block_walk.h"
#include "core/transport/tcp/tcp_connection.h"
#include "core/transport/tcp/tcp_wire.h"

namespace verbcast::tcp {

/// Thread-bound.
class FrameWriter {
  public:
    /// As many frames are on the wire or next as there may be.
    bool full() const { return count_ == frames_.size(); }
    bool empty() const { return count_ == 0; }
    /// Not when full. `bytes` is what requireSendable() gave.
    void add(const OutgoingFrame& frame, std::uint64_t bytes);
    /// Sends what the socket takes, in a bounded number of calls. False when nothing moved.
    bool flush(TcpConnection& connection, FrameHandler& handler);

    std::uint64_t payloadBytesSent() const { return payloadBytes_; }

  private:
    struct Frame {
        std::shared_ptr<FramePool> pool;  // shared: it lives until the frame is out, whatever the source does
        std::uint32_t slot = 0;
        std::array<std::byte, kMaxHeadBytes> head;
        std::size_t headBytes = 0;
        std::size_t headSent = 0;
        BlockWalk payload;
    };
    bool sendSome(TcpConnection& connection, Frame& frame);

    std::array<Frame, 2> frames_{};  // a ring of the one on the wire and the next
    std::size_t first_ = 0;
    std::size_t count_ = 0;
    std::uint64_t payloadBytes_ = 0;
};

}  // namespace verbcast::tcp
