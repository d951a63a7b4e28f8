// The verbs objects of one connection, made together and destroyed in order.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/transport/transport.h"
#include "core/transport/verbs/cm_events.h"
#include "core/transport/verbs/completion_queue.h"
#include "core/transport/verbs/registration.h"
#include "core/transport/verbs/verbs_handles.h"
#include "core/transport/verbs/verbs_options.h"
#include "core/transport/verbs/verbs_wire.h"

namespace verbcast {

/// Session and pool messages that a peer may have on their way to us.
inline constexpr std::uint32_t kMessageCredits = 64;
/// Receives for messages that need no credit: Hello and Close once each, and at most two Credits messages.
/// (One is sent after half of the credits were used up; a third would need messages that the first has not
/// yet allowed.)
inline constexpr std::uint32_t kUncreditedReceives = 4;
/// Large messages of ours that the device has not sent yet.
inline constexpr std::uint32_t kSendBuffers = 32;
/// Work requests in the send queue.
inline constexpr std::uint32_t kSendDepth = 256;
/// Frames that may be between sendFrame() and onFrameSent().
inline constexpr std::uint32_t kFramesInFlight = 2;

/// Receives posted from the start, and those added for each slot of a sink's pools (old and new together).
inline constexpr std::uint32_t kBaseReceives = kMessageCredits + kUncreditedReceives;
inline constexpr std::uint32_t kMaxReceives = kBaseReceives + 2 * static_cast<std::uint32_t>(kMaxSlots);

/// The numbers that were really granted.
struct EndpointLimits {
    std::uint32_t sendDepth = 0;
    std::uint32_t receiveDepth = 0;
    std::uint32_t inlineBytes = 0;
    std::uint32_t largestWriteBytes = 0;  ///< max_msg_sz of our port
    int mtuBytes = 0;
};

/// An rdma_cm id with its event channel, protection domain, completion queue, receives and queue pair.
/// Members are in the order of creation. Thread-bound with the channel that owns it.
class Endpoint {
  public:
    /// For an id that is bound to a device, with its events in `events`. Posts the first receives, so that
    /// the peer may speak as soon as the connection stands. Throws Error{Resource} or Error{Device}.
    Endpoint(std::unique_ptr<CmEvents> events, CmIdHandle id, const TransportOptions& transport);
    ~Endpoint();
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;

    rdma_cm_id* id() const { return id_.get(); }
    ibv_qp* queuePair() const { return id_->qp; }
    CmEvents& events() { return *events_; }
    const std::shared_ptr<ProtectionDomain>& domain() { return domain_; }
    CompletionQueue& completions() { return completions_; }
    const EndpointLimits& limits() const { return limits_; }
    bool sharesDomain() const { return sharesDomain_; }

    const char* deviceName() const { return ibv_get_device_name(id_->verbs->device); }

    /// Makes `count` receives more. Throws Error{Resource} when memory or the queue's depth does not suffice.
    void addReceives(std::uint32_t count);
    std::uint32_t receives() const { return receiveCount_; }
    /// 0, or the error code of ibv_post_recv. `index` is what receiveIndex() of a completion gives.
    int postReceive(std::uint32_t index) noexcept;
    const std::byte* receiveData(std::uint32_t index) const;

    /// Memory for large messages: kSendBuffers of kMaxWireMessageBytes.
    std::byte* sendBuffer(std::uint32_t index) const {
        return sendBuffers_.data() + index * kMaxWireMessageBytes;
    }
    std::uint32_t sendBuffersKey() const { return sendBuffers_.localKey(); }
    /// Notices of frames in flight: kFramesInFlight of them.
    FrameNoticeMessage& notice(std::uint32_t index) const;
    std::uint32_t noticesKey() const { return notices_.localKey(); }

    /// What connecting tells the peer.
    rdma_conn_param connectionParameters(std::span<const std::byte> privateData) const;
    Greeting greeting() const;

    /// After connecting: settings that rdma_cm leaves at values that hurt. Throws Error{Device}.
    void finishSettings();

    /// "rxe0 port 1, GID 1 RoCE v2, IB MTU 4096, WRITE with immediate, 4 MiB chunks"
    std::string describe(bool immediates, std::uint32_t chunkBytes) const;

    /// Throws Error{Device} when the GID that rdma_cm chose is not the one that the user asked for.
    void requireGid(const VerbsOptions& options) const;

  private:
    static constexpr std::uint32_t kReceivesPerBlock = 64;
    void createQueuePair();
    std::optional<int> sourceGidIndex() const;

    std::unique_ptr<CmEvents> events_;
    CmIdHandle id_;
    EndpointLimits limits_;
    bool sharesDomain_;
    std::shared_ptr<ProtectionDomain> domain_;  // shared by all sources of the device; a sink's is its own
    CompletionQueue completions_;
    RegisteredBuffer sendBuffers_;
    RegisteredBuffer notices_;
    std::vector<RegisteredBuffer> receiveBlocks_;
    std::uint32_t receiveCount_ = 0;
    QueuePairHandle queuePair_;
};

}  // namespace verbcast
