// Finding each other over TCP: a caller connects twice, and the listener pairs the two.
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <vector>

#include "core/transport/callers.h"
#include "core/transport/tcp/half_open.h"
#include "core/transport/tcp/tcp_channel.h"
#include "core/transport/tcp/tcp_path.h"
#include "core/transport/transports.h"

namespace verbcast::tcp {
namespace {

// The kernel retries a lost connection attempt after 1, 3 and 7 s: a host whose network is back would wait
// just as long.
constexpr std::chrono::nanoseconds kCallAgain = std::chrono::milliseconds(400);
constexpr std::size_t kMaxCalls = 8;

struct Attempt {
    Status status = Status::Closed;  ///< or Ok or Cancelled
    int code = 0;                    ///< errno if Closed
    UniqueFd socket;
};

Attempt failed(int code) {
    return {.status = Status::Closed, .code = code, .socket = {}};
}

/// Sleeps until one of the sockets is writable, the deadline, or `cancel`; may wake earlier.
void waitWritable(const std::vector<UniqueFd>& sockets, Deadline deadline, const Event& cancel) {
    std::vector<pollfd> fds{{cancel.descriptor(), POLLIN, 0}};
    for (const UniqueFd& socket : sockets) {
        fds.push_back({socket.get(), POLLOUT, 0});
    }
    const auto left = deadline.left().count();
    const timespec limit{.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
    ::ppoll(fds.data(), fds.size(), deadline.isNever() ? nullptr : &limit, nullptr);
}

void refuseShortage(const SocketAddress& address, int code) {
    if (code == EMFILE || code == ENFILE || code == ENOMEM || code == ENOBUFS) {
        throwErrno(ErrorKind::Resource, "socket", address.text(), code, kRaiseFileLimit);
    }
}

/// Starts a call; Closed if it cannot be answered.
Attempt call(const SocketAddress& address) {
    UniqueFd socket(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket || (::connect(socket.get(), address.get(), address.length) != 0 && errno != EINPROGRESS)) {
        return failed(errno);
    }
    return {Status::Ok, 0, std::move(socket)};
}

/// The result of the first call that was answered.
std::optional<Attempt> answer(std::vector<UniqueFd>& calls) {
    for (UniqueFd& one : calls) {
        pollfd writable{one.get(), POLLOUT, 0};
        if (::poll(&writable, 1, 0) == 1) {
            int code = 0;
            socklen_t length = sizeof code;
            ::getsockopt(one.get(), SOL_SOCKET, SO_ERROR, &code, &length);
            return code == 0 ? Attempt{Status::Ok, 0, std::move(one)} : failed(code);
        }
    }
    return std::nullopt;
}

/// Calls again while nobody answers; the first answer counts.
Attempt connectSocket(const SocketAddress& address, Deadline deadline, const Event& cancel) {
    std::vector<UniqueFd> calls;
    Deadline again = Deadline::in(std::chrono::nanoseconds(0));
    while (!cancel.isSet()) {
        if (again.passed() && calls.size() < kMaxCalls) {
            again = Deadline::in(kCallAgain);
            Attempt next = call(address);
            if (next.status == Status::Ok) {
                calls.push_back(std::move(next.socket));
            } else if (calls.empty()) {
                refuseShortage(address, next.code);
                return next;
            }
        }
        if (auto answered = answer(calls)) {
            return std::move(*answered);
        }
        if (deadline.passed()) {
            return failed(ETIMEDOUT);
        }
        waitWritable(calls, calls.size() < kMaxCalls ? earlier(deadline, again) : deadline, cancel);
    }
    return {.status = Status::Cancelled, .code = 0, .socket = {}};
}

Attempt connectHalf(const SocketAddress& address, const Preamble& preamble, Deadline deadline,
                    const Event& cancel) {
    Attempt attempt = connectSocket(address, deadline, cancel);
    if (attempt.status == Status::Ok && ::send(attempt.socket.get(), &preamble, sizeof preamble,
                                               MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof preamble)) {
        // A fresh socket's buffer takes 32 bytes, so this is a connection that is already gone.
        return failed(ECONNRESET);
    }
    return attempt;
}

Preamble newPreamble() {
    Preamble preamble{};
    preamble.magic = kMagic;
    if (::getrandom(preamble.token.data(), preamble.token.size(), 0) !=
        static_cast<ssize_t>(preamble.token.size())) {
        throwErrno(ErrorKind::Internal, "getrandom", "a connection token", errno);
    }
    return preamble;
}

/// An equal share of the remaining time, so that an unresponsive address leaves some for the next.
Deadline shareOf(Deadline deadline, std::size_t addressesLeft) {
    return deadline.isNever() ? deadline
                              : Deadline::in(deadline.left() / static_cast<std::int64_t>(addressesLeft));
}

[[noreturn]] void throwUnreachable(const Url& url, int code) {
    if (code == ECONNREFUSED) {
        throw Error(ErrorKind::Network, fmt::format("nobody is listening on {}", url.text()),
                    "start the other side, or check its --listen address and port");
    }
    throw Error(ErrorKind::Network, fmt::format("cannot connect to {}: {}", url.text(), errnoText(code)),
                "check the address, the network and the firewall");
}

constexpr int kBacklog = 64;
// New callers handled per accept().
constexpr int kMaxCallersPerTurn = 64;

constexpr const char* kGiveOwnAddress = "give an address of this machine (see: ip -br address)";

/// Closed if this machine has no such address. Throws Error{Network, Resource} for anything else.
Attempt listenOn(const SocketAddress& address, const Url& url) {
    UniqueFd socket(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) {
        const int code = errno;
        refuseShortage(address, code);
        return failed(code);
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
        if (code == EADDRNOTAVAIL || code == EAFNOSUPPORT) {
            return failed(code);
        }
        throwErrno(ErrorKind::Network, "listening", address.text(), code, kGiveOwnAddress);
    }
    return {Status::Ok, 0, std::move(socket)};
}

class TcpListener final : public Listener {
  public:
    explicit TcpListener(const Url& url) : url_(url) {
        std::vector<SocketAddress> addresses = resolveToListen(url);
        if (url.host.empty()) {
            // One dual-stack socket serves both families; IPv4 alone if the kernel has no IPv6.
            std::ranges::stable_sort(addresses, {},
                                     [](const SocketAddress& a) { return a.family() != AF_INET6; });
        }
        url_.scheme = "tcp";
        int code = 0;
        for (SocketAddress& address : addresses) {
            address.setPort(url_.port);
            Attempt attempt = listenOn(address, url);
            if (attempt.status != Status::Ok) {  // a name may have others, as where IPv6 is switched off
                code = attempt.code;
                continue;
            }
            epoll_.add(attempt.socket.get());
            sockets_.push_back(std::move(attempt.socket));
            url_.port = localAddressOf(sockets_.front().get()).port();  // one for all where any would do
            if (url.host.empty()) {
                break;
            }
        }
        if (sockets_.empty()) {
            throwErrno(ErrorKind::Network, "listening", addresses.back().text(), code, kGiveOwnAddress);
        }
        url_.options.clear();
    }

    std::string address() const override { return url_.text(); }
    int waitDescriptor() const override { return epoll_.descriptor(); }
    Connection accept() override {
        std::array<epoll_event, 32> ready;
        const int count = ::epoll_wait(epoll_.descriptor(), ready.data(), static_cast<int>(ready.size()), 0);
        const std::span<const epoll_event> events(ready.data(), static_cast<std::size_t>(std::max(count, 0)));
        // Half-open callers come first: even a process without free descriptors can still pair them. Events
        // left over once there is a pair stay readable.
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

  private:
    bool listensAt(int socket) const {
        return std::ranges::find(sockets_, socket, &UniqueFd::get) != sockets_.end();
    }
    std::optional<HalfOpenCallers::Pair> takeNew(int socket) {
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

    Url url_;
    EpollSet epoll_{"a tcp listener"};
    std::vector<UniqueFd> sockets_;
    HalfOpenCallers callers_{epoll_};
};

}  // namespace

std::unique_ptr<Listener> listen(const Url& url, const TransportOptions& /*options*/) {
    return std::make_unique<TcpListener>(url);
}

Connection connect(const Url& url, const TransportOptions& /*options*/, Deadline deadline,
                   const Event& cancel) {
    Preamble preamble = newPreamble();
    const std::vector<SocketAddress> addresses = resolve(url, false, deadline, &cancel);
    int code = 0;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const Deadline until = shareOf(deadline, addresses.size() - i);
        preamble.kind = StreamKind::Control;
        Attempt control = connectHalf(addresses[i], preamble, until, cancel);
        if (control.status == Status::Ok) {
            preamble.kind = StreamKind::Data;
            Attempt data = connectHalf(addresses[i], preamble, until, cancel);
            if (data.status == Status::Ok) {
                return connectionOf({std::move(control.socket), std::move(data.socket)});
            }
            control.status = data.status;
            control.code = data.code;
        }
        if (control.status == Status::Cancelled) {
            return {};
        }
        // "Nobody is listening" is more informative than that another of the host's addresses is unreachable.
        code = code == ECONNREFUSED ? code : control.code;
    }
    if (addresses.empty()) {
        return {};  // cancelled
    }
    throwUnreachable(url, code);
}

Connection connectionOf(HalfOpenCallers::Pair sockets) {
    const auto connection =
        std::make_shared<TcpConnection>(std::move(sockets.control), std::move(sockets.data));
    return {std::make_shared<TcpChannel>(connection), std::make_shared<TcpPath>(connection)};
}

}  // namespace verbcast::tcp
