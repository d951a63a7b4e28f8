// Frames over the data connection: one half sends them, the other receives them. Each connection is used in
// one direction.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/transport/epoll_set.h"
#include "core/transport/frame_path.h"
#include "core/transport/tcp/frame_reader.h"
#include "core/transport/tcp/frame_writer.h"
#include "core/transport/tcp/news.h"
#include "core/transport/tcp/tcp_connection.h"

namespace verbcast::tcp {

/// Offers are empty: a TCP peer needs to know only a ring's shape. Any memory that the processor can reach is
/// usable as it is.
class TcpPath final : public TransportPath {
  public:
    /// Shared with the connection's channel. Throws Error{Resource} when there are no descriptors left.
    explicit TcpPath(std::shared_ptr<TcpConnection> connection);

    void setHandler(FrameHandler* handler) override { handler_ = handler; }
    int waitDescriptor() const override { return watch_.descriptor(); }
    Progress poll() override;
    bool readyToSleep() override;
    void slept(bool readable) override;
    std::optional<Import> reaches(const Memory& memory) const override;
    void prepare(const std::shared_ptr<FramePool>&) override {}
    void offer(RingId ring, std::shared_ptr<FramePool> pool) override;
    void retire(RingId ring) override { reader_.removeRing(ring); }
    std::shared_ptr<FramePool> accept(RingId ring, const RingShape& shape,
                                      std::span<const std::byte> offer) override;
    void forget(RingId ring) override { std::erase(targets_, ring); }
    Status send(const OutgoingFrame& frame) override;
    std::uint64_t payloadBytesMoved() const override {
        return writer_.payloadBytesSent() + reader_.payloadBytesReceived();
    }
    std::uint64_t payloadBytesCopied() const override { return payloadBytesMoved(); }

  private:
    std::shared_ptr<TcpConnection> connection_;
    FrameHandler* handler_ = nullptr;
    SocketWatch watch_;
    FrameWriter writer_;
    FrameReader reader_;
    News arrivals_;
    std::vector<RingId> targets_;    // the peer's rings that frames may go to
    std::optional<RingId> offered_;  // the newest
    std::optional<RingId> accepted_;
};

}  // namespace verbcast::tcp
