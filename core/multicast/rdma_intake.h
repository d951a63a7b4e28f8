// Receives a group by RDMA. Steps for a datagram: 1. check its source, head, size and tag where it lies, in
// the receive ring; 2. copy its payload to where it belongs; 3. post its place in the ring again, with up to
// 63 others. No allocation, no lock. What it costs: tests/core/multicast/multicast_rdma.py
#pragma once

#include "core/multicast/group_intake.h"
#include "core/transport/multicast/group_port.h"

namespace verbcast {

/// Payload copies: one, from the receive ring, and another one for encrypted chunks.
class RdmaIntake final : public GroupIntake {
  public:
    /// `receiver`: shared with the task that opened it; objectionTo() has none to it.
    RdmaIntake(const multicast::GroupAddress& group, const std::string& interface,
               std::shared_ptr<multicast::GroupReceiver> receiver, const GroupOffer& offer,
               const GroupUdOffer& udOffer, DatagramKeys& keys, GroupTally& tally);
    /// Why the offered frames cannot come by it; empty if they can.
    static std::string objectionTo(const multicast::GroupReceiver& ring, const GroupOffer& offer,
                                   const GroupUdOffer& udOffer);

    std::string describe() const override { return "RDMA, " + receiver_->describe(); }
    void tellJoined(GroupChannel& channel) const override {
        channel.tell(GroupUdJoined{receiver_->bitRate()});
    }
    std::string whySilent() const override;
    std::vector<int> descriptors() const override;
    bool receive(FrameAssembly& frames) override;
    bool arm(FrameAssembly& frames) override;
    std::string failure() const override { return receiver_->failure(); }
    void countFrame() override { ++tally_.stats.rdmaFrames; }

  private:
    std::string_view otherStream() const override {
        return "another stream to the same group: by RDMA groups have no ports";
    }
    void take(FrameAssembly& frames, const multicast::GroupDatagram& datagram, TimestampNs now);

    const std::string interface_;
    const multicast::GroupOrigin from_;  // the sender
    const std::shared_ptr<multicast::GroupReceiver> receiver_;
    std::vector<std::byte> opened_;  // a decrypted chunk
};

}  // namespace verbcast
