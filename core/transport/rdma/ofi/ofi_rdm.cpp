#include "core/transport/rdma/ofi/ofi_endpoints.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>

#include "core/base/log/log.h"
#include "core/base/log/peer_log.h"
#include "core/transport/callers.h"
#include "core/transport/epoll_set.h"
#include "core/transport/rdma/ofi/ofi_hello.h"
#include "core/transport/rdma/ofi/ofi_queue.h"
#include "core/transport/rdma/ofi/ofi_shm_names.h"
#include "core/transport/rdma/rdma_wire.h"

namespace verbcast {
namespace {

constexpr TimestampNs kHelloLimit = 2'000'000'000;
constexpr CallerLimits kLimits{.total = 32, .perHost = 16};

/// This process's open endpoints. libfabric's shm accesses an endpoint of the same process through its
/// memory, even while that is being unmapped: looking one up or closing one takes the mutex.
struct OpenEndpoints {
    std::mutex mutex;
    std::set<std::vector<std::byte>> names;
};

OpenEndpoints& openEndpoints() {
    static OpenEndpoints all;
    return all;
}

bool isOurProcess(const std::vector<std::byte>& endpoint) {
    return isOurShmEndpoint({reinterpret_cast<const char*>(endpoint.data()), endpoint.size()});
}

/// Its spin locks lie in memory that both processes map, and nobody frees those of a dead one.
void warnOfShm() {
    static std::once_flag once;
    std::call_once(once, [] {
        log(LogCategory::Ofi)
            .warn("ofi: libfabric's provider shm may hang if its peer is killed: shm:// does not");
    });
}

/// Gives an shm endpoint a name of our own.
InfoHandle named(const fi_info& info) {
    InfoHandle copy(fi_dupinfo(&info));
    if (!copy) {
        throwErrno(ErrorKind::Resource, "fi_dupinfo", "a queue", ENOMEM);
    }
    if (std::string_view(copy->fabric_attr->prov_name) == "shm") {
        warnOfShm();
        removeShmFilesOfTheDead();
        const std::string name = newShmEndpointName();
        std::free(copy->src_addr);  // libfabric frees it the same way
        copy->src_addr = ::strdup(name.c_str());
        copy->src_addrlen = name.size() + 1;
    }
    return copy;
}

/// One end of a pair of connectionless endpoints.
class OfiRdmQueue final : public OfiQueue {
  public:
    /// `peer`: the caller's hello; nothing if we call. Throws Error{Device, Resource}.
    OfiRdmQueue(UniqueFd socket, const fi_info& info, bool onlySends, std::optional<OfiHello> peer)
        : OfiQueue(openFabric(info), *named(info), onlySends),
          socket_(std::move(socket)),
          localAddress_(localAddressOf(socket_.get()).text()),
          peerAddress_(peerAddressOf(socket_.get()).text()),
          peer_(std::move(peer)),
          accepts_(peer_.has_value()) {
        fi_av_attr attributes{};
        attributes.type = info.domain_attr->av_type;
        fid_av* addresses = nullptr;
        checkOfi(fi_av_open(fabricDomain(), &attributes, &addresses, nullptr), ErrorKind::Resource,
                 "fi_av_open", deviceName());
        addresses_.reset(addresses);
        enable({&addresses_->fid});
    }
    ~OfiRdmQueue() override { stop(); }

    void begin(std::span<const std::byte> greeting) override {
        if (accepts_) {
            meet(*peer_);
        }
        OfiHello hello;
        hello.provider = info().fabric_attr->prov_name;
        hello.endpoint.resize(512);
        std::size_t bytes = hello.endpoint.size();
        checkOfi(fi_getname(&endpoint()->fid, hello.endpoint.data(), &bytes), ErrorKind::Device, "fi_getname",
                 deviceName());
        hello.endpoint.resize(bytes);
        {
            OpenEndpoints& all = openEndpoints();
            const std::lock_guard lock(all.mutex);
            name_ = hello.endpoint;
            all.names.insert(name_);
        }
        hello.greeting.assign(greeting.begin(), greeting.end());
        sendHello(socket_.get(), hello);
    }
    bool established() override {
        if (accepts_) {
            return true;  // the peer's Hello shows it
        }
        peer_ = reader_.read(socket_.get());
        if (!peer_) {
            return false;
        }
        if (peer_->isRefusal) {
            throw Error(ErrorKind::Peer,
                        fmt::format("{} refused the connection: {}", peerAddress_,
                                    decodeRefusal(peer_->greeting).value_or("it gave no reason")),
                        "use the same version of verbcast on both machines");
        }
        meet(*peer_);
        return true;
    }
    std::string localAddress() const override { return localAddress_; }
    std::string peerAddress() const override { return peerAddress_; }
    std::vector<int> descriptors() const override {
        std::vector<int> all = OfiQueue::descriptors();
        all.push_back(socket_.get());
        return all;
    }
    void checkPeer() override {
        std::byte unexpected{};
        const ssize_t got = ::recv(socket_.get(), &unexpected, 1, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            setFailure("the peer disconnected");
        } else if (got > 0) {
            setFailure("the peer broke the protocol: it spoke on the socket that only tells its end");
        }
    }
    void stop() noexcept override {
        ::shutdown(socket_.get(), SHUT_RDWR);  // first: shm must not send to an endpoint that is gone
        OpenEndpoints& all = openEndpoints();
        const std::lock_guard lock(all.mutex);
        all.names.erase(name_);
        closeEndpoint();
    }

  private:
    void meet(const OfiHello& peer) {
        if (peer.provider != info().fabric_attr->prov_name) {
            throw Error(ErrorKind::Peer,
                        fmt::format("{} uses the provider {}, not {}", peerAddress_, peer.provider,
                                    info().fabric_attr->prov_name),
                        "name the same provider at both ends: ofi://host:port?provider=NAME");
        }
        // Providers read as many bytes as their addresses have: provide at least that, and a terminating
        // zero.
        std::array<std::byte, 1024> address{};
        std::copy(peer.endpoint.begin(), peer.endpoint.end(), address.begin());
        fi_addr_t found = FI_ADDR_UNSPEC;
        const int inserted = [&] {
            OpenEndpoints& all = openEndpoints();
            const std::lock_guard lock(all.mutex);
            const bool gone = isOurProcess(peer.endpoint) && !all.names.contains(peer.endpoint);
            return gone ? 0 : fi_av_insert(addresses_.get(), address.data(), 1, &found, 0, nullptr);
        }();
        if (inserted != 1) {
            throw Error(ErrorKind::Network,
                        fmt::format("{} cannot reach the endpoint of {}", deviceName(), peerAddress_));
        }
        setPeer(found);
        if (isOurProcess(peer.endpoint)) {
            guardAgainstLostPeer();
        }
        setGreeting(peer.greeting);
    }

    UniqueFd socket_;
    const std::string localAddress_;
    const std::string peerAddress_;
    FidHandle<fid_av> addresses_;
    std::optional<OfiHello> peer_;
    std::vector<std::byte> name_;  // the endpoint's, once the peer may know it
    OfiHelloReader reader_;
    bool accepts_;
};

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
        : onlySends_(onlySends),
          info_(fi_dupinfo(&info)),
          socket_(openSocket(address.family(), SOCK_STREAM, "ofi://")),
          wait_(url),
          timer_(url) {
        const int on = 1;
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (::bind(socket_.get(), address.get(), address.length) != 0 ||
            ::listen(socket_.get(), static_cast<int>(kLimits.total)) != 0) {
            throwErrno(ErrorKind::Network, "bind", url, errno,
                       errno == EADDRINUSE ? "choose another port, for example :7424" : "");
        }
        wait_.add(socket_.get());
        wait_.add(timer_.descriptor());
        address_ = ofiUrl(info, localAddressOf(socket_.get()).text());
    }

    std::string address() const override { return address_; }
    std::vector<int> descriptors() const override { return {wait_.descriptor()}; }

    std::unique_ptr<PortRequest> next() override {
        acceptSockets();
        auto request = takeHello();
        timer_.set(pending_.empty() ? 0 : pending_.front().deadline);
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

    const bool onlySends_;
    const InfoHandle info_;
    UniqueFd socket_;
    EpollSet wait_;
    Timer timer_;
    std::string address_;
    std::vector<Pending> pending_;  // oldest first
};

}  // namespace

std::unique_ptr<QueuePort> openOfiRdmQueue(const fi_info& info, const SocketAddress& peer, bool onlySends,
                                           Deadline deadline, const Event& cancel) {
    UniqueFd socket = openSocket(peer.family(), SOCK_STREAM, "ofi://");
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
