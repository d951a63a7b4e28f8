// The port over libfabric: what connected (ofi_msg.cpp) and connectionless endpoints (ofi_rdm.cpp) share.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/transport/epoll_set.h"
#include "core/transport/rdma/ofi/ofi_domain.h"
#include "core/transport/rdma/ofi/ofi_handles.h"
#include "core/transport/rdma/port.h"
#include "core/transport/rdma/send_queue.h"

namespace verbcast {

/// How its thread sleeps: on the provider's descriptor, after fi_trywait(), if the provider has one.
/// Otherwise (shm) nothing can wake a sleeper, so a timer does: after 50 us at first, then less and less
/// often, up to 1 ms. Messages may be delayed by that much.
class OfiQueue : public QueuePort {
  public:
    ~OfiQueue() override = default;

    const PortLimits& limits() const override { return limits_; }
    std::shared_ptr<PortDomain> domain() const override { return domain_; }
    bool sharesDomain() const override { return onlySends_; }
    std::span<const std::byte> peerGreeting() const override { return peerGreeting_; }
    std::string deviceName() const override;
    std::string describe() const override;
    bool receive(std::uint64_t workId, std::byte* into, std::uint32_t bytes,
                 std::uint64_t localHandle) override;
    bool send(const PortSend& message) override;
    bool write(std::span<const PortWrite> chain) override;
    std::size_t poll(std::span<Completion> completions) override;
    std::string statusText(const Completion& failed) const override;
    std::vector<int> descriptors() const override { return {wait_}; }
    bool arm() override;
    const std::string& failure() const override { return failure_; }

  protected:
    /// Copies `info`. Throws Error{Device, Resource}.
    OfiQueue(const SharedFabric& fabric, const fi_info& info, bool onlySends);

    const fi_info& info() const { return *info_; }
    fid_domain* fabricDomain() const { return domain_->get(); }
    fid_fabric* fabric() const { return domain_->fabric(); }
    fid_ep* endpoint() const { return endpoint_.get(); }
    /// Binds the completion queue and `others`, and enables the endpoint.
    void enable(std::initializer_list<fid*> others);
    /// For connectionless endpoints.
    void setPeer(fi_addr_t peer) { peer_ = peer; }
    void setGreeting(std::vector<std::byte> greeting) { peerGreeting_ = std::move(greeting); }
    void setFailure(const std::string& failure) { failure_ = failure_.empty() ? failure : failure_; }
    /// The provider must not be called any more once checkPeer() has found the peer gone.
    void guardAgainstLostPeer() { guarded_ = true; }
    void alsoWaitFor(fid* object) { waited_.push_back(object); }
    void closeEndpoint() noexcept { endpoint_.reset(); }

  private:
    /// A request or receive. Its address is the context that the provider keeps and writes to.
    struct Operation {
        fi_context2 context{};
        bool isReceive = false;
        bool done = false;
        bool isWrite = false;
        bool hasImmediate = false;
        std::byte* bytes = nullptr;
        std::size_t count = 0;
        void* descriptor = nullptr;
        std::uint64_t remoteAddress = 0;
        std::uint64_t remoteKey = 0;
        std::uint64_t immediate = 0;
        std::uint64_t workId = 0;
    };

    void openCompletionQueue();
    Operation& add();
    bool flush();
    ssize_t post(Operation& operation);
    ssize_t postReceive(Operation& operation);
    bool translate(const fi_cq_data_entry& entry, Completion& completion);
    Completion readFailure();
    bool mayAskProvider();

    InfoHandle info_;
    const bool onlySends_;
    std::shared_ptr<OfiDomain> domain_;  // shared by the device's sources
    PortLimits limits_;
    FidHandle<fid_cq> completions_;
    FidHandle<fid_ep> endpoint_;
    fi_addr_t peer_ = FI_ADDR_UNSPEC;
    std::vector<std::byte> peerGreeting_;
    std::string failure_;
    bool guarded_ = false;
    bool lookedByWaiting_ = false;  ///< fi_trywait() has just found nothing

    // Requests in posting order: [head, next) are with the provider, [next, tail) wait until it accepts them.
    std::array<Operation, kMaxSendDepth> requests_{};
    std::uint32_t head_ = 0;
    std::uint32_t next_ = 0;
    std::uint32_t tail_ = 0;
    std::deque<Operation> receives_;       ///< by work id; their addresses are stable
    std::vector<std::uint32_t> unposted_;  ///< receives that the provider has not accepted yet

    std::optional<Timer> timer_;  ///< if the completion queue has no descriptor
    int wait_ = -1;               ///< the completion queue's descriptor, or the timer's
    TimestampNs nap_ = 0;         ///< ns
    std::vector<fid*> waited_;
};

}  // namespace verbcast
