// Dials a peer, which may not be up yet, over the best transport that works, and says why that one.
#pragma once

#include <chrono>
#include <exception>
#include <random>
#include <string>
#include <variant>

#include "core/session/greeting/peer_connection.h"
#include "core/transport/registry.h"

namespace verbcast {

/// What the user can do where the listener at this address serves paired hosts only.
std::string remedyForPairing(const Url& url);

/// What a calling program does with the peer that it reaches. Called by the thread that runs the dialler;
/// each returns whether to dial again.
class DiallerPolicy {
  public:
    virtual ~DiallerPolicy() = default;
    /// Serves the session until it has ended.
    virtual bool serve(PeerConnection peer) = 0;
    /// There is no session: how meet() ended. Not called once `cancel` is set.
    virtual bool refused(const SessionEnd& end) = 0;
    /// meet() has thrown this, which is being handled. By default, run() throws it, too.
    virtual bool failed(const std::exception& /*failure*/) { throw; }
};

/// Dials until a peer answers and greets. Backs off across connections: retries start quick and slow down,
/// also after connections that ended at once. Each pause is jittered. Used by one thread.
class SessionDialler {
  public:
    SessionDialler(const Url& url, const TransportOptions& transport, const HandshakeOptions& handshake);

    /// Dials, and has each peer served, until the policy says so, or `cancel` is set. Throws what the policy
    /// throws.
    void run(DiallerPolicy& policy, const Event& cancel, Deadline deadline = Deadline::never());

    /// Returns a peer that has greeted, or how it ended: refused, or Stopped if `cancel` was set. Retries
    /// unknown hosts and refused ports, since the peer or its network may come up later, and a device that
    /// has worked before. Throws Error{Usage, Device, Resource} at once, and the last failure at the
    /// deadline. If too many others are greeting, retries for 4 s, even past the deadline: silent callers are
    /// gone by then.
    std::variant<PeerConnection, SessionEnd> meet(const Event& cancel, Deadline deadline = Deadline::never());

  private:
    void pause(const Event& cancel, Deadline deadline);

    const Url url_;
    const TransportOptions transport_;
    HandshakeOptions handshake_;
    std::chrono::nanoseconds pause_{0};
    TimestampNs triedAt_ = 0;
    bool hadDevice_ = false;  ///< an earlier attempt got as far as the device
    std::string lastFailure_;
    bool met_ = false;  // a peer has greeted before
    std::minstd_rand random_{std::random_device{}()};
};

}  // namespace verbcast
