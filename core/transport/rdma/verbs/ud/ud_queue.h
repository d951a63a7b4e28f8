// A queue pair for unreliable datagrams that has joined a multicast group.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/os/deadline.h"
#include "core/transport/multicast/group_address.h"
#include "core/transport/rdma/registered_buffer.h"
#include "core/transport/rdma/verbs/cm_events.h"
#include "core/transport/rdma/verbs/completion_queue.h"
#include "core/transport/rdma/verbs/verbs_domain.h"
#include "core/transport/rdma/verbs/verbs_handles.h"

namespace verbcast {

/// Throws Error{Device} with ud::deviceFor()'s reason if no device leads to the interface.
void requireDevice(const multicast::GroupInterface& interface);

enum class UdUse {
    Send,
    Receive,
};

/// Members are in creation order. Thread-bound, except for what does not change.
class UdQueue {
  public:
    /// Opened on the device that owns the interface's address, and joined. Blocks for up to two seconds while
    /// the network answers. Throws Error{Device, Resource, Network}.
    UdQueue(const multicast::GroupAddress& address, const multicast::GroupInterface& interface, UdUse use);
    ~UdQueue() { stop(); }
    UdQueue(const UdQueue&) = delete;
    UdQueue& operator=(const UdQueue&) = delete;

    ibv_qp* pair() const { return id_->qp; }
    VerbsDomain& domain() { return domain_; }
    CompletionQueue& completions() { return *completions_; }
    int eventDescriptor() const { return events_.descriptor(); }
    std::uint32_t mtu() const { return mtu_; }
    std::uint32_t depth() const { return depth_; }  ///< sends or receives that may be posted
    std::uint64_t bitRate() const { return bitRate_; }
    /// Where to send, as told by the network.
    const rdma_ud_param& group() const { return group_; }
    std::array<std::byte, 16> groupId() const;
    std::array<std::byte, 16> ownId() const { return ownId_; }
    std::string describe() const;

    /// Checks, by a system call, whether the device or the group has gone.
    void takeEvents() noexcept;
    void fail(const std::string& why) noexcept;
    const std::string& failure() const { return failure_; }
    /// Once it returns, nothing posted is read or written any more.
    void stop() noexcept;

  private:
    void measure(const multicast::GroupInterface& interface, UdUse use);
    void createQueuePair(UdUse use);
    void join(UdUse use);
    std::optional<CmEvent> answer(Deadline deadline);

    const std::string what_;
    sockaddr_in address_{};
    std::optional<DeviceUse> use_;  // destroyed after the id
    CmEvents events_;
    CmIdHandle id_;
    std::string name_;
    std::uint32_t mtu_ = 0, depth_ = 0;
    std::uint64_t bitRate_ = 0;
    VerbsDomain domain_;
    std::optional<CompletionQueue> completions_;
    QueuePairHandle queuePair_;
    rdma_ud_param group_{};
    std::array<std::byte, 16> ownId_{};
    bool joined_ = false;
    std::string failure_;
};

}  // namespace verbcast
