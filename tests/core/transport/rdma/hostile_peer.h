// A hand-written peer that violates the RDMA protocol. Works over any port.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/transport/rdma/port.h"
#include "core/transport/rdma/rdma_wire.h"
#include "core/transport/rdma/receive_ring.h"
#include "core/transport/rdma/registered_buffer.h"
#include "core/transport/url.h"

namespace verbcast::testing {

/// Connects with any private data and sends any request.
class HostilePeer {
  public:
    /// Blocks until the listener has answered; see established().
    HostilePeer(std::unique_ptr<QueuePort> port, std::span<const std::byte> privateData);
    ~HostilePeer();
    bool established() const { return refusal_.empty(); }
    /// The listener's rejection.
    const std::string& refusal() const { return refusal_; }

    void sendBytes(std::span<const std::byte> bytes);
    void sendMessage(MessageKind kind, std::span<const std::byte> payload, std::uint32_t consumed = 0);
    /// A write of zero bytes with an immediate; needs no access rights.
    void writeImmediate(std::uint32_t immediate);
    /// Writes `bytes` bytes of 0x66 and waits for the completion. Returns "" on success, else the error.
    std::string writeBytes(std::uint64_t address, std::uint64_t key, std::uint32_t bytes);
    /// Waits until the listener's side has hung up. Returns how many messages it has sent before.
    int messagesUntilTheEnd();

  private:
    /// Waits for the completion of the last request. Returns "" or the error.
    std::string finish();

    std::unique_ptr<QueuePort> port_;
    std::optional<ReceiveRing> receives_;
    std::optional<RegisteredBuffer> buffer_;
    std::string refusal_;
};

/// A listener that accepts or rejects each request with these bytes.
class HostileListener {
  public:
    HostileListener(std::unique_ptr<PortListener> port, std::vector<std::byte> answer, bool accept);
    ~HostileListener();
    std::uint16_t port() const;
    /// Answers one request; keeps the connection.
    void serveOne();
    /// The connection, once there is one.
    QueuePort& queue() const { return *queue_; }

  private:
    std::unique_ptr<PortListener> listener_;
    std::vector<std::byte> answer_;
    bool accept_;
    std::unique_ptr<QueuePort> queue_;
    std::optional<ReceiveRing> receives_;
};

/// A valid greeting.
std::vector<std::byte> goodGreeting(const VoucherSecret& voucher = {});

}  // namespace verbcast::testing
