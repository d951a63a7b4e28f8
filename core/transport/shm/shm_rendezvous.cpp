// Finding each other on one machine: an abstract Unix socket, which leaves nothing behind in any file system.
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/transport/shm/shm_channel.h"

namespace verbcast {
namespace {

struct AbstractAddress {
    sockaddr_un storage{};
    socklen_t length = 0;
};

AbstractAddress abstractAddress(const std::string& name) {
    AbstractAddress address;
    address.storage.sun_family = AF_UNIX;
    const std::string path = "verbcast/" + name;
    // The first byte stays zero: the name lives in the abstract namespace. parseUrl() bounds its length.
    std::memcpy(address.storage.sun_path + 1, path.data(),
                std::min(path.size(), sizeof address.storage.sun_path - 1));
    address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + path.size());
    return address;
}

UniqueFd newSocket() {
    UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) {
        throwErrno(ErrorKind::Resource, "socket", "a Unix socket", errno);
    }
    return socket;
}

/// Shared memory is for processes of one user (or with root): anybody may knock at an abstract socket.
bool sameUser(int socket) {
    ucred credentials{};
    socklen_t length = sizeof credentials;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) {
        return false;
    }
    return credentials.uid == ::geteuid() || credentials.uid == 0 || ::geteuid() == 0;
}

class ShmListener final : public Listener {
  public:
    explicit ShmListener(const Url& url) : url_(url), socket_(newSocket()) {
        const AbstractAddress address = abstractAddress(url.name);
        if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.length) != 0) {
            if (errno == EADDRINUSE) {
                throw Error(ErrorKind::Network,
                            fmt::format("the name {} is taken by another program", url.text()),
                            "choose another name, for example --listen shm://second");
            }
            throwErrno(ErrorKind::Network, "bind", url.text(), errno);
        }
        if (::listen(socket_.get(), 16) != 0) {
            throwErrno(ErrorKind::Network, "listen", url.text(), errno);
        }
    }

    std::string address() const override { return url_.text(); }
    int waitDescriptor() const override { return socket_.get(); }

    std::unique_ptr<Channel> accept() override {
        UniqueFd peer(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!peer) {
            return nullptr;
        }
        if (!sameUser(peer.get())) {
            log().warn("a process of another user knocked at {}; dropped", url_.text());
            return nullptr;
        }
        return std::make_unique<shm::ShmChannel>(std::move(peer), url_.name);
    }

  private:
    Url url_;
    UniqueFd socket_;
};

}  // namespace

std::unique_ptr<Listener> listenShm(const Url& url, const TransportOptions& /*options*/) {
    return std::make_unique<ShmListener>(url);
}

std::unique_ptr<Channel> connectShm(const Url& url, const TransportOptions& /*options*/,
                                    std::chrono::milliseconds /*timeout*/, const Event& cancel) {
    if (cancel.isSet()) {
        return nullptr;
    }
    UniqueFd socket = newSocket();
    const AbstractAddress address = abstractAddress(url.name);
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.length) != 0) {
        if (errno == ECONNREFUSED || errno == EAGAIN) {
            throw Error(ErrorKind::Network, fmt::format("nobody is listening on {}", url.text()),
                        "start the other side on this machine, or check its --listen name");
        }
        throwErrno(ErrorKind::Network, "connect", url.text(), errno);
    }
    if (!sameUser(socket.get())) {
        throw Error(ErrorKind::Network, fmt::format("{} belongs to another user of this machine", url.text()),
                    "choose another name, or use tcp://localhost");
    }
    return std::make_unique<shm::ShmChannel>(std::move(socket), url.name);
}

}  // namespace verbcast
