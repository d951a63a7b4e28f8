#include "core/stream/audience_acceptor.h"

namespace verbcast {

AudienceAcceptor::AudienceAcceptor(const Url& url, const HandshakeOptions& handshake, Audience& audience)
    : audience_(audience),
      acceptor_(url, TransportOptions{.sendsFrames = true}, handshake),
      thread_([this] { acceptor_.run(*this, cancel_); }, [this] { audience_.shared().progress.notify(); }) {}

bool AudienceAcceptor::goesOn() {
    audience_.removeEnded();
    return true;
}

std::optional<Refuse> AudienceAcceptor::objectionTo(const Hello& caller, const PeerTrust&) {
    if (closed_) {
        return Refuse{RefuseCode::Busy, "the stream is over"};
    }
    if (auto refusal = audience_.objectionTo(caller)) {
        return refusal;
    }
    if (audience_.serves(caller)) {
        return std::nullopt;  // its viewer has a place already
    }
    if (audience_.stillServes(caller.instance)) {
        return Refuse{RefuseCode::Busy, "the connection before this one has not ended yet"};
    }
    if (audience_.full()) {
        return Refuse{RefuseCode::Busy,
                      "the sender already serves its maximum number of viewers (--max-viewers)"};
    }
    return std::nullopt;
}

}  // namespace verbcast
