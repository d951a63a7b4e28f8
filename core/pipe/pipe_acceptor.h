// Where a pipe listens: one caller at a time becomes its other end, all others are refused.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/os/event.h"
#include "core/base/os/owned_thread.h"
#include "core/session/greeting/session_acceptor.h"

namespace verbcast {

class PipeAcceptor final : private AcceptorPolicy {
  public:
    /// `changed` is notified when a caller came in. Throws as SessionAcceptor does.
    PipeAcceptor(const Url& url, const TransportOptions& transport, const HandshakeOptions& handshake,
                 ArmedEvent& changed);
    ~PipeAcceptor() override { cancel_.notify(); }

    const std::vector<std::string>& addresses() const { return acceptor_.addresses(); }
    /// The caller that came in, if any. Rethrows the error that ended listening. Once there was one, others
    /// are refused until reopen().
    std::optional<PeerConnection> take();
    /// The caller was not the pipe's other end after all: accepts another.
    void reopen();

  private:
    std::optional<Refuse> objectionTo(const Hello& caller, const PeerTrust& trust) override;
    void admit(PeerConnection peer) override;

    ArmedEvent& changed_;
    SessionAcceptor acceptor_;
    Event cancel_;
    std::mutex mutex_;  // guards taken_ and peer_
    bool taken_ = false;
    std::optional<PeerConnection> peer_;
    OwnedThread thread_;  // last: it uses everything above
};

}  // namespace verbcast
