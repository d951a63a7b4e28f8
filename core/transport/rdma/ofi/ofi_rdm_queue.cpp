#include "core/transport/rdma/ofi/ofi_rdm_queue.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>

#include "core/base/log/log.h"
#include "core/transport/rdma/ofi/ofi_shm_names.h"
#include "core/transport/rdma/rdma_wire.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

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

}  // namespace

OfiRdmQueue::OfiRdmQueue(UniqueFd socket, const fi_info& info, bool onlySends, std::optional<OfiHello> peer)
    : OfiQueue(openFabric(info), *named(info), onlySends),
      socket_(std::move(socket)),
      localAddress_(localAddressOf(socket_.get()).text()),
      peerAddress_(peerAddressOf(socket_.get()).text()),
      peer_(std::move(peer)),
      accepts_(peer_.has_value()) {
    fi_av_attr attributes{};
    attributes.type = info.domain_attr->av_type;
    fid_av* addresses = nullptr;
    checkOfi(fi_av_open(fabricDomain(), &attributes, &addresses, nullptr), ErrorKind::Resource, "fi_av_open",
             deviceName());
    addresses_.reset(addresses);
    enable({&addresses_->fid});
}

void OfiRdmQueue::begin(std::span<const std::byte> greeting) {
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

bool OfiRdmQueue::established() {
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

void OfiRdmQueue::meet(const OfiHello& peer) {
    if (peer.provider != info().fabric_attr->prov_name) {
        throw Error(ErrorKind::Peer,
                    fmt::format("{} uses the provider {}, not {}", peerAddress_, peer.provider,
                                info().fabric_attr->prov_name),
                    "name the same provider at both ends: ofi://host:port?provider=NAME");
    }
    // Providers read as many bytes as their addresses have: provide at least that, and a terminating zero.
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

std::vector<int> OfiRdmQueue::descriptors() const {
    std::vector<int> all = OfiQueue::descriptors();
    all.push_back(socket_.get());
    return all;
}

void OfiRdmQueue::checkPeer() {
    std::byte unexpected{};
    const ssize_t got = ::recv(socket_.get(), &unexpected, 1, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        setFailure("the peer disconnected");
    } else if (got > 0) {
        setFailure("the peer broke the protocol: it spoke on the socket that only tells its end");
    }
}

void OfiRdmQueue::stop() noexcept {
    ::shutdown(socket_.get(), SHUT_RDWR);  // first: shm must not send to an endpoint that is gone
    OpenEndpoints& all = openEndpoints();
    const std::lock_guard lock(all.mutex);
    all.names.erase(name_);
    closeEndpoint();
}

}  // namespace verbcast
