// Frames between two processes of one machine: the source's rings are passed as sealed memory, and a frame is
// a record that names one of their slots. No pixel is copied.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/transport/frame_path.h"
#include "core/transport/shm/shm_socket.h"

namespace verbcast::shm {

class ShmChannel;

/// The memory itself is passed over the channel's socket; only offers of device memory carry data. Owned by
/// the channel, and served by its process().
class ShmPath final : public TransportPath {
  public:
    explicit ShmPath(ShmChannel& channel) : channel_(channel) {}

    void setHandler(FrameHandler* handler) override { handler_ = handler; }
    bool sharesMemory() const override { return true; }
    void peerUsesDevice(const std::string& sharingId) override { peerDevice_ = sharingId; }
    void useDevice(const std::shared_ptr<const DeviceAllocator>& device) override { device_ = device; }
    std::optional<Import> reaches(const Memory& memory) const override;
    void prepare(const std::shared_ptr<FramePool>&) override {}
    void offer(RingId ring, std::shared_ptr<FramePool> pool) override;
    void retire(RingId ring) override {
        std::erase_if(rings_, [=](const Ring& one) { return one.id == ring; });
    }
    std::shared_ptr<FramePool> accept(RingId ring, const RingShape& shape,
                                      std::span<const std::byte> offer) override;
    void forget(RingId) override {}
    UniqueFd takeDeathSocket(RingId ring) override;
    Status send(const OutgoingFrame& frame) override;
    std::uint64_t payloadBytesMoved() const override { return payloadBytes_; }

    /// `body` is what follows the kind of a frame's record. Throws Error{Peer} for impossible values.
    void handleRecord(std::span<const std::byte> body);

  private:
    struct Ring {
        RingId id;
        std::weak_ptr<FramePool> pool;  // the source's
        UniqueFd deathSocket;
    };

    std::shared_ptr<FramePool> mapDevice(RingId ring, const RingShape& shape,
                                         std::span<const std::byte> offer, PassedMemory passed) const;

    ShmChannel& channel_;
    std::string peerDevice_;                         // the sink's device; "": none
    std::shared_ptr<const DeviceAllocator> device_;  // shared with the consumer: where the sink maps rings
    FrameHandler* handler_ = nullptr;
    std::vector<Ring> rings_;         // offered and not retired
    std::optional<RingId> offered_;   // the newest
    std::optional<RingId> accepted_;  // the peer's newest
    std::uint64_t payloadBytes_ = 0;
};

}  // namespace verbcast::shm
