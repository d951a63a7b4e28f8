// Finding each other over TCP: listening sockets, pairing of the two connections, connecting with a deadline.
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/transport/socket_address.h"
#include "core/transport/tcp/tcp_channel.h"

namespace verbcast {
namespace {

using namespace tcp;

constexpr std::size_t kMaxHalfOpen = 64;
constexpr TimestampNs kPairingDeadlineNs = 2'000'000'000;

/// A connection that has been accepted and has not found its other half yet.
struct HalfOpen {
    UniqueFd socket;
    Preamble preamble{};
    std::size_t received = 0;
    TimestampNs since = 0;
    bool complete() const { return received == sizeof preamble; }
};

UniqueFd listenOn(const SocketAddress& address, const Url& url) {
    UniqueFd socket(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) {
        return socket;
    }
    const int one = 1;
    const int zero = 0;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (address.family() == AF_INET6) {
        // "::" also takes IPv4 callers.
        ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, url.host.empty() ? &zero : &one, sizeof one);
    }
    if (::bind(socket.get(), address.get(), address.length) != 0 || ::listen(socket.get(), 16) != 0) {
        const int code = errno;
        if (code == EADDRINUSE) {
            throw Error(
                ErrorKind::Network,
                fmt::format("port {} ({}) is taken by another program", address.port(), address.text()),
                fmt::format("choose another port, for example --listen tcp://:{}", address.port() + 1));
        }
        throwErrno(ErrorKind::Network, "listening", address.text(), code,
                   "give an address of this machine (see: ip -br address)");
    }
    return socket;
}

class TcpListener final : public Listener {
  public:
    explicit TcpListener(const Url& url) : url_(url), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
        std::vector<SocketAddress> addresses = resolve(url, true);
        if (url.host.empty()) {
            // One dual-stack socket serves both families; IPv4 alone where the kernel has no IPv6.
            std::stable_sort(addresses.begin(), addresses.end(),
                             [](const SocketAddress& a, const SocketAddress& b) {
                                 return a.family() == AF_INET6 && b.family() != AF_INET6;
                             });
        }
        for (const SocketAddress& address : addresses) {
            UniqueFd socket = listenOn(address, url);
            if (!socket) {
                continue;
            }
            watch(socket.get());
            sockets_.push_back(std::move(socket));
            if (url.host.empty()) {
                break;
            }
        }
        if (sockets_.empty()) {
            throw Error(ErrorKind::Network, fmt::format("no socket could be made for {}", url.text()));
        }
        url_.scheme = Scheme::Tcp;
        url_.port = localAddressOf(sockets_.front().get()).port();
        url_.options.clear();
    }

    std::string address() const override { return url_.text(); }
    int waitDescriptor() const override { return epoll_.get(); }

    std::unique_ptr<Channel> accept() override {
        acceptNew();
        for (HalfOpen& half : halfOpen_) {
            readPreamble(half);
        }
        const TimestampNs now = nowNs();
        std::erase_if(halfOpen_, [&](const HalfOpen& half) {
            return !half.socket || now - half.since > kPairingDeadlineNs;
        });
        return pair();
    }

  private:
    void watch(int socket) const {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = socket;
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket, &event);
    }

    void acceptNew() {
        for (const UniqueFd& socket : sockets_) {
            for (;;) {
                UniqueFd peer(::accept4(socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
                if (!peer) {
                    break;
                }
                if (halfOpen_.size() == kMaxHalfOpen) {
                    halfOpen_.erase(halfOpen_.begin());
                }
                watch(peer.get());
                halfOpen_.push_back({std::move(peer), {}, 0, nowNs()});
            }
        }
    }

    static void readPreamble(HalfOpen& half) {
        if (half.complete()) {
            // The data half says nothing before it is paired; an end of file shows that the peer gave up.
            char byte = 0;
            if (::recv(half.socket.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0) {
                half.socket.reset();
            }
            return;
        }
        const auto got = ::recv(half.socket.get(), reinterpret_cast<char*>(&half.preamble) + half.received,
                                sizeof half.preamble - half.received, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            half.socket.reset();
            return;
        }
        half.received += got > 0 ? static_cast<std::size_t>(got) : 0;
        if (!half.complete()) {
            return;
        }
        const bool known =
            half.preamble.kind == StreamKind::Control || half.preamble.kind == StreamKind::Data;
        if (half.preamble.magic != kMagic || !known) {
            log().warn("{} does not speak verbcast's tcp protocol; dropped",
                       peerAddressOf(half.socket.get()).text());
            half.socket.reset();
        }
    }

    std::unique_ptr<Channel> pair() {
        for (HalfOpen& control : halfOpen_) {
            if (!control.complete() || control.preamble.kind != StreamKind::Control) {
                continue;
            }
            const auto data = std::find_if(halfOpen_.begin(), halfOpen_.end(), [&](const HalfOpen& other) {
                return other.complete() && other.preamble.kind == StreamKind::Data &&
                       other.preamble.token == control.preamble.token;
            });
            if (data == halfOpen_.end()) {
                continue;
            }
            for (int socket : {control.socket.get(), data->socket.get()}) {
                ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket, nullptr);
            }
            auto channel = std::make_unique<TcpChannel>(std::move(control.socket), std::move(data->socket));
            std::erase_if(halfOpen_, [](const HalfOpen& half) { return !half.socket; });
            return channel;
        }
        return nullptr;
    }

    Url url_;
    UniqueFd epoll_;
    std::vector<UniqueFd> sockets_;
    std::vector<HalfOpen> halfOpen_;
};

/// Ok, TimedOut or Cancelled; `code` gets the errno of a refusal (then Closed).
Status connectSocket(int socket, const SocketAddress& address, TimestampNs deadline, const Event& cancel,
                     int& code) {
    if (::connect(socket, address.get(), address.length) == 0) {
        return Status::Ok;
    }
    if (errno != EINPROGRESS) {
        code = errno;
        return Status::Closed;
    }
    // An epoll descriptor turns "writable" into something waitReadable can wait for.
    const UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event event{};
    event.events = EPOLLOUT;
    ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, socket, &event);
    for (;;) {
        const TimestampNs left = deadline - nowNs();
        if (left <= 0) {
            code = ETIMEDOUT;
            return Status::TimedOut;
        }
        if (cancel.isSet()) {
            return Status::Cancelled;
        }
        waitReadable({epoll.get(), cancel.descriptor()}, std::chrono::nanoseconds(left));
        epoll_event ready{};
        if (::epoll_wait(epoll.get(), &ready, 1, 0) == 1) {
            socklen_t length = sizeof code;
            ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &length);
            return code == 0 ? Status::Ok : Status::Closed;
        }
    }
}

struct Attempt {
    Status status = Status::Closed;
    int code = 0;
    UniqueFd socket;
};

Attempt connectHalf(const SocketAddress& address, const Preamble& preamble, TimestampNs deadline,
                    const Event& cancel) {
    Attempt attempt;
    attempt.socket.reset(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!attempt.socket) {
        attempt.code = errno;
        return attempt;
    }
    attempt.status = connectSocket(attempt.socket.get(), address, deadline, cancel, attempt.code);
    if (attempt.status == Status::Ok && ::send(attempt.socket.get(), &preamble, sizeof preamble,
                                               MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof preamble)) {
        // A fresh socket's buffer takes 32 bytes, so this is a connection that is already gone.
        attempt.code = ECONNRESET;
        attempt.status = Status::Closed;
    }
    return attempt;
}

}  // namespace

std::unique_ptr<Listener> listenTcp(const Url& url, const TransportOptions& /*options*/) {
    return std::make_unique<TcpListener>(url);
}

std::unique_ptr<Channel> connectTcp(const Url& url, const TransportOptions& /*options*/,
                                    std::chrono::milliseconds timeout, const Event& cancel) {
    const TimestampNs deadline = nowNs() + std::chrono::nanoseconds(timeout).count();
    Preamble preamble{};
    preamble.magic = kMagic;
    if (::getrandom(preamble.token.data(), preamble.token.size(), 0) !=
        static_cast<ssize_t>(preamble.token.size())) {
        throwErrno(ErrorKind::Internal, "getrandom", "a connection token", errno);
    }
    int code = 0;
    for (const SocketAddress& address : resolve(url, false)) {
        preamble.kind = StreamKind::Control;
        Attempt control = connectHalf(address, preamble, deadline, cancel);
        preamble.kind = StreamKind::Data;
        Attempt data =
            control.status == Status::Ok ? connectHalf(address, preamble, deadline, cancel) : Attempt{};
        if (control.status == Status::Cancelled || data.status == Status::Cancelled) {
            return nullptr;
        }
        if (control.status == Status::Ok && data.status == Status::Ok) {
            return std::make_unique<TcpChannel>(std::move(control.socket), std::move(data.socket));
        }
        code = control.status == Status::Ok ? data.code : control.code;
    }
    if (code == ECONNREFUSED) {
        throw Error(ErrorKind::Network, fmt::format("nobody is listening on {}", url.text()),
                    "start the other side, or check its --listen address and port");
    }
    throw Error(ErrorKind::Network, fmt::format("cannot connect to {}: {}", url.text(), errnoText(code)),
                "check the address, the network and the firewall");
}

}  // namespace verbcast
