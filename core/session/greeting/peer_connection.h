// A peer that has greeted, and how the connecting side gets one; for the listening side see
// session_acceptor.h.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/session/greeting/handshake.h"
#include "core/session/trust/tls_channel.h"
#include "core/transport/transport.h"

namespace verbcast {

/// A connection whose two sides have greeted each other: what a Link is made from.
struct PeerConnection {
    Connection connection;
    Hello hello;
    PeerTrust trust{};
    std::optional<NamedKey> pairingKey{};     ///< with Role::Pairing: the key that both sides now have
    std::string reason;                       ///< why this transport: "both are on this host"
    TimestampNs startedAt = 0;                ///< when the attempt that succeeded began
    std::vector<Handshake::Message> early{};  ///< what the peer sent behind its greeting; handle it first
};

/// A connection while its sides greet each other. Thread-bound; nothing blocks.
class Greeting final : private MessageHandler, private FrameHandler {
  public:
    Greeting(Connection connection, const HandshakeOptions& options, Side side);
    ~Greeting() override;
    Greeting(const Greeting&) = delete;
    Greeting& operator=(const Greeting&) = delete;

    const ConnectionDescription& description() const { return connection_.messages->description(); }
    int waitDescriptor() const { return connection_.messages->waitDescriptor(); }
    TimestampNs startedAt() const { return startedAt_; }
    /// Whether the peer has sent anything, even if only the start of TLS.
    bool hasSpoken() const { return heard_ || (tls_ && tls_->begun()); }

    /// Whether the peer has proven a key; what it says is its own then.
    bool proven() const { return tls_ && tls_->established(); }

    /// Processes what has arrived, up to a bound, and answers.
    Handshake::State serve();
    /// After serve(): whether more may be pending, so do not sleep. Otherwise sleep on waitDescriptor().
    bool wantsAnotherTurn() const { return anotherTurn_; }
    /// Call when serve() returned Asked; the state becomes Ready.
    void admit();
    /// Call while Talking or Asked; the state becomes Over. Sends as much of the refusal as does not block;
    /// the peer hangs up after reading it.
    void refuse(RefuseCode code, const std::string& reason);

    const Hello& peer() const { return handshake_.peer(); }
    PeerTrust trust() const { return handshake_.trust(); }
    /// After a greeting with a pairing code: the key that both sides can keep for each other.
    NamedKey pairingKey() const;
    /// The book's entry for the key that the peer has shown; valid only once it has.
    const KeyBook::Entry& entry() const { return entry_.value(); }
    /// Valid when Over.
    const SessionEnd& end() const { return handshake_.end(); }
    bool ready() const { return handshake_.state() == Handshake::State::Ready; }
    /// After refuse(): whether the peer has yet to hang up. Ignores what it sends.
    bool lingers();
    /// Destroying this does not wait for the peer, which has had its time.
    void giveUpPeer() {
        if (connection_) {
            connection_.messages->giveUpPeer();
        }
    }
    /// When Ready: hands over the connection.
    PeerConnection take();

  private:
    void onMessage(std::span<const std::byte> message) override;
    void onOfferReady(RingId /*ring*/, std::span<const std::byte> /*offer*/) override {}
    FrameTarget beginFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override;
    void onFrame(RingId ring, std::uint32_t slot, const FrameInfo& info) override {
        static_cast<void>(beginFrame(ring, slot, info));
    }
    void onFrameSent(std::uint32_t /*localSlot*/) override {}
    std::optional<SessionKey> keyOf(std::string_view name);
    void sendWords();
    void flush();

    Connection connection_;
    const HandshakeOptions options_;
    const Side side_;
    std::shared_ptr<TlsChannel> tls_;      // null: without TLS; else shared with connection_
    std::optional<KeyBook::Entry> entry_;  // for the key that was shown, if it is in the book
    Handshake handshake_;
    bool toldProven_ = false;  // handshake_ knows of the key
    std::vector<Handshake::Message> early_;
    bool heard_ = false;
    bool deaf_ = false;
    bool anotherTurn_ = false;
    TimestampNs startedAt_ = nowNs();
};

/// Greets as the connecting side. Returns how it ended if the peer refuses or stays silent, or Stopped if
/// `cancel` is set. Blocks for 3 s at most.
std::variant<PeerConnection, SessionEnd> greet(Connection connection, const HandshakeOptions& options,
                                               const Event& cancel);

/// How long a peer may take to greet.
inline constexpr std::chrono::milliseconds kGreetingPatience{3000};

}  // namespace verbcast
