// The greetings at the start of a connection, without the connection: messages in, messages out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/session/link_end.h"
#include "core/session/messages.h"

namespace verbcast {

/// A Hello::instance that nobody else has.
std::uint64_t newInstance();

struct HandshakeOptions {
    Role role = Role::Sender;
    std::string name;                        ///< told to the peer; the host's name when empty
    std::uint32_t slots = 8;                 ///< Hello::slots
    std::uint64_t features = 0;              ///< Hello::features
    std::uint64_t instance = newInstance();  ///< Hello::instance; a copy of these options keeps it
    /// The peer must have the same, or neither of them one.
    std::optional<SessionKey> key{};
};

/// One side's part. Without a key:       With one:
///   connecting         listening          connecting         listening
///   Hello ->                              Hello ->
///                 <-  Hello                             <-  Hello
///                                         Proof ->
///                                                       <-  Proof
/// The listening side answers the last word of the other only once it has decided to admit it: whoever is
/// refused never was in the session. It proves nothing to a caller that has not.
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

    Handshake(const HandshakeOptions& options, KeySide side);

    State state() const { return state_; }
    /// What is to be sent now, in order; empties the list. After the constructor and each call below.
    std::vector<Message> takeWords() { return std::exchange(words_, {}); }
    /// A message of the peer, while Talking. Throws Error{Peer} for one that breaks the protocol.
    void hear(std::span<const std::byte> message);
    /// Asked: the peer is in.
    void admit();
    /// While Talking or Asked: tells the peer why not.
    void refuse(RefuseCode code, const std::string& reason);

    /// Valid from Asked on.
    const Hello& peer() const { return *peer_; }
    const LinkEnd& end() const { return end_; }

  private:
    void hearHello(const Hello& hello);
    void hearProof(const Proof& proof);
    std::optional<Refuse> objection(const Hello& hello) const;
    template <typename M>
    void say(const M& message) {
        words_.push_back(encodeMessage(message));
    }
    void sayHello();
    void sayProof();
    void finish(LinkEnd end);

    const HandshakeOptions options_;
    const KeySide side_;
    const Nonce nonce_;
    State state_ = State::Talking;
    std::vector<Message> words_;
    std::optional<Hello> peer_;
    LinkEnd end_;
};

/// Whether the same two would refuse each other again.
bool isPermanent(RefuseCode code);

/// This machine's name, for greetings.
std::string hostName();

}  // namespace verbcast
