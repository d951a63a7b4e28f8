// Accepting verbs peers: each request gets an endpoint and an event channel of its own, and is given out once
// its Hello has come. None waits for another.
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/transport/socket_address.h"
#include "core/transport/transport.h"
#include "core/transport/verbs/device_addresses.h"
#include "core/transport/verbs/endpoint.h"
#include "core/transport/verbs/verbs_channel.h"
#include "core/transport/verbs/verbs_connect.h"
#include "core/transport/verbs/verbs_errors.h"

namespace verbcast {
namespace {

constexpr TimestampNs kHandshakeLimit = 2'000'000'000;
constexpr std::size_t kMaxPending = 16;
constexpr int kBacklog = 16;

void reject(rdma_cm_id* id, RefusalReason reason) {
    const auto refusal = encodeRefusal(reason);
    rdma_reject(id, refusal.data(), static_cast<std::uint8_t>(refusal.size()));
}

class VerbsListener final : public Listener {
  public:
    VerbsListener(const Url& url, const TransportOptions& transport)
        : transport_(transport), verbs_(parseVerbsOptions(url)) {
        requireVerbs();
        bindFirst(url);
        checkErrno(rdma_listen(id_.get(), kBacklog), ErrorKind::Network, "rdma_listen", url.text());
        wait_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
        timer_ = UniqueFd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
        checkErrno(wait_ && timer_ ? 0 : -1, ErrorKind::Resource, "epoll_create1, timerfd_create",
                   url.text());
        watch(events_.descriptor());
        watch(timer_.get());
        SocketAddress bound;
        const sockaddr* raw = rdma_get_local_addr(id_.get());
        bound.length = raw->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
        std::memcpy(&bound.storage, raw, bound.length);
        address_ = "verbs://" + bound.text();
    }

    std::string address() const override { return address_; }
    int waitDescriptor() const override { return wait_.get(); }

    std::unique_ptr<Channel> accept() override {
        while (const auto event = events_.next()) {
            if (event->type == RDMA_CM_EVENT_CONNECT_REQUEST) {
                admit(*event);
            } else if (event->type == RDMA_CM_EVENT_DEVICE_REMOVAL) {
                throw Error(ErrorKind::Device, fmt::format("the RDMA device of {} was removed", address_));
            }
        }
        auto channel = takeReady();
        setTimer();
        return channel;
    }

  private:
    struct Pending {
        std::unique_ptr<VerbsChannel> channel;
        TimestampNs deadline;
    };

    void bindFirst(const Url& url) {
        int code = 0;
        for (SocketAddress address : listenAddressesFor(url, verbs_)) {
            rdma_cm_id* raw = nullptr;
            checkErrno(rdma_create_id(events_.get(), &raw, nullptr, RDMA_PS_TCP), ErrorKind::Resource,
                       "rdma_create_id", url.text());
            id_.reset(raw);
            if (rdma_bind_addr(id_.get(), reinterpret_cast<sockaddr*>(&address.storage)) == 0) {
                return;
            }
            code = code == 0 || code == EAFNOSUPPORT ? errno : code;
        }
        if (code == EADDRINUSE) {
            throw Error(ErrorKind::Network, fmt::format("the RDMA port {} is taken", url.port),
                        "choose another one, for example :7424, or end the program that has it");
        }
        if (code == ENODEV || code == EADDRNOTAVAIL) {
            throw Error(ErrorKind::Network,
                        fmt::format("{} is no address of an RDMA device of this machine", url.host),
                        "see \"verbcast devices\", or leave the host out to listen on all of them");
        }
        throwErrno(ErrorKind::Network, "rdma_bind_addr", url.text(), code);
    }

    void watch(int descriptor) const {
        epoll_event event{};
        event.events = EPOLLIN;
        checkErrno(::epoll_ctl(wait_.get(), EPOLL_CTL_ADD, descriptor, &event), ErrorKind::Internal,
                   "epoll_ctl", "verbs listener");
    }

    void admit(const CmEvent& event) {
        CmIdHandle id(event.id);
        SocketAddress peer;
        const sockaddr* raw = rdma_get_peer_addr(id.get());
        peer.length = raw->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
        std::memcpy(&peer.storage, raw, peer.length);
        const GreetingOrRefusal request = decodeGreeting(event.privateSpan());
        if (!request.greeting) {
            log().warn("{}: {} was refused: {}", address_, peer.text(), request.problem);
            reject(id.get(), request.refusal);
            return;
        }
        if (pending_.size() >= kMaxPending) {
            log().warn("{}: {} was refused: {} others have not finished connecting", address_, peer.text(),
                       kMaxPending);
            reject(id.get(), RefusalReason::Resources);
            return;
        }
        try {
            begin(std::move(id), *request.greeting);
        } catch (const Error& error) {
            log().warn("{}: {} was dropped: {} {}", address_, peer.text(), error.what(), error.remedy());
        }
    }

    void begin(CmIdHandle id, const Greeting& peer) {
        rdma_cm_id* raw = id.get();
        auto events = std::make_unique<CmEvents>();
        checkErrno(rdma_migrate_id(raw, events->get()), ErrorKind::Network, "rdma_migrate_id", address_);
        setAckTimeout(raw, verbs_);
        auto endpoint = std::make_unique<Endpoint>(std::move(events), std::move(id), transport_);
        const auto greeting = encodeGreeting(endpoint->greeting());
        rdma_conn_param parameters = endpoint->connectionParameters(greeting);
        checkErrno(rdma_accept(raw, &parameters), ErrorKind::Network, "rdma_accept", address_);
        auto channel =
            std::make_unique<VerbsChannel>(std::move(endpoint), peer, ConnectionSide::Accepting, verbs_);
        watch(channel->waitDescriptor());
        pending_.push_back({std::move(channel), nowNs() + kHandshakeLimit});
    }

    std::unique_ptr<Channel> takeReady() {
        for (auto it = pending_.begin(); it != pending_.end();) {
            try {
                if (it->channel->handshake()) {
                    ::epoll_ctl(wait_.get(), EPOLL_CTL_DEL, it->channel->waitDescriptor(), nullptr);
                    auto channel = std::move(it->channel);
                    pending_.erase(it);
                    return channel;
                }
                if (nowNs() < it->deadline) {
                    ++it;
                    continue;
                }
                log().warn("{}: {} was dropped: it connected and then said nothing", address_,
                           it->channel->description().peer);
            } catch (const Error& error) {
                log().warn("{}: a peer was dropped: {}", address_, error.what());
            }
            it = pending_.erase(it);
        }
        return nullptr;
    }

    /// Wakes the caller when the next unfinished peer is to be dropped.
    void setTimer() const {
        TimestampNs first = 0;
        for (const Pending& one : pending_) {
            first = first == 0 ? one.deadline : std::min(first, one.deadline);
        }
        itimerspec when{};
        when.it_value.tv_sec = first / 1'000'000'000;
        when.it_value.tv_nsec = first % 1'000'000'000;
        ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
    }

    TransportOptions transport_;
    VerbsOptions verbs_;
    CmEvents events_;
    CmIdHandle id_;
    std::string address_;
    UniqueFd timer_;
    UniqueFd wait_;
    std::vector<Pending> pending_;
};

}  // namespace

std::unique_ptr<Listener> listenVerbs(const Url& url, const TransportOptions& options) {
    return std::make_unique<VerbsListener>(url, options);
}

}  // namespace verbcast
