// A channel over two TCP connections: control and pixels, so that neither waits for the other.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"
#include "core/transport/tcp/tcp_wire.h"
#include "core/transport/transport.h"

namespace verbcast::tcp {

class TcpChannel final : public Channel {
  public:
    /// Both sockets are connected, past their preambles and non-blocking.
    TcpChannel(UniqueFd control, UniqueFd data);

    const ChannelDescription& description() const override { return description_; }
    int waitDescriptor() const override { return epoll_.get(); }
    Progress process(ChannelHandler& handler) override;
    bool readyToSleep() override;
    bool spinHelps() const override { return false; }
    std::uint64_t bytesReceived() const override { return bytesReceived_; }
    std::uint64_t payloadBytesCopied() const override { return payloadBytesCopied_; }
    Status sendMessage(std::span<const std::byte> message) override;
    bool hasRoomToSpare() const override;
    bool takesReadOnly(const std::shared_ptr<FramePool>& /*pool*/) override { return true; }
    void setSourcePool(std::uint32_t generation, std::shared_ptr<FramePool> pool) override;
    void setSinkPool(std::uint32_t generation, std::shared_ptr<FramePool> pool) override;
    Status sendFrame(const OutgoingFrame& frame) override;
    void close() override;
    const std::string& closeReason() const override { return closeReason_; }

  private:
    struct SendingFrame {
        std::uint32_t localSlot = 0;
        DataHeader header{};
        std::shared_ptr<FramePool> pool;  // shared: a pool that was replaced lives until its frames are out
        std::uint64_t sent = 0;           // header included
    };
    struct SinkPool {
        std::uint32_t generation = 0;
        std::shared_ptr<FramePool> pool;  // shared with the receiver, whose leases outlive this channel
    };

    // tcp_channel.cpp: control
    void queueControl(ControlKind kind, std::span<const std::byte> payload);
    bool flushControl();
    bool receiveControl(ChannelHandler& handler);
    void handleControl(ChannelHandler& handler, ControlKind kind, std::span<const std::byte> payload);
    void watch(int socket, std::uint32_t& current, std::uint32_t wanted) const;
    void fail(std::string reason);

    // tcp_datapath.cpp: pixels
    bool flushFrames(ChannelHandler& handler);
    bool receiveFrames(ChannelHandler& handler);
    bool receiveHeader();
    void setWakeThreshold();
    const std::shared_ptr<FramePool>& sinkPoolFor(const DataHeader& header) const;

    ChannelDescription description_;
    UniqueFd control_;
    UniqueFd data_;
    UniqueFd epoll_;
    std::uint32_t controlEvents_ = 0;
    std::uint32_t dataEvents_ = 0;
    std::string closeReason_;
    std::uint64_t bytesReceived_ = 0;
    std::uint64_t payloadBytesCopied_ = 0;

    std::vector<std::byte> controlOut_;
    std::size_t controlOutSent_ = 0;
    std::vector<std::byte> controlIn_;

    std::shared_ptr<FramePool> sourcePool_;  // shared: the source keeps capturing into it
    std::uint32_t peerGeneration_ = 0;
    std::array<SendingFrame, 2> sending_;  // a ring: the one on the wire and the next
    std::size_t sendingCount_ = 0;

    std::array<SinkPool, 2> sinkPools_;  // current and, until the first frame of it, the one before
    DataHeader incoming_{};
    std::size_t incomingHeaderBytes_ = 0;
    std::uint64_t incomingPayloadBytes_ = 0;
    std::byte* incomingSlot_ = nullptr;
    std::shared_ptr<FramePool> incomingPool_;  // of incomingSlot_: it lives until the payload has ended
    int wakeThreshold_ = 1;
};

}  // namespace verbcast::tcp
