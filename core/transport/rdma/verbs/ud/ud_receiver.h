// The receiving end of a group over verbs.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/transport/multicast/group_port.h"
#include "core/transport/rdma/registered_buffer.h"
#include "core/transport/rdma/verbs/ud/ud_queue.h"

namespace verbcast {

/// Receives into its own ring. Thread-bound.
class UdReceiver final : public multicast::GroupReceiver {
  public:
    UdReceiver(const multicast::GroupAddress& address, const multicast::GroupInterface& interface);
    ~UdReceiver() override { queue_.stop(); }

    std::string describe() const override { return queue_.describe(); }
    std::array<std::byte, 16> group() const override { return queue_.groupId(); }
    std::size_t datagramBytes() const override { return queue_.mtu(); }
    std::uint64_t bitRate() const override { return queue_.bitRate(); }
    std::size_t take(std::span<multicast::GroupDatagram> into) override;
    void giveBack() override { post(taken_); }
    std::array<int, 2> descriptors() const override { return {completed_, queue_.eventDescriptor()}; }
    bool arm() override;
    const std::string& failure() const override { return queue_.failure(); }

  private:
    void post(std::vector<std::uint32_t>& places);

    static constexpr std::size_t kBatch = 64;

    UdQueue queue_;
    const int completed_;
    const std::size_t placeBytes_;
    std::uint32_t places_;
    std::unique_ptr<RegisteredBuffer> ring_;
    std::vector<std::uint32_t> taken_;
    std::array<ibv_wc, kBatch> completions_{};
    std::array<ibv_recv_wr, kBatch> requests_{};
    std::array<ibv_sge, kBatch> entries_{};
    unsigned idle_ = 0;
};

}  // namespace verbcast
