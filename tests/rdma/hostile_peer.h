// A peer that speaks the verbs protocol by hand, and wrongly.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/transport/socket_address.h"
#include "core/transport/url.h"
#include "core/transport/verbs/endpoint.h"

namespace verbcast::testing {

/// Connects with any private data and sends any request.
class HostilePeer {
  public:
    /// Blocks until the listener has answered. established() says how.
    HostilePeer(const Url& target, std::span<const std::byte> privateData);
    bool established() const { return established_; }
    /// Private data of the rejection.
    const std::vector<std::byte>& answer() const { return answer_; }

    void sendBytes(std::span<const std::byte> bytes);
    void sendMessage(MessageKind kind, std::span<const std::byte> payload, std::uint32_t consumed = 0);
    /// A write of no bytes with that immediate: needs no rights.
    void writeImmediate(std::uint32_t immediate);

  private:
    void post(ibv_send_wr& request);

    std::unique_ptr<Endpoint> endpoint_;
    bool established_ = false;
    std::vector<std::byte> answer_;
};

/// A listener that answers each request with these bytes, accepting or rejecting.
class HostileListener {
  public:
    HostileListener(const Url& at, std::vector<std::byte> answer, bool accept);
    std::uint16_t port() const;
    /// Answers one request; keeps the connection.
    void serveOne();

  private:
    CmEvents events_;
    CmIdHandle id_;
    std::vector<std::byte> answer_;
    bool accept_;
    std::unique_ptr<Endpoint> endpoint_;
};

/// A greeting that is right.
std::vector<std::byte> goodGreeting();

}  // namespace verbcast::testing
