#include "core/session/greeting/session_acceptor.h"

#include "core/base/log/peer_log.h"
#include "core/transport/callers.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

constexpr CallerLimits kLimits{.total = 64, .perHost = 24};
constexpr int kAcceptedAtOnce = 16;
// A place may be about to become free, for example when a sender has left and comes back at once.
constexpr TimestampNs kBusyPatience = 250'000'000;
constexpr std::chrono::milliseconds kAskAgain{10};
// A refused caller hangs up; if it does not, we do.
constexpr TimestampNs kRefusalLingers = 1'000'000'000;

HandshakeOptions withAddresses(HandshakeOptions handshake, const Url& url) {
    if ((handshake.features & kTakesRails) != 0) {
        handshake.addresses = toldAddresses(url);
    }
    return handshake;
}

}  // namespace

std::function<std::vector<std::string>()> toldAddresses(const Url& url) {
    const bool everywhere = url.host.empty() || url.host == "0.0.0.0" || url.host == "::";
    return everywhere && !url.isName() ? &hostAddresses : std::function<std::vector<std::string>()>{};
}

SessionAcceptor::SessionAcceptor(const Url& url, const TransportOptions& transport,
                                 const HandshakeOptions& handshake)
    : handshake_(withAddresses(handshake, url)), listeners_(url, transport) {}

void SessionAcceptor::run(AcceptorPolicy& policy, const Event& cancel) {
    const auto objection = [&policy](const Hello& caller, const PeerTrust& trust) {
        return policy.objectionTo(caller, trust);
    };
    while (!cancel.isSet() && policy.goesOn()) {
        if (auto peer = next(objection)) {
            const Role role = peer->hello.role;
            try {
                policy.admit(std::move(*peer));
            } catch (const std::exception& error) {
                warnOfPeer(LogCategory::Session, "not served", "", "a {} could not be served: {}",
                           roleName(role), error.what());
            }
        }
        std::vector<int> waited = descriptors();
        waited.insert(waited.end(), {cancel.descriptor(), policy.waitDescriptor()});
        waitReadable(waited, nextLook());
    }
}

std::vector<int> SessionAcceptor::descriptors() const {
    std::vector<int> waited;
    listeners_.addDescriptors(waited);
    for (const Caller& caller : callers_) {
        // What one says while it waits for a place is for later.
        waited.push_back(caller.waitsForPlace() ? -1 : caller.greeting->waitDescriptor());
    }
    return waited;
}

Deadline SessionAcceptor::nextLook() const {
    if (anotherTurn_) {
        return Deadline::at(0);
    }
    Deadline next = earlier(listeners_.nextLook(), nextPeerSummary());
    for (const Caller& caller : callers_) {
        next = earlier(next, caller.waitsForPlace() ? Deadline::in(kAskAgain) : Deadline::at(caller.until));
    }
    return next;
}

void SessionAcceptor::acceptConnections() {
    for (int count = 0; count < kAcceptedAtOnce; ++count) {
        Connection connection = listeners_.accept();
        if (!connection) {
            return;
        }
        const std::string host = hostOfAddress(connection.messages->description().peer);
        makeRoomFor(host);
        try {
            callers_.push_back({std::unique_ptr<Greeting, GiveUp>(
                                    new Greeting(std::move(connection), handshake_, Side::Listening)),
                                host, nowNs() + std::chrono::nanoseconds(kGreetingPatience).count()});
        } catch (const std::exception& error) {
            warnOfPeer(LogCategory::Session, "dropped", host, "{}: a caller was dropped: {}", host,
                       error.what());
        }
    }
    anotherTurn_ = true;
}

/// Evicts callers that have said nothing before those in the middle of a greeting: of this host if it calls
/// too often, else of the hosts that call most.
void SessionAcceptor::makeRoomFor(const std::string& host) {
    const auto out = callerToDrop(callers_, host, kLimits, [](const Caller& caller) {
        return caller.askedAt != 0 ? 3 : caller.leaving ? 0 : caller.greeting->hasSpoken() ? 2 : 1;
    });
    if (out == callers_.end()) {
        return;
    }
    try {
        if (!out->leaving) {
            out->greeting->refuse(RefuseCode::Crowded, "too many callers have not finished greeting");
        }
    } catch (const std::exception& error) {
        tellOfPeer(LogCategory::Session, "not refused", out->host, "{}: a caller was dropped: {}", out->host,
                   error.what());
    }
    callers_.erase(out);
}

void SessionAcceptor::Caller::leave() {
    leaving = true;
    until = nowNs() + kRefusalLingers;
}

std::optional<PeerConnection> SessionAcceptor::next(const Objection& objection) {
    anotherTurn_ = false;
    summarizePeers();
    acceptConnections();
    for (auto caller = callers_.begin(); caller != callers_.end();) {
        if (serve(*caller, objection)) {
            ++caller;
            continue;
        }
        std::optional<PeerConnection> peer;
        if (caller->greeting->ready() && !caller->leaving) {  // a visitor leaves: it joins nothing
            try {
                peer = caller->greeting->take();
                peer->reason = listeners_.reason();
            } catch (const std::exception& error) {
                warnOfPeer(LogCategory::Session, "dropped", caller->host, "{}: a caller was dropped: {}",
                           caller->host, error.what());
            }
        }
        caller = callers_.erase(caller);
        if (peer) {
            anotherTurn_ = true;
            return peer;
        }
    }
    return std::nullopt;
}

/// Returns false when done with the caller, admitted or not.
bool SessionAcceptor::serve(Caller& caller, const Objection& objection) {
    Greeting& greeting = *caller.greeting;
    try {
        if (caller.leaving) {
            return nowNs() < caller.until && greeting.lingers();
        }
        switch (greeting.serve()) {
            case Handshake::State::Talking:
                anotherTurn_ |= greeting.wantsAnotherTurn();
                if (nowNs() >= caller.until) {
                    tellOfPeer(LogCategory::Session, "no greeting", caller.host,
                               "{}: it does not greet as a verbcast does", greeting.description().peer);
                    return false;
                }
                return true;
            case Handshake::State::Asked:
                if (isVisitor(greeting.peer().role)) {
                    if (greeting.peer().role == Role::Pairing) {
                        handshake_.trust.book->pair(greeting.entry(), greeting.pairingKey(),
                                                    greeting.peer().name.value, caller.host);
                    }
                    greeting.admit();
                    caller.leave();
                    return true;
                }
                if (const auto no = objection(greeting.peer(), greeting.trust())) {
                    const TimestampNs now = nowNs();
                    caller.askedAt = caller.askedAt == 0 ? now : caller.askedAt;
                    if (no->code == RefuseCode::Busy && now - caller.askedAt < kBusyPatience) {
                        return true;
                    }
                    greeting.refuse(no->code, no->text.value);
                    caller.leave();
                    return true;
                }
                greeting.admit();
                return false;
            case Handshake::State::Over:
                if (greeting.end().kind == SessionEnd::Kind::Broken) {
                    if (greeting.end().code == RefuseCode::NotPaired && handshake_.trust.book) {
                        handshake_.trust.book->unpairedCalled(caller.host);
                    } else {
                        warnOfPeer(LogCategory::Session, "broken greeting", caller.host, "{}: {}",
                                   greeting.description().peer, greeting.end().reason);
                    }
                    caller.leave();
                    return true;
                }
                return false;
            case Handshake::State::Ready:
                return false;
        }
    } catch (const std::exception& error) {
        warnOfPeer(LogCategory::Session, "dropped", caller.host, "{}: a caller was dropped: {}", caller.host,
                   error.what());
    }
    return false;
}

}  // namespace verbcast
