// A channel between two processes of one machine: the source's pool is passed as a sealed memfd over a Unix
// socket, and a frame is one small packet that names a slot. No pixel is copied.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"
#include "core/transport/transport.h"

namespace verbcast::shm {

/// Each packet of the SOCK_SEQPACKET socket begins with its kind.
enum class PacketKind : std::uint32_t { SessionMessage = 1, Pool = 2, Frame = 3 };

class ShmChannel final : public Channel {
  public:
    /// `socket` is connected and non-blocking.
    ShmChannel(UniqueFd socket, const std::string& name);

    const ChannelDescription& description() const override { return description_; }
    int waitDescriptor() const override { return epoll_.get(); }
    Progress process(ChannelHandler& handler) override;
    bool readyToSleep() override;
    std::uint64_t bytesReceived() const override { return bytesReceived_; }
    Status sendMessage(std::span<const std::byte> message) override;
    void setSourcePool(std::uint32_t generation, std::shared_ptr<FramePool> pool) override;
    void setSinkPool(std::uint32_t generation, std::shared_ptr<FramePool> pool) override;
    Status sendFrame(const OutgoingFrame& frame) override;
    void close() override;
    const std::string& closeReason() const override { return closeReason_; }

  private:
    struct Queued {
        std::vector<std::byte> packet;
        std::shared_ptr<FramePool> pool;  // shared: its descriptor is needed until the packet is out
    };
    struct PeerPool {
        std::uint32_t generation = 0;
        std::shared_ptr<FramePool> pool;  // shared with the receiver, whose leases outlive this channel
    };
    enum class SendResult { Sent, Full, Failed };

    SendResult sendPacket(std::span<const iovec> parts, int descriptor);
    Status sendOrQueue(PacketKind kind, std::span<const std::byte> payload, std::shared_ptr<FramePool> pool);
    bool flushQueue();
    bool receivePacket(ChannelHandler& handler);
    void handlePacket(ChannelHandler& handler, std::span<const std::byte> packet, UniqueFd descriptor);
    void handlePool(ChannelHandler& handler, std::span<const std::byte> payload, UniqueFd descriptor);
    void handleFrame(ChannelHandler& handler, std::span<const std::byte> payload);
    void fail(std::string reason);

    ChannelDescription description_;
    UniqueFd socket_;
    UniqueFd epoll_;
    std::uint32_t events_ = 0;
    std::string closeReason_;
    std::uint64_t bytesReceived_ = 0;
    std::deque<Queued> queue_;
    std::uint32_t sourceGeneration_ = 0;
    std::array<PeerPool, 2> peerPools_;  // the newest and the one before it
};

}  // namespace verbcast::shm
