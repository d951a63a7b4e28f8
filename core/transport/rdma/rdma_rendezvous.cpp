#include "core/transport/rdma/rdma_rendezvous.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "core/base/log/peer_log.h"
#include "core/transport/callers.h"
#include "core/transport/epoll_set.h"

namespace verbcast {
namespace {

constexpr TimestampNs kHandshakeLimit = 2'000'000'000;
// Each holds a queue of the device.
constexpr CallerLimits kLimits{.total = 32, .perHost = 16};
constexpr int kCallsAtOnce = 16;

class RdmaListener final : public Listener {
  public:
    RdmaListener(std::unique_ptr<PortListener> port, const RdmaConnectionOptions& options)
        : options_(options), port_(std::move(port)), timer_(port_->address()), wait_(port_->address()) {
        for (const int descriptor : port_->descriptors()) {
            wait_.add(descriptor);
        }
        wait_.add(timer_.descriptor());
    }

    std::string address() const override { return port_->address(); }
    int waitDescriptor() const override { return wait_.descriptor(); }

    Connection accept() override {
        // Those who wait come first: no caller takes the place of one who has already said Hello.
        Connection connection = takeReady();
        // Bounded: somebody who keeps calling must not starve those who wait.
        for (int calls = 0; !connection && calls < kCallsAtOnce; ++calls) {
            const auto request = port_->next();
            if (!request) {
                break;
            }
            admit(*request);
        }
        connection = connection ? std::move(connection) : takeReady();
        timer_.set(pending_.empty() ? 0 : pending_.front().deadline);
        return connection;
    }

  private:
    struct Pending {
        std::unique_ptr<RdmaConnection> connection;
        std::string host;
        TimestampNs deadline;
    };

    void admit(PortRequest& request) {
        const GreetingOrRefusal greeting = decodeGreeting(request.greeting());
        if (!greeting.greeting) {
            warnOfPeer(LogCategory::Rdma, "rdma greeting", request.peer(), "{}: {} was refused: {}",
                       port_->address(), request.peer(), greeting.problem);
            request.refuse(encodeRefusal(greeting.refusal));
            return;
        }
        const std::string host = hostOfAddress(request.peer());
        makeRoomFor(host);
        try {
            auto connection =
                std::make_unique<RdmaConnection>(request.open(), ConnectionSide::Accepting, options_);
            wait_.add(connection->waitDescriptor());
            pending_.push_back({std::move(connection), host, nowNs() + kHandshakeLimit});
        } catch (const Error& error) {
            warnOfPeer(LogCategory::Rdma, "rdma dropped", request.peer(), "{}: {} was dropped: {} {}",
                       port_->address(), request.peer(), error.what(), error.remedy());
            if (error.kind() == ErrorKind::Resource) {
                throw;  // the next caller would fare no better now
            }
        }
    }

    void makeRoomFor(const std::string& host) {
        const auto out = callerToDrop(pending_, host, kLimits, [](const Pending&) { return 0; });
        if (out != pending_.end()) {
            warnOfPeer(LogCategory::Rdma, "rdma too many", out->host,
                       "{}: {} was dropped: it has said nothing yet, and too many others are connecting",
                       port_->address(), out->connection->peerAddress());
            pending_.erase(out);
        }
    }

    Connection takeReady() {
        for (auto it = pending_.begin(); it != pending_.end();) {
            try {
                if (it->connection->handshake()) {
                    wait_.remove(it->connection->waitDescriptor());
                    auto connection = std::move(it->connection);
                    pending_.erase(it);
                    return RdmaConnection::share(std::move(connection));
                }
                if (nowNs() < it->deadline) {
                    ++it;
                    continue;
                }
                warnOfPeer(LogCategory::Rdma, "rdma silent", it->connection->peerAddress(),
                           "{}: {} was dropped: it connected and then said nothing", port_->address(),
                           it->connection->peerAddress());
            } catch (const Error& error) {
                warnOfPeer(LogCategory::Rdma, "rdma peer", port_->address(), "{}: a peer was dropped: {}",
                           port_->address(), error.what());
            }
            it = pending_.erase(it);
        }
        return {};
    }

    const RdmaConnectionOptions options_;
    std::unique_ptr<PortListener> port_;
    Timer timer_;  // when the next unfinished peer must be dropped
    EpollSet wait_;
    std::vector<Pending> pending_;  // oldest first
};

}  // namespace

Connection connectRdma(std::unique_ptr<QueuePort> port, const RdmaConnectionOptions& options,
                       Deadline deadline, const Event& cancel) {
    auto connection = std::make_unique<RdmaConnection>(std::move(port), ConnectionSide::Connecting, options);
    while (!connection->handshake()) {
        if (cancel.isSet()) {
            return {};
        }
        if (deadline.passed()) {
            throw Error(ErrorKind::Network,
                        fmt::format("no answer from {} over {}", connection->peerAddress(), options.scheme),
                        "check that the host is up and that its RDMA device is active");
        }
        waitReadable({connection->waitDescriptor(), cancel.descriptor()}, deadline);
    }
    return RdmaConnection::share(std::move(connection));
}

Connection connectToFirst(const Url& url, const std::vector<SocketAddress>& addresses, const Event& cancel,
                          const std::function<Connection(const SocketAddress&)>& connect) {
    std::exception_ptr failure;
    for (const SocketAddress& address : addresses) {
        try {
            return connect(address);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Network && error.kind() != ErrorKind::Device) {
                throw;
            }
            failure = failure ? failure : std::current_exception();
        }
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
    if (cancel.isSet()) {
        return {};
    }
    throw Error(ErrorKind::Network, fmt::format("{} has no address", url.text()),
                "check the spelling, or give the address in numbers");
}

std::unique_ptr<Listener> listenRdma(std::unique_ptr<PortListener> port,
                                     const RdmaConnectionOptions& options) {
    return std::make_unique<RdmaListener>(std::move(port), options);
}

}  // namespace verbcast
