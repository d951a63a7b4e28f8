// The sending end of a group over verbs.
#pragma once

#include <array>

#include "core/transport/multicast/group_port.h"
#include "core/transport/rdma/registered_buffer.h"
#include "core/transport/rdma/verbs/ud/ud_queue.h"

namespace verbcast {

/// Sends from its own ring, into which datagrams are copied. Thread-bound.
class UdSender final : public multicast::GroupPort {
  public:
    UdSender(const multicast::GroupAddress& address, const multicast::GroupInterface& interface, int ttl);
    ~UdSender() override { queue_.stop(); }

    std::array<std::byte, 16> group() const override { return queue_.groupId(); }
    std::string describe() const override { return "RDMA, " + queue_.describe(); }
    multicast::GroupOrigin origin() const override { return {queue_.ownId(), queue_.pair()->qp_num}; }
    std::size_t datagramBytes() const override { return queue_.mtu(); }
    std::size_t overheadBytes() const override { return kPacketOverhead; }
    std::size_t burstBytes() const override { return kMaxBurst * queue_.mtu(); }
    std::uint64_t bitRate() const override { return queue_.bitRate(); }
    Sent send(std::span<const iovec> pieces, std::size_t datagramBytes, std::size_t bytes) override;
    int roomDescriptor() const override { return room_; }
    bool awaitRoom() override;
    int eventDescriptor() const override { return queue_.eventDescriptor(); }
    void takeEvents() override { queue_.takeEvents(); }
    const std::string& failure() const override { return queue_.failure(); }

  private:
    void reclaim();

    /// IPv4, UDP and the transport's own headers (BTH, DETH, ICRC), as in RoCE v2; InfiniBand's are not
    /// larger.
    static constexpr std::size_t kPacketOverhead = 20 + 8 + 12 + 8 + 4;

    UdQueue queue_;
    const int room_;
    AddressHandle to_;
    RegisteredBuffer ring_;
    std::uint32_t next_ = 0, free_ = 0;  // positions in the ring
    std::array<ibv_send_wr, kMaxBurst> requests_{};
    std::array<ibv_sge, kMaxBurst> entries_{};
};

}  // namespace verbcast
