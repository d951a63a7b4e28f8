// Lets receivers that call into an audience.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "core/base/os/owned_thread.h"
#include "core/session/greeting/session_acceptor.h"
#include "core/stream/audience.h"

namespace verbcast {

/// Admits callers as long as the audience has room.
class AudienceAcceptor final : public Admission, private AcceptorPolicy {
  public:
    /// Throws what SessionAcceptor throws.
    AudienceAcceptor(const Url& url, const HandshakeOptions& handshake, Audience& audience);
    ~AudienceAcceptor() override { cancel_.notify(); }

    std::vector<std::string> addresses() const override { return acceptor_.addresses(); }
    void close() override { closed_ = true; }
    void rethrowFailure() const override { thread_.rethrowFailure(); }

  private:
    std::optional<Refuse> objectionTo(const Hello& caller, const PeerTrust& trust) override;
    void admit(PeerConnection peer) override { audience_.add(std::move(peer)); }
    bool goesOn() override;
    int waitDescriptor() const override { return audience_.ended().descriptor(); }

    Audience& audience_;
    Event cancel_;
    std::atomic<bool> closed_{false};
    SessionAcceptor acceptor_;
    OwnedThread thread_;  // last: it uses everything above
};

}  // namespace verbcast
