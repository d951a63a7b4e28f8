#include "core/transport/tcp/tcp_connect.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <cerrno>

#include "core/transport/tcp/tcp.h"
#include "core/transport/tcp/tcp_channel.h"
#include "core/transport/tcp/tcp_path.h"

namespace verbcast::tcp {
namespace {

/// Sleeps until the socket is writable, the deadline, or `cancel`; or shorter.
void waitWritable(int socket, Deadline deadline, const Event& cancel) {
    std::array<pollfd, 2> fds{pollfd{socket, POLLOUT, 0}, pollfd{cancel.descriptor(), POLLIN, 0}};
    const auto left = deadline.left().count();
    const timespec limit{.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
    ::ppoll(fds.data(), fds.size(), deadline.isNever() ? nullptr : &limit, nullptr);
}

struct Attempt {
    Status status = Status::Closed;  ///< or Ok or Cancelled
    int code = 0;                    ///< errno, where Closed
    UniqueFd socket;
};

Attempt failed(int code) {
    return {.status = Status::Closed, .code = code, .socket = {}};
}

Attempt connectSocket(const SocketAddress& address, Deadline deadline, const Event& cancel) {
    UniqueFd socket(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)) {
        throwErrno(ErrorKind::Resource, "socket", address.text(), errno,
                   "raise the limit of open files: ulimit -n 4096");
    }
    if (!socket || (::connect(socket.get(), address.get(), address.length) != 0 && errno != EINPROGRESS)) {
        return failed(errno);
    }
    while (!cancel.isSet()) {
        pollfd writable{socket.get(), POLLOUT, 0};
        if (::poll(&writable, 1, 0) == 1) {
            int code = 0;
            socklen_t length = sizeof code;
            ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &code, &length);
            return code == 0 ? Attempt{Status::Ok, 0, std::move(socket)} : failed(code);
        }
        if (deadline.passed()) {
            return failed(ETIMEDOUT);
        }
        waitWritable(socket.get(), deadline, cancel);
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

/// An equal part of the time that is left, so that an address that does not answer leaves some to the next.
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

TransportAvailability availability() {
    return {true, "works over any network"};
}

Transport::Choice choose(const Url& /*url*/, Deadline /*deadline*/, const Event& /*cancel*/) {
    return {true, "it works over any network"};
}

}  // namespace

Connection connectTcp(const Url& url, const TransportOptions& /*options*/, Deadline deadline,
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
        // "Nobody is listening" says more than that another of the host's addresses cannot be reached.
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

namespace verbcast {

Transport tcpTransport() {
    return {.scheme = "tcp",
            .label = "TCP",
            .availability = tcp::availability,
            .listen = tcp::listenTcp,
            .connect = tcp::connectTcp,
            .automatic = true,
            .fallback = true,
            .choose = tcp::choose};
}

}  // namespace verbcast
