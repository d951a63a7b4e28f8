#include "core/pipe/pipe_acceptor.h"

#include <utility>

namespace verbcast {

PipeAcceptor::PipeAcceptor(const Url& url, const TransportOptions& transport,
                           const HandshakeOptions& handshake, ArmedEvent& changed)
    : changed_(changed),
      acceptor_(url, transport, handshake),
      thread_([this] { acceptor_.run(*this, cancel_); }, [this] { changed_.notify(); }) {}

std::optional<Refuse> PipeAcceptor::objectionTo(const Hello&, const PeerTrust&) {
    const std::lock_guard lock(mutex_);
    return taken_ ? std::optional(Refuse{RefuseCode::Busy, "this pipe already has its other end"})
                  : std::nullopt;
}

void PipeAcceptor::admit(PeerConnection peer) {
    const std::lock_guard lock(mutex_);
    peer_ = std::move(peer);
    taken_ = true;  // not earlier: an admitted caller may still be dropped
    changed_.notify();
}

std::optional<PeerConnection> PipeAcceptor::take() {
    thread_.rethrowFailure();
    const std::lock_guard lock(mutex_);
    return std::exchange(peer_, std::nullopt);
}

void PipeAcceptor::reopen() {
    const std::lock_guard lock(mutex_);
    taken_ = false;
}

}  // namespace verbcast
