// The greetings at the start of a connection, without the connection: messages in, messages out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/session/messages/link_end.h"
#include "core/session/messages/messages.h"
#include "core/session/trust/trust.h"

namespace verbcast {

/// A Hello::instance that nobody else has.
std::uint64_t newInstance();

struct HandshakeOptions {
    Role role = Role::Sender;
    std::string name;                        ///< told to the peer; the host's name when empty
    std::uint32_t slots = 8;                 ///< Hello::slots
    std::uint64_t features = 0;              ///< Hello::features
    std::uint64_t instance = newInstance();  ///< Hello::instance; a copy of these options keeps it
    std::optional<RailHello> rail{};         ///< of the connecting side: this is a rail of a stream
    /// Of the listening side: its addresses, told to those who look for rails; empty: none but the one that
    /// they have. Called from the thread that greets.
    std::function<std::vector<std::string>()> addresses{};
    Trust trust{};
};

/// One side's part: the connecting side says Hello, and the listening side answers with its own only once it
/// has decided to admit the caller: a caller that is refused never was in the session. With a key all of it
/// is said inside TLS (tls_channel.h), which has proven the key to both sides by then.
///
/// Pure: no clock, no channel, no thread. Not synchronised.
class Handshake {
  public:
    enum class State {
        Talking,  ///< the peer's next word is awaited
        Asked,    ///< listening: the peer is who it should be; admit() or refuse() it
        Ready,    ///< both sides are in the session; what follows belongs to it
        Over,     ///< there will be no session: see end()
    };
    using Message = std::vector<std::byte>;

    /// `sameUser`: ConnectionDescription::sameUser.
    Handshake(const HandshakeOptions& options, Side side, bool sameUser);

    State state() const { return state_; }
    /// What is to be sent now, in order; empties the list. After the constructor and each call below.
    std::vector<Message> takeWords() { return std::exchange(words_, {}); }
    /// The peer has proven that it has the key of this name, before its first message.
    void prove(const std::string& keyName, Grants grants, bool encrypts);
    /// A message of the peer, while Talking. Throws Error{Peer} for one that breaks the protocol.
    void hear(std::span<const std::byte> message);
    /// Asked: the peer is in.
    void admit();
    /// While Talking or Asked: tells the peer why not.
    void refuse(RefuseCode code, const std::string& reason);

    /// Valid from Asked on.
    const Hello& peer() const { return *peer_; }
    PeerTrust trust() const;
    const LinkEnd& end() const { return end_; }
    /// Over because of refuse(), and why.
    std::optional<RefuseCode> refusedAs() const { return refusedAs_; }

  private:
    void hearHello(const Hello& hello);
    std::optional<Refuse> objection(const Hello& hello) const;
    std::optional<Refuse> objectionToStranger(const Hello& hello) const;
    std::optional<Refuse> objectionToGrants(const Hello& hello) const;
    std::optional<Refuse> objectionToRole(const Hello& hello) const;
    template <typename M>
    void say(const M& message) {
        words_.push_back(encodeMessage(message));
    }
    void sayHello();
    void finish(LinkEnd end);

    const HandshakeOptions options_;
    const Side side_;
    const bool sameUser_;
    std::string keyName_;  // that the peer has proven; empty without
    Grants grants_;
    bool encrypts_;  // this side asks for it
    State state_ = State::Talking;
    std::vector<Message> words_;
    std::optional<Hello> peer_;
    LinkEnd end_;
    std::optional<RefuseCode> refusedAs_;
};

/// Whether the same two would refuse each other again.
bool isPermanent(RefuseCode code);

/// What helps a peer that was refused for good.
std::string remedyFor(RefuseCode code);

/// This machine's name, for greetings; empty where nobody has set one. A peer is called by its address then.
std::string hostName();

}  // namespace verbcast
