// A channel between two processes of one machine: the source's pool is passed as a sealed memfd over a Unix
// socket, and a frame is one small record that names a slot, in a ring that both map. No pixel is copied.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"
#include "core/transport/shm/shm_ring.h"
#include "core/transport/transport.h"

namespace verbcast::shm {

/// Each record in a ring begins with its kind.
enum class RecordKind : std::uint32_t { SessionMessage = 1, Pool = 2, Frame = 3, KeepWarm = 4 };

/// What the SOCK_SEQPACKET socket carries besides: one packet of this kind each, with a descriptor or
/// without.
enum class PacketKind : std::uint32_t {
    Ring = 0x56430001,      ///< first: the memory of the sender's ring
    Pool = 0x56430002,      ///< the memory of the pool that the record of that kind describes; sent before it
    Doorbell = 0x56430003,  ///< there is something in the ring, or room in it
};

class ShmChannel final : public Channel {
  public:
    /// `socket` is connected and non-blocking.
    ShmChannel(UniqueFd socket, const std::string& name);

    const ChannelDescription& description() const override { return description_; }
    int waitDescriptor() const override { return epoll_.get(); }
    Progress process(ChannelHandler& handler) override;
    Progress processWhileAsleep(ChannelHandler& handler) override;
    bool readyToSleep() override;
    bool readyToDoze() override;
    bool readyToWait() override;
    void wait(std::chrono::nanoseconds timeout) override { incoming_.wait(timeout); }
    void rouse() override { incoming_.rouse(); }
    void descriptorWoke() override { descriptorWoke_ = true; }
    void keepWarm() override;
    bool sendsAtOnce() const override { return true; }
    std::uint64_t bytesReceived() const override { return bytesReceived_; }
    Status sendMessage(std::span<const std::byte> message) override;
    bool hasRoomToSpare() const override;
    void setSourcePool(std::uint32_t generation, std::shared_ptr<FramePool> pool) override;
    void setSinkPool(std::uint32_t generation, std::shared_ptr<FramePool> pool) override;
    Status sendFrame(const OutgoingFrame& frame) override;
    void close() override;
    const std::string& closeReason() const override { return closeReason_; }

  private:
    struct Queued {
        RecordKind kind;
        std::vector<std::byte> payload;
    };
    struct PeerPool {
        std::uint32_t generation = 0;
        std::shared_ptr<FramePool> pool;  // shared with the receiver, whose leases outlive this channel
    };
    enum class SendResult { Sent, Full, Failed };

    Progress processRecords(ChannelHandler& handler);
    SendResult sendPacket(PacketKind kind, int descriptor);
    void ringDoorbell();
    void readSocket();
    bool readPacket();
    void takePacket(PacketKind kind, UniqueFd descriptor);
    bool prepareSleep();
    bool writeRecord(RecordKind kind, std::span<const std::byte> payload);
    Status writeOrQueue(RecordKind kind, std::span<const std::byte> payload);
    bool sendDescriptors();
    bool flushQueue();
    bool readRecord(ChannelHandler& handler);
    void handleRecord(ChannelHandler& handler, std::span<const std::byte> record);
    void handlePool(ChannelHandler& handler, std::span<const std::byte> payload);
    void handleFrame(ChannelHandler& handler, std::span<const std::byte> payload);
    void fail(std::string reason);

    ChannelDescription description_;
    UniqueFd socket_;
    UniqueFd epoll_;
    RingProducer outgoing_;
    RingConsumer incoming_;
    bool armed_ = false;           // the owner said that it would sleep, in one way or the other,
    bool slept_ = false;           // or on the socket: there may be a doorbell
    bool descriptorWoke_ = false;  // there may be one for another thread than the owner
    bool doorbellHeard_ = false;
    TimestampNs socketSeenAt_ = 0;
    std::string peerGone_;  // the socket has ended, but the ring may still hold the peer's last words
    std::string closeReason_;
    std::uint64_t bytesReceived_ = 0;
    std::deque<Queued> queue_;                            // for the ring, which is full
    std::deque<std::shared_ptr<FramePool>> poolsToSend_;  // shared: their descriptors are needed until sent
    bool ringSent_ = false;
    std::deque<UniqueFd> poolDescriptors_;  // received, in order; their records follow in the ring
    std::uint32_t events_ = 0;
    std::uint32_t sourceGeneration_ = 0;
    std::array<PeerPool, 2> peerPools_;  // the newest and the one before it
};

}  // namespace verbcast::shm
