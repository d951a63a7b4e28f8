#include "core/session/rendezvous.h"

#include <fmt/format.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>

#include "core/base/log.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

// A caller that was refused hangs up; one that does not is hung up on.
constexpr TimestampNs kRefusalLingers = 1'000'000'000;
// With several transports to try, none may use up the time of the others.
constexpr std::chrono::milliseconds kVerbsPatience{1000};

std::string shmNameForPort(std::uint16_t port) {
    return fmt::format("port-{}", port);
}

Url withScheme(Url url, Scheme scheme) {
    url.scheme = scheme;
    if (scheme == Scheme::Shm && url.name.empty()) {
        url.name = shmNameForPort(url.port);
    }
    return url;
}

bool isThisHost(const Url& url) {
    const auto addresses = resolve(url, false);
    return std::any_of(addresses.begin(), addresses.end(), isLocalAddress);
}

Connection connectAuto(const Url& url, const TransportOptions& options, std::chrono::milliseconds timeout,
                       const Event& cancel) {
    std::string notes;  // why not the better ones
    if (isThisHost(url)) {
        try {
            return {connectOne(withScheme(url, Scheme::Shm), options, timeout, cancel),
                    "both are on this host"};
        } catch (const Error& error) {
            notes = fmt::format("no shared memory: {}; ", error.what());
        }
    }
    const TransportAvailability verbs = verbsAvailability();
    if (verbs.available) {
        try {
            return {connectOne(withScheme(url, Scheme::Verbs), options, std::min(timeout, kVerbsPatience),
                               cancel),
                    notes + "an RDMA device reaches the peer"};
        } catch (const Error& error) {
            notes += fmt::format("no RDMA: {}", error.what());
        }
    } else {
        notes += fmt::format("no RDMA: {}", verbs.reason);
    }
    return {connectOne(withScheme(url, Scheme::Tcp), options, timeout, cancel), notes};
}

}  // namespace

std::unique_ptr<Listener> listenOn(const Url& url, const TransportOptions& options) {
    switch (url.scheme) {
        case Scheme::Verbs:
            return listenVerbs(url, options);
        case Scheme::Tcp:
            return listenTcp(url, options);
        case Scheme::Shm:
            return listenShm(url, options);
        case Scheme::Auto:
            break;
    }
    throw Error(ErrorKind::Internal, "an address without a transport");
}

std::unique_ptr<Channel> connectOne(const Url& url, const TransportOptions& options,
                                    std::chrono::milliseconds timeout, const Event& cancel) {
    switch (url.scheme) {
        case Scheme::Verbs:
            return connectVerbs(url, options, timeout, cancel);
        case Scheme::Tcp:
            return connectTcp(url, options, timeout, cancel);
        case Scheme::Shm:
            return connectShm(url, options, timeout, cancel);
        case Scheme::Auto:
            break;
    }
    throw Error(ErrorKind::Internal, "an address without a transport");
}

Acceptor::Acceptor(const Url& url, const TransportOptions& options) : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_) {
        throwErrno(ErrorKind::Resource, "epoll_create1", url.text(), errno);
    }
    if (url.scheme != Scheme::Auto) {
        add(listenOn(url, options));
        return;
    }
    add(listenTcp(withScheme(url, Scheme::Tcp), options));
    Url bound = url;
    bound.port = parseUrl(addresses_.front()).port;  // port 0 became a real one
    try {
        add(listenShm(withScheme(bound, Scheme::Shm), options));
    } catch (const Error& error) {
        log().warn("not listening on shared memory: {}", error.what());
    }
    if (verbsAvailability().available) {
        try {
            add(listenVerbs(withScheme(bound, Scheme::Verbs), options));
        } catch (const Error& error) {
            log().warn("not listening for RDMA: {}", error.what());
        }
    }
}

void Acceptor::add(std::unique_ptr<Listener> listener) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = listener->waitDescriptor();
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, listener->waitDescriptor(), &event) != 0) {
        throwErrno(ErrorKind::Internal, "epoll_ctl", listener->address(), errno);
    }
    addresses_.push_back(listener->address());
    listeners_.push_back(std::move(listener));
}

Connection Acceptor::accept() {
    for (const auto& listener : listeners_) {
        if (auto channel = listener->accept()) {
            return {std::move(channel), listeners_.size() > 1 ? "chosen by the peer" : "as asked for"};
        }
    }
    return {};
}

Connection connectBest(const Url& url, const TransportOptions& options, std::chrono::milliseconds timeout,
                       const Event& cancel) {
    const TimestampNs startedAt = nowNs();
    Connection connection;
    if (url.scheme == Scheme::Auto) {
        connection = connectAuto(url, options, timeout, cancel);
    } else {
        connection = {connectOne(url, options, timeout, cancel), "as asked for"};
    }
    connection.startedAt = startedAt;
    return connection;
}

void BusySignal::serve() {
    struct Deaf : ChannelHandler {
        void onMessage(std::span<const std::byte>) override {}
        void onPeerSlots(std::uint32_t, std::uint64_t, std::uint32_t) override {}
        void onPeerPool(std::uint32_t, std::shared_ptr<FramePool>) override {}
        void onFrame(std::uint32_t, std::uint32_t, const FrameInfo&) override {}
        void onFrameSent(std::uint32_t) override {}
    } deaf;
    for (Connection next = acceptor_.accept(); next.channel; next = acceptor_.accept()) {
        if (next.channel->sendMessage(encodeMessage(Refuse{RefuseCode::Busy, text_})) == Status::Ok) {
            callers_.push_back({std::move(next.channel), nowNs()});
        }
    }
    std::erase_if(callers_, [&](Caller& caller) {
        try {
            return nowNs() - caller.since > kRefusalLingers ||
                   caller.channel->process(deaf) == Progress::Closed;
        } catch (const Error&) {
            return true;
        }
    });
}

}  // namespace verbcast
