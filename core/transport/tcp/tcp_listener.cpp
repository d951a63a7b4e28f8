#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include "core/transport/accept_socket.h"
#include "core/transport/tcp/tcp_connect.h"

namespace verbcast::tcp {
namespace {

// How long to wait for resolving the name of one of this machine's interfaces.
constexpr std::chrono::seconds kNamePatience{5};
constexpr int kBacklog = 64;
// New callers handled per accept().
constexpr int kMaxCallersPerTurn = 64;

UniqueFd listenOn(const SocketAddress& address, const Url& url) {
    UniqueFd socket(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) {
        return socket;
    }
    const int one = 1;
    const int zero = 0;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (address.family() == AF_INET6) {
        // "::" also accepts IPv4 callers.
        ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, url.host.empty() ? &zero : &one, sizeof one);
    }
    if (::bind(socket.get(), address.get(), address.length) != 0 || ::listen(socket.get(), kBacklog) != 0) {
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
    explicit TcpListener(const Url& url);

    std::string address() const override { return url_.text(); }
    int waitDescriptor() const override { return epoll_.get(); }
    Connection accept() override;

  private:
    bool listensAt(int socket) const {
        return std::ranges::find(sockets_, socket, &UniqueFd::get) != sockets_.end();
    }
    std::optional<HalfOpenCallers::Pair> takeNew(int socket);

    Url url_;
    UniqueFd epoll_;
    std::vector<UniqueFd> sockets_;
    HalfOpenCallers callers_;
};

TcpListener::TcpListener(const Url& url)
    : url_(url), epoll_(::epoll_create1(EPOLL_CLOEXEC)), callers_(epoll_.get()) {
    std::vector<SocketAddress> addresses = resolve(url, true, Deadline::in(kNamePatience));
    if (url.host.empty()) {
        // One dual-stack socket serves both families; IPv4 alone if the kernel has no IPv6.
        std::ranges::stable_sort(addresses, {},
                                 [](const SocketAddress& a) { return a.family() != AF_INET6; });
    }
    for (const SocketAddress& address : addresses) {
        UniqueFd socket = listenOn(address, url);
        if (!socket) {
            continue;
        }
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = socket.get();
        if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket.get(), &event) != 0) {
            throwErrno(ErrorKind::Resource, "epoll_ctl", url.text(), errno);
        }
        sockets_.push_back(std::move(socket));
        if (url.host.empty()) {
            break;
        }
    }
    if (sockets_.empty()) {
        throw Error(ErrorKind::Network, fmt::format("no socket could be made for {}", url.text()),
                    "give an address of this machine (see: ip -br address)");
    }
    url_.scheme = "tcp";
    url_.port = localAddressOf(sockets_.front().get()).port();
    url_.options.clear();
}

Connection TcpListener::accept() {
    std::array<epoll_event, 32> ready;
    const int count = ::epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), 0);
    const std::span<const epoll_event> events(ready.data(), static_cast<std::size_t>(std::max(count, 0)));
    // Half-open callers come first: even a process without free descriptors can still pair them. Events left
    // over once there is a pair stay readable.
    for (const epoll_event& event : events) {
        if (event.data.fd == callers_.timer()) {
            callers_.expire();
        } else if (auto pair = callers_.ready(event.data.fd)) {
            return connectionOf(std::move(*pair));
        }
    }
    for (const epoll_event& event : events) {
        if (listensAt(event.data.fd)) {
            if (auto pair = takeNew(event.data.fd)) {
                return connectionOf(std::move(*pair));
            }
        }
    }
    return {};
}

std::optional<HalfOpenCallers::Pair> TcpListener::takeNew(int socket) {
    for (int taken = 0; taken < kMaxCallersPerTurn; ++taken) {
        SocketAddress from;
        UniqueFd caller = acceptSocket(socket, url_.text(), &from);
        if (!caller) {
            break;
        }
        if (auto pair = callers_.add(std::move(caller), from)) {
            return pair;
        }
    }
    return std::nullopt;
}

}  // namespace

std::unique_ptr<Listener> listenTcp(const Url& url, const TransportOptions& /*options*/) {
    return std::make_unique<TcpListener>(url);
}

}  // namespace verbcast::tcp
