#include "core/transport/rdma/ofi/ofi_rdm.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/log/log.h"
#include "core/base/log/peer_log.h"
#include "core/transport/accept_socket.h"
#include "core/transport/caller_limits.h"
#include "core/transport/rdma/epoll_set.h"
#include "core/transport/rdma/ofi/ofi_rdm_queue.h"

namespace verbcast {
namespace {

constexpr TimestampNs kHelloLimit = 2'000'000'000;
constexpr CallerLimits kLimits{.total = 32, .perHost = 16};

UniqueFd makeSocket(int family) {
    UniqueFd made(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!made) {
        throwErrno(ErrorKind::Resource, "socket", "ofi://", errno, kRaiseFileLimit);
    }
    return made;
}

class OfiRdmRequest final : public PortRequest {
  public:
    OfiRdmRequest(UniqueFd socket, OfiHello hello, InfoHandle info, bool onlySends)
        : socket_(std::move(socket)),
          peer_(peerAddressOf(socket_.get()).text()),
          hello_(std::move(hello)),
          info_(std::move(info)),
          onlySends_(onlySends) {}

    std::string peer() const override { return peer_; }
    std::span<const std::byte> greeting() const override { return hello_.greeting; }
    void refuse(std::span<const std::byte> reason) noexcept override {
        try {
            OfiHello refusal;
            refusal.isRefusal = true;
            refusal.greeting.assign(reason.begin(), reason.end());
            sendHello(socket_.get(), refusal);
        } catch (const std::exception& error) {
            log(LogCategory::Ofi).debug("ofi: {} was not told that it is refused: {}", peer_, error.what());
        }
    }
    std::unique_ptr<QueuePort> open() override {
        return std::make_unique<OfiRdmQueue>(std::move(socket_), *info_, onlySends_, hello_);
    }

  private:
    UniqueFd socket_;
    const std::string peer_;
    const OfiHello hello_;
    const InfoHandle info_;
    const bool onlySends_;
};

class OfiRdmListener final : public PortListener {
  public:
    OfiRdmListener(const fi_info& info, const SocketAddress& address, const std::string& url, bool onlySends)
        : onlySends_(onlySends), info_(fi_dupinfo(&info)), socket_(makeSocket(address.family())), wait_(url) {
        const int on = 1;
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (::bind(socket_.get(), address.get(), address.length) != 0 ||
            ::listen(socket_.get(), static_cast<int>(kLimits.total)) != 0) {
            throwErrno(ErrorKind::Network, "bind", url, errno,
                       errno == EADDRINUSE ? "choose another port, for example :7424" : "");
        }
        timer_ = UniqueFd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
        if (!timer_) {
            throwErrno(ErrorKind::Resource, "timerfd_create", url, errno, kRaiseFileLimit);
        }
        wait_.add(socket_.get());
        wait_.add(timer_.get());
        address_ = ofiUrl(info, localAddressOf(socket_.get()).text());
    }

    std::string address() const override { return address_; }
    std::vector<int> descriptors() const override { return {wait_.descriptor()}; }

    std::unique_ptr<PortRequest> next() override {
        acceptSockets();
        auto request = takeHello();
        setTimer();
        return request;
    }

  private:
    struct Pending {
        UniqueFd socket;
        std::string host;
        OfiHelloReader reader;
        TimestampNs deadline;
    };

    /// If there are too many, a new caller replaces the oldest of the host that has most.
    void acceptSockets() {
        for (std::size_t calls = 0; calls < kLimits.perHost; ++calls) {
            UniqueFd caller = acceptSocket(socket_.get(), address_);
            if (!caller) {
                return;
            }
            const std::string host = peerAddressOf(caller.get()).host();
            const auto out = callerToDrop(pending_, host, kLimits, [](const Pending&) { return 0; });
            if (out != pending_.end()) {
                tellOfPeer(LogCategory::Ofi, "ofi too many", out->host,
                           "{}: a caller from {} was dropped: too many are waiting", address_, out->host);
                pending_.erase(out);
            }
            wait_.add(caller.get());
            pending_.push_back({std::move(caller), host, {}, nowNs() + kHelloLimit});
        }
    }

    std::unique_ptr<PortRequest> takeHello() {
        for (auto it = pending_.begin(); it != pending_.end();) {
            try {
                if (auto hello = it->reader.read(it->socket.get())) {
                    wait_.remove(it->socket.get());
                    UniqueFd socket = std::move(it->socket);
                    pending_.erase(it);
                    return std::make_unique<OfiRdmRequest>(std::move(socket), std::move(*hello),
                                                           InfoHandle(fi_dupinfo(info_.get())), onlySends_);
                }
                if (nowNs() < it->deadline) {
                    ++it;
                    continue;
                }
                const SocketAddress peer = peerAddressOf(it->socket.get());
                warnOfPeer(LogCategory::Ofi, "ofi silent", peer.host(),
                           "{}: {} was dropped: it connected and then said nothing", address_, peer.text());
            } catch (const Error& error) {
                warnOfPeer(LogCategory::Ofi, "ofi dropped", address_, "{}: a caller was dropped: {}",
                           address_, error.what());
            }
            it = pending_.erase(it);
        }
        return nullptr;
    }

    void setTimer() const {
        itimerspec when{};
        const TimestampNs first = pending_.empty() ? 0 : pending_.front().deadline;
        when.it_value.tv_sec = first / 1'000'000'000;
        when.it_value.tv_nsec = first % 1'000'000'000;
        ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
    }

    const bool onlySends_;
    const InfoHandle info_;
    UniqueFd socket_;
    EpollSet wait_;
    UniqueFd timer_;
    std::string address_;
    std::vector<Pending> pending_;
};

}  // namespace

std::unique_ptr<QueuePort> openOfiRdmQueue(const fi_info& info, const SocketAddress& peer, bool onlySends,
                                           Deadline deadline, const Event& cancel) {
    UniqueFd socket = makeSocket(peer.family());
    int code = ::connect(socket.get(), peer.get(), peer.length) == 0 ? 0 : errno;
    while (code == EINPROGRESS) {
        EpollSet writable(peer.text());  // readable once the socket is writable
        writable.add(socket.get(), EPOLLOUT);
        const bool ready = waitReadable({writable.descriptor(), cancel.descriptor()}, deadline);
        if (cancel.isSet()) {
            return nullptr;
        }
        if (!ready) {
            throw Error(ErrorKind::Network, fmt::format("no answer from {}", ofiUrl(info, peer.text())),
                        "check that the host is up");
        }
        socklen_t length = sizeof code;
        ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &code, &length);
    }
    if (code != 0) {
        throw Error(ErrorKind::Network,
                    fmt::format("cannot connect to {}: {}", ofiUrl(info, peer.text()),
                                code == ECONNREFUSED ? "nobody is listening there" : errnoText(code)),
                    "start the other side first, or check its address and provider");
    }
    return std::make_unique<OfiRdmQueue>(std::move(socket), info, onlySends, std::nullopt);
}

std::unique_ptr<PortListener> listenOfiRdm(const fi_info& info, const SocketAddress& address,
                                           const std::string& url, bool onlySends) {
    return std::make_unique<OfiRdmListener>(info, address, url, onlySends);
}

}  // namespace verbcast
