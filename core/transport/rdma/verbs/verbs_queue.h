// The port over ibverbs: the objects of one reliable connection, created together and destroyed in order.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/transport/rdma/port.h"
#include "core/transport/rdma/verbs/cm_events.h"
#include "core/transport/rdma/verbs/completion_queue.h"
#include "core/transport/rdma/verbs/verbs_domain.h"
#include "core/transport/rdma/verbs/verbs_handles.h"
#include "core/transport/rdma/verbs/verbs_options.h"
#include "core/transport/socket_address.h"

namespace verbcast {

struct VerbsQueueOptions {
    VerbsOptions verbs;
    bool sharesDomain = false;  ///< the caller only sends frames
    bool accepts = false;       ///< the id belongs to a connection request
};

/// An rdma_cm id with its event channel, protection domain, completion queue and queue pair. Members are in
/// creation order.
class VerbsQueue final : public QueuePort {
  public:
    /// For an id bound to a device, with its events in `events`; `peerGreeting` if it accepts. Throws
    /// Error{Resource} or Error{Device}.
    VerbsQueue(std::unique_ptr<CmEvents> events, CmIdHandle id, const VerbsQueueOptions& options,
               std::vector<std::byte> peerGreeting = {});
    ~VerbsQueue() override { stop(); }

    const PortLimits& limits() const override { return limits_; }
    std::shared_ptr<PortDomain> domain() const override { return domain_; }
    bool sharesDomain() const override { return options_.sharesDomain; }
    void begin(std::span<const std::byte> greeting) override;
    bool established() override;
    std::span<const std::byte> peerGreeting() const override { return peerGreeting_; }
    std::string localAddress() const override {
        return SocketAddress::of(rdma_get_local_addr(id_.get())).text();
    }
    std::string peerAddress() const override {
        return SocketAddress::of(rdma_get_peer_addr(id_.get())).text();
    }
    std::string deviceName() const override { return ibv_get_device_name(id_->verbs->device); }
    std::string describe() const override;
    bool receive(std::uint64_t workId, std::byte* into, std::uint32_t bytes,
                 std::uint64_t localHandle) override;
    bool send(const PortSend& message) override;
    bool write(std::span<const PortWrite> chain) override;
    std::uint64_t openWindow(const PortWindow& window) override;
    void closeWindow(std::uint64_t key) noexcept override;
    std::size_t poll(std::span<Completion> completions) override;
    std::string statusText(const Completion& failed) const override {
        return completionStatusText(static_cast<ibv_wc_status>(failed.status));
    }
    std::vector<int> descriptors() const override {
        return {completions_.descriptor(), events_->descriptor()};
    }
    bool arm() override;
    void checkPeer() override;
    const std::string& failure() const override { return failure_; }
    void stop() noexcept override;

  private:
    void createQueuePair();
    void finishSettings();
    void requireGid() const;
    std::optional<int> sourceGidIndex() const;
    bool posted(int code);
    void postBind(ibv_mw& made, const PortWindow& window);
    rdma_conn_param connectionParameters(std::span<const std::byte> privateData) const;

    const VerbsQueueOptions options_;
    DeviceUse use_;
    std::unique_ptr<CmEvents> events_;
    CmIdHandle id_;
    PortLimits limits_;
    std::shared_ptr<VerbsDomain> domain_;  // shared by all sources of the device; a sink has its own
    CompletionQueue completions_;
    QueuePairHandle queuePair_;
    std::vector<MemoryWindowHandle> windows_;  // open ones
    std::vector<std::byte> peerGreeting_;
    std::string failure_;
};

}  // namespace verbcast
