// The messages of a session inside TLS 1.3 (RFC 8446), with a key that both sides know instead of
// certificates.
#pragma once

#include <array>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/trust/trust.h"
#include "core/transport/stages.h"

struct ssl_st;

namespace verbcast {

/// The keys of one handshake, as OpenSSL's callbacks see them.
struct TlsKeys {
    /// Connecting: ours. Listening: the caller's, once it has named a known one.
    std::optional<NamedKey> key;
    /// Listening: returns the key of that name, if there is one.
    std::function<std::optional<SessionKey>(std::string_view name)> find;
    bool unknown = false;          ///< the caller named an unknown key
    std::exception_ptr failure{};  ///< what find() has thrown
    int lookUps = 0;
};

struct FreeSsl {
    void operator()(ssl_st* ssl) const noexcept;
};
using Ssl = std::unique_ptr<ssl_st, FreeSsl>;

/// Whether a message is a TLS record: no session message begins like one.
bool looksLikeTls(std::span<const std::byte> message);

/// A key for something other than messages, derived from the session's secrets (RFC 8446, 7.5).
using ExportedKey = std::array<std::byte, 32>;

/// Wraps a channel. The key is an external PSK (RFC 8446, 4.2.11) in psk_dhe_ke mode: an attacker who learns
/// it later cannot read what was sent before. Only TLS_AES_256_GCM_SHA384; no tickets, no early data, no
/// certificates.
///
/// Messages sent before established() wait for it. A peer may also speak without TLS: until established, its
/// messages are passed on as they came, and the handler asks established() whether to believe them. A
/// listening side whose first message was without TLS passes everything on from then on.
///
/// What is changed on the way, once established, ends the connection as if it had been cut: whoever did it is
/// not the peer, and nothing more can be said to the peer.
///
/// Thread-bound like the inner channel. process() throws Error{Peer} for invalid TLS before that, and for
/// another key.
class TlsChannel final : public ChannelStage {
  public:
    using FindKey = decltype(TlsKeys::find);

    /// The connecting side; begins the handshake. Throws Error{Internal} if OpenSSL fails.
    TlsChannel(std::shared_ptr<MessageChannel> inside, NamedKey key);
    /// The listening side.
    TlsChannel(std::shared_ptr<MessageChannel> inside, FindKey findKey);

    /// Whether any TLS was received.
    bool begun() const { return begun_; }
    bool established() const { return established_; }
    /// When established: the name of the key.
    const std::string& keyName() const { return keys_.key->name; }
    /// When established: the same on both sides for the same label and context, and different in every
    /// session.
    ExportedKey exportKey(std::string_view label, std::span<const std::byte> context) const;
    /// Sends without TLS, to a peer that there will be no session with.
    Status sendInTheClear(std::span<const std::byte> message) { return ChannelStage::send(message); }

    Progress process() override;
    bool readyToSleep() override;
    Status send(std::span<const std::byte> message) override;
    bool hasRoomToSpare() const override { return pending_.empty() && ChannelStage::hasRoomToSpare(); }
    const std::string& closeReason() const override {
        return broken_.empty() ? ChannelStage::closeReason() : broken_;
    }

  private:
    TlsChannel(std::shared_ptr<MessageChannel> inside, Side side, std::optional<NamedKey> key,
               FindKey findKey);
    void onMessage(std::span<const std::byte> message) override;
    void advance();
    void receive();
    void handOver();
    void write(std::span<const std::byte> message);
    bool flush();
    [[noreturn]] void fail();

    const Side side_;
    TlsKeys keys_;
    Ssl ssl_;
    bool established_ = false;
    bool begun_ = false;
    std::string broken_;                         // why nothing more can be read or written
    bool plain_ = false;                         // listening: the caller speaks without TLS
    std::vector<std::vector<std::byte>> early_;  // sent before established
    std::vector<std::byte> pending_;             // written by TLS while the inner channel was busy
    std::vector<std::byte> heard_;               // an incomplete message
    std::uint64_t written_ = 0;                  // since the last key update
};

}  // namespace verbcast
