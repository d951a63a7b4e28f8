#include "core/stream/doorkeeper.h"

#include <utility>

#include "core/base/stranger_log.h"

namespace verbcast {

std::unique_ptr<Doorkeeper> Doorkeeper::listening(const Url& url, const HandshakeOptions& handshake,
                                                  Audience& audience) {
    std::unique_ptr<Doorkeeper> keeper(new Doorkeeper(audience));
    auto reception = std::make_shared<Reception>(url, TransportOptions{.sendsFrames = true}, handshake);
    keeper->addresses_ = reception->addresses();
    keeper->start([keeper = keeper.get(), reception = std::move(reception)] { keeper->listen(*reception); });
    return keeper;
}

std::unique_ptr<Doorkeeper> Doorkeeper::connecting(const Url& url, const HandshakeOptions& handshake,
                                                   Audience& audience, bool reconnect) {
    std::unique_ptr<Doorkeeper> keeper(new Doorkeeper(audience));
    auto connector = std::make_shared<Connector>(url, TransportOptions{.sendsFrames = true}, handshake);
    keeper->start([keeper = keeper.get(), connector = std::move(connector), reconnect] {
        keeper->connect(*connector, reconnect);
    });
    return keeper;
}

Doorkeeper::~Doorkeeper() {
    cancel_.notify();
}

void Doorkeeper::start(std::function<void()> work) {
    thread_ = std::jthread([this, work = std::move(work)] {
        try {
            work();
        } catch (...) {
            fail(std::current_exception());
        }
        audience_.shared().progress.notify();
    });
}

void Doorkeeper::fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
}

void Doorkeeper::rethrowFailure() const {
    const std::lock_guard lock(mutex_);
    if (failure_) {
        std::rethrow_exception(failure_);
    }
}

void Doorkeeper::listen(Reception& reception) {
    const auto objection = [this](const Hello& caller, const PeerTrust&) -> std::optional<Refuse> {
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
    };
    while (!cancel_.isSet()) {
        audience_.removeEnded();
        if (auto guest = reception.next(objection)) {
            try {
                audience_.add(std::move(*guest));
            } catch (const std::exception& error) {
                // Out of descriptors or threads: that receiver is lost, the others are not.
                warnOfStranger(LogCategory::Stream, "receiver not served", "",
                               "a receiver could not be served: {}", error.what());
            }
        }
        waitReadable({reception.waitDescriptor(), cancel_.descriptor(), audience_.ended().descriptor()},
                     reception.nextLook());
    }
}

bool Doorkeeper::othersGoOn(const Connector& connector) const {
    return connector.rail() && audience_.serves(Hello{}.asRail(*connector.rail()));
}

/// Serves that rail until it has ended.
void Doorkeeper::serveRail(Guest guest, const RailHello& rail) {
    const std::string peer = guest.connection.messages->description().peer;
    guest.peer = guest.peer.asRail(rail);
    std::shared_ptr<const Event> ended;
    try {
        ended = audience_.add(std::move(guest));
    } catch (const Error& error) {
        warnOfStranger(LogCategory::Stream, "rail not used", peer, "{}: {}", peer, error.what());
        return;
    }
    while (!cancel_.isSet() && !ended->isSet()) {
        waitReadable({cancel_.descriptor(), ended->descriptor()}, Deadline::never());
    }
    audience_.removeEnded();
}

std::exception_ptr Doorkeeper::trouble() const {
    const std::lock_guard lock(mutex_);
    return trouble_;
}

void Doorkeeper::noteTrouble(std::exception_ptr trouble) {
    {
        const std::lock_guard lock(mutex_);
        std::swap(trouble_, trouble);
    }
    audience_.shared().progress.notify();
}

/// Returns nullopt if a rail cannot be tried now. Without its device it does not end a stream that goes on,
/// or may begin, over another: the owner of all doors decides that.
std::optional<std::variant<Guest, LinkEnd>> Doorkeeper::meet(Connector& connector) {
    try {
        auto met = connector.meet(cancel_);
        noteTrouble(nullptr);
        return met;
    } catch (const Error& error) {
        if (!connector.rail()) {
            throw;
        }
        noteTrouble(std::current_exception());
        warnOfStranger(LogCategory::Stream, "rail not reached", "", "rail {}: {}; trying again",
                       connector.rail()->index + 1, error.what());
        return std::nullopt;
    }
}

void Doorkeeper::connect(Connector& connector, bool reconnect) {
    while (!cancel_.isSet() && !closed_) {
        auto outcome = meet(connector);
        if (!outcome) {
            continue;
        }
        auto& met = *outcome;
        LinkEnd end;
        if (auto* guest = std::get_if<Guest>(&met)) {
            if (guest->peer.role == Role::Receiver && connector.rail()) {
                serveRail(std::move(*guest), *connector.rail());
            } else {
                audience_.add(std::move(*guest));
                while (!cancel_.isSet() && audience_.anyAlive()) {
                    waitReadable({cancel_.descriptor(), audience_.ended().descriptor()}, Deadline::never());
                    audience_.removeEnded();
                }
            }
            const Audience::Past past = audience_.past();
            if (past.failure) {
                std::rethrow_exception(past.failure);
            }
            end = past.lastEnd;
        } else {
            end = std::get<LinkEnd>(met);
            if (!cancel_.isSet() && !othersGoOn(connector)) {
                audience_.noteEnd(end);
            }
        }
        if (othersGoOn(connector)) {
            continue;  // whatever it was: another rail serves, and this one is tried again
        }
        if (end.permanent) {
            throw Error(ErrorKind::Peer, end.reason, end.remedy);
        }
        if (!reconnect) {
            return;
        }
    }
}

}  // namespace verbcast
