// The source's half of the data connection: sends frames straight from their slots.
#pragma once

#include <array>
#include <memory>

#include "core/transport/block_walk.h"
#include "core/transport/frame_path.h"
#include "core/transport/tcp/news.h"
#include "core/transport/tcp/tcp_connection.h"
#include "core/transport/tcp/tcp_wire.h"

namespace verbcast::tcp {

/// Thread-bound.
class FrameWriter {
  public:
    /// No room for another frame: one is on the wire, one is next.
    bool full() const { return count_ == frames_.size(); }
    bool empty() const { return count_ == 0; }
    /// Not when full. `bytes` is the result of requireSendable().
    void add(const OutgoingFrame& frame, std::uint64_t bytes);
    /// Sends what the socket accepts, in a bounded number of calls. False if nothing moved.
    bool flush(TcpConnection& connection, FrameHandler& handler);

    /// See FramePath.
    void slept(bool readable) {
        if (!empty()) {
            room_.slept(readable);
        }
    }

    std::uint64_t payloadBytesSent() const { return payloadBytes_; }

  private:
    struct Frame {
        std::shared_ptr<FramePool> pool;  // shared: kept alive until the frame is out, whatever happens
        std::uint32_t slot = 0;
        std::array<std::byte, kMaxHeadBytes> head;
        std::size_t headBytes = 0;
        std::size_t headSent = 0;
        BlockWalk payload;
    };
    enum class Sent { Nothing, Some, All };  // of what one call gave
    Sent sendSome(TcpConnection& connection, Frame& frame);

    std::array<Frame, 2> frames_{};  // a ring: the frame on the wire and the next one
    std::size_t first_ = 0;
    std::size_t count_ = 0;
    News room_;  // in the socket's buffer
    std::uint64_t payloadBytes_ = 0;
};

}  // namespace verbcast::tcp
