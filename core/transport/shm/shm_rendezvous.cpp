// Finding each other on one machine: an abstract Unix socket, which leaves nothing behind in the file system.
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "core/base/log/peer_log.h"
#include "core/transport/callers.h"
#include "core/transport/shm/shm_channel.h"
#include "core/transport/socket_owner.h"
#include "core/transport/transports.h"

namespace verbcast::shm {
namespace {

constexpr int kBacklog = 16;
// Callers from other users that one accept() rejects.
constexpr int kMaxCallersPerTurn = 16;

/// Of the listener with that name, whose length parseUrl() bounds.
SocketAddress addressOf(const Url& url) {
    return abstractAddress("verbcast/" + url.name);
}

UniqueFd newSocket() {
    return openSocket(AF_UNIX, SOCK_SEQPACKET, "a Unix socket");
}

/// The user whose process is at the other end; anybody may connect to an abstract socket.
std::optional<uid_t> userAt(int socket) {
    const auto process = processAt(socket);
    return process ? std::optional(process->uid) : std::nullopt;
}

Connection connectionOf(UniqueFd socket, const std::string& name) {
    const auto channel = std::make_shared<ShmChannel>(std::move(socket), name);
    return {channel, std::shared_ptr<FramePath>(channel, &channel->path())};
}

class ShmListener final : public Listener {
  public:
    explicit ShmListener(const Url& url) : url_(url), socket_(newSocket()) {
        url_.scheme = "shm";
        const SocketAddress address = addressOf(url);
        if (::bind(socket_.get(), address.get(), address.length) != 0) {
            if (errno == EADDRINUSE) {
                throw Error(ErrorKind::Network,
                            fmt::format("the name {} is taken by another program", url.text()),
                            "choose another name, for example --listen shm://second");
            }
            throwErrno(ErrorKind::Network, "bind", url.text(), errno);
        }
        if (::listen(socket_.get(), kBacklog) != 0) {
            throwErrno(ErrorKind::Network, "listen", url.text(), errno);
        }
    }

    std::string address() const override { return url_.text(); }
    int waitDescriptor() const override { return socket_.get(); }

    Connection accept() override {
        for (int turnedAway = 0; turnedAway < kMaxCallersPerTurn; ++turnedAway) {
            UniqueFd caller = acceptSocket(socket_.get(), url_.text());
            if (!caller) {
                break;
            }
            const auto user = userAt(caller.get());
            if (user && isThisUser(*user)) {
                return connectionOf(std::move(caller), url_.name);
            }
            const std::string whose = user ? std::to_string(*user) : "unknown";
            warnOfPeer(LogCategory::Shm, "another user", whose,
                       "a process of user {} called {}, which serves only user {}: turned away", whose,
                       url_.text(), ::geteuid());
        }
        return {};
    }

  private:
    Url url_;
    UniqueFd socket_;
};

}  // namespace

std::unique_ptr<Listener> listen(const Url& url, const TransportOptions& /*options*/) {
    return std::make_unique<ShmListener>(url);
}

Connection connect(const Url& url, const TransportOptions& /*options*/, Deadline /*deadline*/,
                   const Event& cancel) {
    if (cancel.isSet()) {
        return {};
    }
    UniqueFd socket = newSocket();
    const SocketAddress address = addressOf(url);
    if (::connect(socket.get(), address.get(), address.length) != 0) {
        if (errno == ECONNREFUSED || errno == EAGAIN) {  // or the listener's backlog is full
            throw Error(ErrorKind::Network, fmt::format("nobody is listening on {}", url.text()),
                        "start the other side on this machine, or check its --listen name");
        }
        throwErrno(ErrorKind::Network, "connect", url.text(), errno,
                   "check the name, or use tcp://localhost");
    }
    if (const auto user = userAt(socket.get()); !user || !isThisUser(*user)) {
        throw Error(ErrorKind::Network,
                    fmt::format("{} belongs to another user of this machine ({}; this is user {})",
                                url.text(), user ? std::to_string(*user) : "unknown", ::geteuid()),
                    "choose another name, start both sides as one user, or use tcp://localhost");
    }
    return connectionOf(std::move(socket), url.name);
}

Transport::Choice choose(const Url& url, Deadline deadline, const Event& cancel) {
    try {
        const auto addresses = resolve(url, false, deadline, &cancel);
        if (std::ranges::any_of(addresses, isLocalAddress)) {
            return {true, "both are on this host"};
        }
    } catch (const Error& error) {
        return {false, error.what()};
    }
    return {false, "the peer is on another host"};
}

}  // namespace verbcast::shm
