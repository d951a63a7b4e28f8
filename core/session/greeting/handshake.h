// The greetings at the start of a connection, without the connection: messages in, messages out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/memory/device_memory.h"
#include "core/session/messages/messages.h"
#include "core/session/messages/session_end.h"
#include "core/session/trust/trust.h"
#include "core/transport/message_channel.h"

namespace verbcast {

/// Returns a unique Hello::instance.
std::uint64_t newInstance();

struct HandshakeOptions {
    Role role = Role::Sender;
    std::string name{};                      ///< told to the peer; the host's name if empty
    std::uint32_t slots = 8;                 ///< Hello::slots
    std::uint64_t features = 0;              ///< Hello::features
    std::uint64_t instance = newInstance();  ///< Hello::instance; a copy of these options keeps it
    std::optional<RailHello> rail{};         ///< connecting side: this is a rail of a stream
    /// Set by SessionAcceptor: its addresses, told to those who look for rails. Empty: none but the one they
    /// used. Called from the thread that greets.
    std::function<std::vector<std::string>()> addresses{};
    /// Receiver: the device that it wants frames in, told to a sender of the same user on this machine. May
    /// be null; shared with the caller.
    std::shared_ptr<const DeviceAllocator> device{};
    Trust trust{};
    /// Connecting side, with a key: the listener has proven it before. Who cannot prove it now may be anybody
    /// on the way, and ends nothing for good.
    bool hasProvenKey = false;
};

/// One side of the greeting. The connecting side says Hello. The listening side answers with its own only
/// once it has decided to admit the caller, so that a refused caller was never in the session. With a key,
/// all of this happens inside TLS (tls_channel.h), which has proven the key to both sides by then.
///
/// Pure: no clock, no channel, no thread. Not thread-safe.
class Handshake {
  public:
    enum class State {
        Talking,  ///< waiting for the peer's next message
        Asked,    ///< listening side: the peer passed the checks; admit() or refuse() it
        Ready,    ///< both sides are in the session; what follows belongs to it
        Over,     ///< there will be no session: see end()
    };
    using Message = std::vector<std::byte>;

    /// `place`: ConnectionDescription::place.
    Handshake(const HandshakeOptions& options, Side side, PeerPlace place);

    State state() const { return state_; }
    /// Returns what to send now, in order, and empties the list. Call after the constructor and each call
    /// below.
    std::vector<Message> takeWords() { return std::exchange(words_, {}); }
    /// The peer has proven that it holds the key of this name. Call before its first message.
    void prove(const std::string& keyName, Grants grants, bool encrypts);
    /// Handles a message of the peer while Talking. Throws Error{Peer} if it breaks the protocol.
    void hear(std::span<const std::byte> message);
    /// When Asked: lets the peer in.
    void admit();
    /// While Talking or Asked: tells the peer why not.
    void refuse(RefuseCode code, const std::string& reason);
    /// There will be no session: the connection has ended in this way.
    void finish(SessionEnd end);

    /// Valid from Asked on. Its instance is not the one that the peer told, but follows from that and from
    /// the key that the peer has proven: nobody with another key is taken for this peer. 0 if it told 0.
    const Hello& peer() const { return *peer_; }
    PeerTrust trust() const;
    const SessionEnd& end() const { return end_; }

  private:
    void hearHello(const Hello& hello);
    std::optional<Refuse> objection(const Hello& hello) const;
    std::optional<Refuse> objectionToUnpaired(const Hello& hello) const;
    std::optional<Refuse> objectionToGrants(const Hello& hello) const;
    std::optional<Refuse> objectionToRole(const Hello& hello) const;
    template <typename M>
    void say(const M& message) {
        words_.push_back(encodeMessage(message));
    }
    void sayHello();

    const HandshakeOptions options_;
    const Side side_;
    const PeerPlace place_;
    std::string keyName_;  // proven by the peer; empty: none
    Grants grants_;
    bool encrypts_;  // this side asks for it
    State state_ = State::Talking;
    std::vector<Message> words_;
    std::optional<Hello> peer_;
    SessionEnd end_;
};

/// This machine's name for greetings; empty if nobody has set one, and peers then use its address.
std::string hostName();

}  // namespace verbcast
