// Accepts sessions: greets callers side by side, and hands over those that are admitted.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/session/greeting/listener_set.h"
#include "core/session/greeting/peer_connection.h"

namespace verbcast {

/// What a listening program decides about its callers. Called by the thread that runs the acceptor.
class AcceptorPolicy {
  public:
    virtual ~AcceptorPolicy() = default;
    /// Called for each caller that has greeted properly: why it cannot come in now, or nullopt to admit it.
    virtual std::optional<Refuse> objectionTo(const Hello& caller, const PeerTrust& trust) = 0;
    /// Takes a caller that was admitted. What it throws, as when descriptors or threads run out, costs only
    /// this caller, which may call again.
    virtual void admit(PeerConnection peer) = 0;
    /// Called every turn. Returns false to end the acceptor's run().
    virtual bool goesOn() { return true; }
    /// Readable: the acceptor takes another turn. -1: nothing but callers wakes it.
    virtual int waitDescriptor() const { return -1; }
};

/// The callers still greeting are bounded, in all and per address: one more evicts the first that came and
/// has said nothing. Tells those it refuses why. A listener that takes rails tells its other addresses to
/// those who look for them. Thread-bound.
class SessionAcceptor {
  public:
    /// Throws what ListenerSet throws.
    SessionAcceptor(const Url& url, const TransportOptions& transport, const HandshakeOptions& handshake);

    const std::vector<std::string>& addresses() const { return listeners_.addresses(); }

    /// Accepts until `cancel` is set or the policy ends it. Throws only what fails on our own side.
    void run(AcceptorPolicy& policy, const Event& cancel);

    // The turns of run(), for those with a loop of their own: call next(), then sleep on descriptors() until
    // nextLook(), which has passed while more may come: callers without end keep nobody from looking at
    // what else there is to do. Nothing blocks.
    using Objection = std::function<std::optional<Refuse>(const Hello& caller, const PeerTrust& trust)>;
    /// Serves all callers once. Returns the next one admitted, or nullopt.
    std::optional<PeerConnection> next(const Objection& objection);
    std::vector<int> descriptors() const;
    Deadline nextLook() const;

  private:
    struct GiveUp {  // no caller holds up the others
        void operator()(Greeting* greeting) const {
            greeting->giveUpPeer();
            delete greeting;
        }
    };
    struct Caller {
        std::unique_ptr<Greeting, GiveUp> greeting;
        std::string host;
        TimestampNs until = 0;  ///< by then it is admitted or dropped
        TimestampNs askedAt = 0;
        bool leaving = false;  ///< refused, or a visitor: expected to hang up

        bool waitsForPlace() const { return askedAt != 0 && !leaving; }
        void leave();
    };
    void acceptConnections();
    void makeRoomFor(const std::string& host);
    bool serve(Caller& caller, const Objection& objection);

    const HandshakeOptions handshake_;
    ListenerSet listeners_;
    std::vector<Caller> callers_;
    bool anotherTurn_ = false;
};

/// HandshakeOptions::addresses for a listener at `url`: the host's addresses; empty if it listens at one of
/// them only.
std::function<std::vector<std::string>()> toldAddresses(const Url& url);

}  // namespace verbcast
