#include "core/session/greeting/session_acceptor.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>

#include "core/base/log/peer_log.h"
#include "core/transport/caller_limits.h"
#include "core/transport/host_addresses.h"
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
    : handshake_(withAddresses(handshake, url)),
      listeners_(url, transport),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    epoll_event event{};
    event.events = EPOLLIN;
    if (!epoll_ || ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, listeners_.waitDescriptor(), &event) != 0) {
        throwErrno(ErrorKind::Resource, "epoll", url.text(), errno);
    }
}

SessionAcceptor::~SessionAcceptor() {
    for (Caller& caller : callers_) {
        drop(caller);
    }
}

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
        waitReadable({waitDescriptor(), cancel.descriptor(), policy.waitDescriptor()}, nextLook());
    }
}

Deadline SessionAcceptor::nextLook() const {
    if (anotherTurn_) {
        return Deadline::in(std::chrono::nanoseconds(0));
    }
    Deadline next = earlier(listeners_.nextLook(), nextPeerSummary());
    for (const Caller& caller : callers_) {
        if (caller.askedAt != 0 && !caller.leaving) {
            next = earlier(next, Deadline::in(kAskAgain));
        }
        next = earlier(
            next, Deadline::in(std::chrono::nanoseconds(std::max<TimestampNs>(caller.until - nowNs(), 0))));
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
        std::unique_ptr<Greeting> greeting;
        try {
            greeting = std::make_unique<Greeting>(std::move(connection), handshake_, Side::Listening);
        } catch (const std::exception& error) {
            warnOfPeer(LogCategory::Session, "dropped", host, "{}: a caller was dropped: {}", host,
                       error.what());
            continue;
        }
        epoll_event event{};
        event.events = EPOLLIN;
        if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, greeting->waitDescriptor(), &event) != 0) {
            warnOfPeer(LogCategory::Session, "not watched", host, "{}: a caller was dropped: {}", host,
                       errnoText(errno));
            continue;
        }
        callers_.push_back(
            {std::move(greeting), host, nowNs() + std::chrono::nanoseconds(kGreetingPatience).count()});
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
    drop(*out);
    callers_.erase(out);
}

std::optional<PeerConnection> SessionAcceptor::next(const Objection& objection) {
    anotherTurn_ = false;
    summarizePeers();
    acceptConnections();
    std::optional<PeerConnection> peer;
    for (auto caller = callers_.begin(); caller != callers_.end();) {
        const bool stays = serve(*caller, objection);
        if (stays) {
            ++caller;
            continue;
        }
        if (caller->greeting->ready() && !caller->leaving) {  // a visitor leaves: it joins nothing
            unwatch(*caller);
            try {
                peer = caller->greeting->take();
                peer->reason = listeners_.reason();
            } catch (const std::exception& error) {
                warnOfPeer(LogCategory::Session, "dropped", caller->host, "{}: a caller was dropped: {}",
                           caller->host, error.what());
            }
        } else {
            drop(*caller);
        }
        caller = callers_.erase(caller);
        if (peer) {
            anotherTurn_ = true;
            break;
        }
    }
    return peer;
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
                    leave(caller);
                    return true;
                }
                if (const auto no = objection(greeting.peer(), greeting.trust())) {
                    const TimestampNs now = nowNs();
                    caller.askedAt = caller.askedAt == 0 ? now : caller.askedAt;
                    if (no->code == RefuseCode::Busy && now - caller.askedAt < kBusyPatience) {
                        watch(caller, false);  // what it says meanwhile is for later
                        return true;
                    }
                    greeting.refuse(no->code, no->text.value);
                    leave(caller);
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
                    leave(caller);
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

void SessionAcceptor::watch(Caller& caller, bool on) {
    if (caller.watched == on) {
        return;
    }
    epoll_event event{};
    event.events = EPOLLIN;
    if (::epoll_ctl(epoll_.get(), on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, caller.greeting->waitDescriptor(),
                    &event) != 0) {
        throwErrno(ErrorKind::Resource, "epoll_ctl", caller.host, errno);
    }
    caller.watched = on;
}

void SessionAcceptor::leave(Caller& caller) {
    caller.leaving = true;
    caller.until = nowNs() + kRefusalLingers;
    watch(caller, true);
}

void SessionAcceptor::unwatch(Caller& caller) {
    if (caller.watched) {
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, caller.greeting->waitDescriptor(), nullptr);
        caller.watched = false;
    }
}

/// Before it is destroyed: no caller holds up the others.
void SessionAcceptor::drop(Caller& caller) {
    unwatch(caller);
    caller.greeting->giveUpPeer();
}

}  // namespace verbcast
