#include "core/transport/rdma/verbs/verbs_connect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "core/transport/rdma/rdma_rendezvous.h"
#include "core/transport/rdma/rdma_wire.h"
#include "core/transport/rdma/verbs/device_addresses.h"
#include "core/transport/rdma/verbs/device_use.h"
#include "core/transport/rdma/verbs/verbs_domain.h"
#include "core/transport/rdma/verbs/verbs_handles.h"
#include "core/transport/rdma/verbs/verbs_queue.h"
#include "core/transport/transports.h"

namespace verbcast {
namespace {

[[noreturn]] void throwNoRoute(const std::string& peer) {
    throw Error(ErrorKind::Network, fmt::format("no RDMA device on this machine reaches {}", peer),
                "see \"verbcast devices\" for the addresses of the RDMA devices, or use tcp://");
}

[[noreturn]] void throwNotConnected(const std::string& why, const std::string& peer) {
    throw Error(ErrorKind::Network, fmt::format("cannot connect to verbs://{}: {}", peer, why),
                "start the other side first, or check its address with \"verbcast devices\" there");
}

/// Waits for that event about a call to `peer`. False when cancelled. `use` is filled if the device leaves.
bool waitFor(CmEvents& events, rdma_cm_event_type wanted, const SocketAddress& peer,
             std::optional<DeviceUse>& use, Deadline deadline, const Event& cancel) {
    while (true) {
        if (const auto event = events.next()) {
            if (event->type == wanted) {
                return true;
            }
            if (event->type == RDMA_CM_EVENT_DEVICE_REMOVAL && event->id->verbs != nullptr) {
                if (!use) {
                    use.emplace(event->id->verbs);
                }
                VerbsDomain::forgetDevice(event->id->verbs);
            }
            throwConnectFailure(*event, peer.text());
        }
        if (cancel.isSet()) {
            return false;
        }
        if (deadline.passed()) {
            throw Error(ErrorKind::Network, fmt::format("no answer from {} over RDMA", peer.text()),
                        "check that the host is up and that its RDMA device is active");
        }
        waitReadable({events.descriptor(), cancel.descriptor()}, deadline);
    }
}

constexpr int kBacklog = 16;

class VerbsRequest final : public PortRequest {
  public:
    VerbsRequest(CmIdHandle id, const CmEvent& event, const VerbsQueueOptions& options)
        : options_(options),
          use_(id->verbs),
          id_(std::move(id)),
          greeting_(event.privateSpan().begin(), event.privateSpan().end()),
          peer_(SocketAddress::of(rdma_get_peer_addr(id_.get())).text()) {}

    std::string peer() const override { return peer_; }
    std::span<const std::byte> greeting() const override { return greeting_; }

    void refuse(std::span<const std::byte> reason) noexcept override {
        rdma_reject(id_.get(), reason.data(), static_cast<std::uint8_t>(reason.size()));
        id_.reset();
    }

    std::unique_ptr<QueuePort> open() override {
        auto events = std::make_unique<CmEvents>();
        checkErrno(rdma_migrate_id(id_.get(), events->get()), ErrorKind::Network, "rdma_migrate_id", peer_);
        setAckTimeout(id_.get(), options_.verbs);
        return std::make_unique<VerbsQueue>(std::move(events), std::move(id_), options_,
                                            std::move(greeting_));
    }

  private:
    const VerbsQueueOptions options_;
    const DeviceUse use_;
    CmIdHandle id_;
    std::vector<std::byte> greeting_;
    std::string peer_;
};

class VerbsListener final : public PortListener {
  public:
    VerbsListener(const Url& url, const VerbsQueueOptions& options) : options_(options) {
        bindFirst(url);
        checkErrno(rdma_listen(id_.get(), kBacklog), ErrorKind::Network, "rdma_listen", url.text());
        address_ = "verbs://" + SocketAddress::of(rdma_get_local_addr(id_.get())).text();
    }

    std::string address() const override { return address_; }
    std::vector<int> descriptors() const override {
        std::vector<int> all{events_.descriptor()};
        if (watch_.descriptor() >= 0) {
            all.push_back(watch_.descriptor());
        }
        return all;
    }

    std::unique_ptr<PortRequest> next() override {
        std::ranges::for_each(watch_.left(), &VerbsDomain::forgetDevice);
        while (id_) {
            const auto event = events_.next();
            if (!event) {
                return nullptr;
            }
            if (event->type == RDMA_CM_EVENT_CONNECT_REQUEST) {
                return std::make_unique<VerbsRequest>(CmIdHandle(event->id), *event, options_);
            }
            if (event->type == RDMA_CM_EVENT_DEVICE_REMOVAL && event->id == id_.get()) {
                letDeviceGo(std::move(id_));
            } else if (event->type == RDMA_CM_EVENT_DEVICE_REMOVAL) {
                VerbsDomain::forgetDevice(event->id->verbs);  // the device of a caller still being handled
            }
        }
        throw Error(ErrorKind::Device, fmt::format("the RDMA device of {} was removed", address_),
                    "see \"verbcast devices\" for those that are there");
    }

  private:
    void bindFirst(const Url& url) {
        int code = 0;
        for (SocketAddress address : listenAddressesFor(url, options_.verbs)) {
            id_ = events_.makeId(RDMA_PS_TCP, url.text());
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
                        fmt::format("{} is not the address of an RDMA device of this machine", url.host),
                        "see \"verbcast devices\", or leave the host out to listen on all of them");
        }
        throwErrno(ErrorKind::Network, "rdma_bind_addr", url.text(), code);
    }

    const VerbsQueueOptions options_;
    const GoneDevices watch_;
    CmEvents events_;
    CmIdHandle id_;
    std::string address_;
};

}  // namespace

void setAckTimeout(rdma_cm_id* id, const VerbsOptions& options) {
    // Kernels without the option keep their own timeout; a session's heartbeats notice a dead peer anyway.
    std::uint8_t exponent = options.ackTimeoutExponent;
    rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &exponent, sizeof exponent);
}

void throwConnectFailure(const CmEvent& event, const std::string& peer) {
    if (event.type == RDMA_CM_EVENT_REJECTED) {
        if (const auto refusal = decodeRefusal(event.privateSpan())) {
            throw Error(ErrorKind::Peer, fmt::format("{} refused the connection: {}", peer, *refusal),
                        "use the same version of verbcast on both machines");
        }
    }
    if (event.status == -ENODEV) {
        throwNoRoute(peer);
    }
    throwNotConnected(cmFailureText(event.type, event.status), peer);
}

void throwConnectError(std::string_view call, int code, const std::string& peer) {
    if (code == ENODEV) {
        throwNoRoute(peer);
    }
    if (code == ECONNREFUSED) {  // iWARP connects its TCP socket within the call
        throwNotConnected(cmFailureText(RDMA_CM_EVENT_REJECTED, -ECONNREFUSED), peer);
    }
    throwErrno(ErrorKind::Network, call, peer, code);
}

void letDeviceGo(CmIdHandle id) {
    ibv_context* const context = id->verbs;
    const DeviceUse use(context);
    id.reset();
    VerbsDomain::forgetDevice(context);
}

std::unique_ptr<QueuePort> openVerbsQueue(const SocketAddress& peer, const VerbsOptions& verbs,
                                          const TransportOptions& options, Deadline deadline,
                                          const Event& cancel) {
    const auto check = [&](int result, std::string_view call) {
        if (result != 0) {
            throwConnectError(call, errno, peer.text());
        }
    };
    const auto milliseconds = [&] {
        return static_cast<int>(
            std::clamp<std::chrono::nanoseconds::rep>(deadline.left().count() / 1'000'000, 1, 1 << 30));
    };
    auto events = std::make_unique<CmEvents>();
    std::optional<DeviceUse> use;  // destroyed after the id
    CmIdHandle id = events->makeId(RDMA_PS_TCP, peer.text());
    auto source = sourceAddressFor(peer, verbs);
    auto destination = peer;
    check(rdma_resolve_addr(id.get(), source ? reinterpret_cast<sockaddr*>(&source->storage) : nullptr,
                            reinterpret_cast<sockaddr*>(&destination.storage), milliseconds()),
          "rdma_resolve_addr");
    if (!waitFor(*events, RDMA_CM_EVENT_ADDR_RESOLVED, peer, use, deadline, cancel)) {
        return nullptr;
    }
    use.emplace(id->verbs);
    setAckTimeout(id.get(), verbs);
    check(rdma_resolve_route(id.get(), milliseconds()), "rdma_resolve_route");
    if (!waitFor(*events, RDMA_CM_EVENT_ROUTE_RESOLVED, peer, use, deadline, cancel)) {
        return nullptr;
    }
    return std::make_unique<VerbsQueue>(
        std::move(events), std::move(id),
        VerbsQueueOptions{.verbs = verbs, .sharesDomain = options.sendsFrames, .accepts = false});
}

std::unique_ptr<PortListener> listenOnVerbs(const Url& url, const VerbsOptions& verbs,
                                            const TransportOptions& options) {
    return std::make_unique<VerbsListener>(
        url, VerbsQueueOptions{.verbs = verbs, .sharesDomain = options.sendsFrames, .accepts = true});
}

namespace verbs {
namespace {

/// Throws Error{Device} saying why verbs cannot be used on this machine.
void requireVerbs() {
    std::ranges::for_each(DeviceUse::ofMissingDevices(), &VerbsDomain::forgetDevice);
    const TransportAvailability devices = availability();
    if (!devices.available) {
        throw Error(ErrorKind::Device, fmt::format("verbs:// cannot be used here: {}", devices.reason),
                    "use tcp://, or see \"verbcast devices\"");
    }
}

RdmaConnectionOptions connectionOptions(const VerbsOptions& verbs) {
    return {.scheme = "verbs", .immediates = verbs.immediate};
}

}  // namespace

std::unique_ptr<Listener> listen(const Url& url, const TransportOptions& options) {
    const VerbsOptions verbs = parseVerbsOptions(url);
    requireVerbs();
    return listenRdma(listenOnVerbs(url, verbs, options), connectionOptions(verbs));
}

Connection connect(const Url& url, const TransportOptions& options, Deadline deadline, const Event& cancel) {
    const VerbsOptions verbs = parseVerbsOptions(url);
    requireVerbs();
    return connectToFirst(
        url, peerAddressesFor(url, verbs, deadline, cancel), cancel, [&](const SocketAddress& address) {
            auto queue = openVerbsQueue(address, verbs, options, deadline, cancel);
            return queue ? connectRdma(std::move(queue), connectionOptions(verbs), deadline, cancel)
                         : Connection{};
        });
}

}  // namespace verbs

}  // namespace verbcast
