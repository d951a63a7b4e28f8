#include "core/session/greeting/listener_set.h"

#include <fmt/format.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>

#include "core/base/log/log.h"
#include "core/base/log/peer_log.h"

namespace verbcast {
namespace {

constexpr TimestampNs kPause = 200'000'000;           // after running out of descriptors or memory
constexpr TimestampNs kReopenInterval = 250'000'000;  // for a listener whose device is gone

}  // namespace

ListenerSet::ListenerSet(const Url& url, const TransportOptions& options)
    : options_(options), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_) {
        throwErrno(ErrorKind::Resource, "epoll_create1", url.text(), errno);
    }
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
    watch(one, true);
    listeners_.push_back(std::move(one));
}

void ListenerSet::watch(Listening& one, bool on) {
    if (one.watched == on) {
        return;
    }
    epoll_event event{};
    event.events = EPOLLIN;
    if (::epoll_ctl(epoll_.get(), on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, one.listener->waitDescriptor(),
                    &event) != 0) {
        throwErrno(ErrorKind::Internal, "epoll_ctl", one.url.text(), errno);
    }
    one.watched = on;
}

void ListenerSet::pause(Listening& one, const std::string& why) {
    warnOfPeer(LogCategory::Session, "pause", one.url.text(), "{}: accepting pauses: {}", one.url.text(),
               why);
    watch(one, false);
    one.resumeAt = nowNs() + kPause;
}

void ListenerSet::resume() {
    const TimestampNs now = nowNs();
    for (Listening& one : listeners_) {
        if (one.watched || now < one.resumeAt) {
            continue;
        }
        try {
            if (!one.listener) {
                one.listener = one.transport->listen(one.url, options_);
                tellOfPeer(LogCategory::Session, "listening again", one.url.text(), "{}: listening again",
                           one.url.text());
            }
            watch(one, true);
        } catch (const Error& error) {
            log(LogCategory::Session).debug("{}: {}", one.url.text(), error.what());
            one.resumeAt = now + kReopenInterval;
        }
    }
}

Deadline ListenerSet::nextLook() const {
    Deadline next = Deadline::never();
    for (const Listening& one : listeners_) {
        if (!one.watched) {
            next = earlier(
                next,
                Deadline::in(std::chrono::nanoseconds(std::max<TimestampNs>(one.resumeAt - nowNs(), 0))));
        }
    }
    return next;
}

Connection ListenerSet::accept() {
    resume();
    for (Listening& one : listeners_) {
        if (!one.watched) {
            continue;
        }
        try {
            if (Connection connection = one.listener->accept()) {
                return connection;
            }
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Device) {
                warnOfPeer(LogCategory::Session, "no longer listening", one.url.text(),
                           "{}: no longer listening: {}", one.url.text(), error.what());
                watch(one, false);
                one.listener.reset();
                one.resumeAt = nowNs() + kReopenInterval;
            } else {
                pause(one, error.what());
            }
        } catch (const std::exception& error) {
            pause(one, error.what());
        }
    }
    return {};
}

}  // namespace verbcast
