// The messages of a session inside TLS 1.3 (RFC 8446), with a key that both sides know in the place of
// certificates.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/trust/tls_context.h"
#include "core/transport/message_channel.h"

namespace verbcast {

/// Whether a message is a record of TLS: none of a session begins like one.
bool looksLikeTls(std::span<const std::byte> message);

/// A key for something else than messages, drawn from the session's secrets (RFC 8446, 7.5).
using ExportedKey = std::array<std::byte, 32>;

/// Wraps a channel. The key is an external PSK (RFC 8446, 4.2.11) in the mode psk_dhe_ke: an attacker who
/// learns it later cannot read what was said before. Only TLS_AES_256_GCM_SHA384; no tickets, no early data,
/// no certificates.
///
/// What is sent before established() waits for it. A peer may also speak without TLS: as long as nothing is
/// established, its messages are handed on as they came, and the handler asks established() whether to
/// believe them. A listening side that heard such a message first passes everything on from then on.
///
/// Thread-bound as the channel inside. Throws Error{Peer} from process() for what is no TLS, for another key,
/// and for anything that was changed on its way.
class TlsChannel final : public MessageChannel, private MessageHandler {
  public:
    using FindKey = decltype(TlsKeys::find);

    /// The connecting side; begins the handshake. Throws Error{Internal} when OpenSSL does not work.
    TlsChannel(std::shared_ptr<MessageChannel> inside, NamedKey key);
    /// The listening side.
    TlsChannel(std::shared_ptr<MessageChannel> inside, FindKey findKey);
    ~TlsChannel() override;

    /// Something of TLS was heard.
    bool begun() const { return begun_; }
    bool established() const { return established_; }
    /// When established: the name of the key.
    const std::string& keyName() const { return keys_.key->name; }
    /// When established: the same at both sides for the same label and context, and for no other session.
    ExportedKey exportKey(std::string_view label, std::span<const std::byte> context) const;
    /// Without TLS, to a peer that there will be no session with.
    Status sendInTheClear(std::span<const std::byte> message) { return inside_->send(message); }
    const std::shared_ptr<MessageChannel>& inside() const { return inside_; }

    const ConnectionDescription& description() const override { return inside_->description(); }
    void setHandler(MessageHandler* handler) override { handler_ = handler; }
    int waitDescriptor() const override { return inside_->waitDescriptor(); }
    Progress process() override;
    bool readyToSleep() override;
    bool spinHelps() const override { return inside_->spinHelps(); }
    std::uint64_t bytesReceived() const override { return inside_->bytesReceived(); }
    Status send(std::span<const std::byte> message) override;
    bool hasRoomToSpare() const override;
    void close() override { inside_->close(); }
    const std::string& closeReason() const override { return inside_->closeReason(); }
    SharedRing* sharedRing() override { return inside_->sharedRing(); }

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

    const std::shared_ptr<MessageChannel> inside_;  // shared: unwrapped when the peer speaks without TLS
    const Side side_;
    TlsKeys keys_;
    Ssl ssl_;
    MessageHandler* handler_ = nullptr;
    bool established_ = false;
    bool begun_ = false;
    bool plain_ = false;                         // listening: the caller speaks without
    std::vector<std::vector<std::byte>> early_;  // said before established
    std::vector<std::byte> pending_;             // written by TLS, and the channel inside was busy
    std::vector<std::byte> heard_;               // less than a message
    std::uint64_t written_ = 0;                  // since the keys were changed
};

}  // namespace verbcast
