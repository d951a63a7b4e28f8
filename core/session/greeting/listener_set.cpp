#include "core/session/greeting/listener_set.h"

#include "core/base/log/log.h"
#include "core/base/log/peer_log.h"

namespace verbcast {
namespace {

constexpr TimestampNs kPause = 200'000'000;           // after running out of descriptors or memory
constexpr TimestampNs kReopenInterval = 250'000'000;  // for a listener whose device is gone

}  // namespace

ListenerSet::ListenerSet(const Url& url, const TransportOptions& options) : options_(options) {
    if (url.scheme.empty()) {
        addAutomatic(url);
    } else {
        add(transportFor(url), url);
    }
}

void ListenerSet::addAutomatic(const Url& url) {
    const Transport& fallback = fallbackTransport();
    add(fallback, addressFor(fallback, url));
    Url bound = url;
    bound.port = parseUrl(addresses_.front()).port;  // port 0 became a real one
    for (const Transport& transport : transports()) {
        if (!transport.automatic || transport.fallback || !transport.availability().available) {
            continue;
        }
        try {
            add(transport, addressFor(transport, bound));
        } catch (const Error& error) {
            log(LogCategory::Session).warn("not listening by {}: {}", transport.label, error.what());
        }
    }
}

void ListenerSet::add(const Transport& transport, const Url& url) {
    Listening one{&transport, url, transport.listen(url, options_)};
    addresses_.push_back(one.listener->address());
    if (!url.isName()) {
        one.url.port = parseUrl(addresses_.back()).port;
    }
    listeners_.push_back(std::move(one));
}

void ListenerSet::reopen(Listening& one) {
    one.listener = one.transport->listen(one.url, options_);
    tellOfPeer(LogCategory::Session, "listening again", one.url.text(), "{}: listening again",
               one.url.text());
}

void ListenerSet::pause(Listening& one, const std::exception& why) {
    const std::string where = one.url.text();
    const auto* error = dynamic_cast<const Error*>(&why);
    const bool deviceGone = error != nullptr && error->kind() == ErrorKind::Device;
    one.resumeAt = nowNs() + (deviceGone || !one.listener ? kReopenInterval : kPause);
    if (!one.listener) {
        log(LogCategory::Session).debug("{}: {}", where, why.what());
    } else if (deviceGone) {
        warnOfPeer(LogCategory::Session, "no longer listening", where, "{}: no longer listening: {}", where,
                   why.what());
        one.listener.reset();
    } else {
        warnOfPeer(LogCategory::Session, "pause", where, "{}: accepting pauses: {}", where, why.what());
    }
}

void ListenerSet::addDescriptors(std::vector<int>& descriptors) const {
    for (const Listening& one : listeners_) {
        descriptors.push_back(one.resumeAt != 0 ? -1 : one.listener->waitDescriptor());
    }
}

Deadline ListenerSet::nextLook() const {
    Deadline next = Deadline::never();
    for (const Listening& one : listeners_) {
        if (one.resumeAt != 0) {
            next = earlier(next, Deadline::at(one.resumeAt));
        }
    }
    return next;
}

Connection ListenerSet::accept() {
    for (Listening& one : listeners_) {
        if (nowNs() < one.resumeAt) {
            continue;
        }
        one.resumeAt = 0;
        try {
            if (!one.listener) {
                reopen(one);
            }
            if (Connection connection = one.listener->accept()) {
                return connection;
            }
        } catch (const std::exception& error) {
            pause(one, error);
        }
    }
    return {};
}

}  // namespace verbcast
