#include "core/transport/verbs/verbs_connect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <exception>

#include "core/base/clock.h"
#include "core/transport/transport.h"
#include "core/transport/verbs/device_addresses.h"
#include "core/transport/verbs/endpoint.h"
#include "core/transport/verbs/verbs_channel.h"
#include "core/transport/verbs/verbs_errors.h"

namespace verbcast {
namespace {

struct Cancelled {};

/// One attempt at one address of the peer.
class Attempt {
  public:
    Attempt(const SocketAddress& peer, const TransportOptions& transport, const VerbsOptions& verbs,
            TimestampNs deadline, const Event& cancel)
        : peer_(peer), transport_(transport), verbs_(verbs), deadline_(deadline), cancel_(cancel) {}

    /// Throws Error, or Cancelled.
    std::unique_ptr<Channel> run() {
        auto events = std::make_unique<CmEvents>();
        CmIdHandle id = resolveAddress(*events);
        setAckTimeout(id.get(), verbs_);
        check(rdma_resolve_route(id.get(), remainingMilliseconds()), "rdma_resolve_route");
        waitFor(*events, RDMA_CM_EVENT_ROUTE_RESOLVED);
        auto endpoint = std::make_unique<Endpoint>(std::move(events), std::move(id), transport_);
        const auto greeting = encodeGreeting(endpoint->greeting());
        rdma_conn_param parameters = endpoint->connectionParameters(greeting);
        check(rdma_connect(endpoint->id(), &parameters), "rdma_connect");
        const CmEvent established = waitFor(endpoint->events(), RDMA_CM_EVENT_ESTABLISHED);
        const auto answer = decodeGreeting(established.privateSpan());
        if (!answer.greeting) {
            throw Error(ErrorKind::Peer, fmt::format("{} is not a Verbcast of this version: {}", peer_.text(),
                                                     answer.problem));
        }
        return std::make_unique<VerbsChannel>(std::move(endpoint), *answer.greeting,
                                              ConnectionSide::Connecting, verbs_);
    }

  private:
    CmIdHandle resolveAddress(CmEvents& events) {
        rdma_cm_id* raw = nullptr;
        checkErrno(rdma_create_id(events.get(), &raw, nullptr, RDMA_PS_TCP), ErrorKind::Resource,
                   "rdma_create_id", peer_.text());
        CmIdHandle id(raw);
        auto source = sourceAddressFor(peer_, verbs_);
        auto destination = peer_;
        check(rdma_resolve_addr(id.get(), source ? reinterpret_cast<sockaddr*>(&source->storage) : nullptr,
                                reinterpret_cast<sockaddr*>(&destination.storage), remainingMilliseconds()),
              "rdma_resolve_addr");
        waitFor(events, RDMA_CM_EVENT_ADDR_RESOLVED);
        return id;
    }

    void check(int result, std::string_view call) const {
        if (result != 0 && errno == ENODEV) {
            throwNoRoute();
        }
        if (result != 0 && errno == ECONNREFUSED) {  // iWARP connects its TCP socket in the call
            throwNotConnected(cmFailureText(RDMA_CM_EVENT_REJECTED, -ECONNREFUSED));
        }
        checkErrno(result, ErrorKind::Network, call, peer_.text());
    }

    [[noreturn]] void throwNoRoute() const {
        throw Error(ErrorKind::Network,
                    fmt::format("no RDMA device of this machine leads to {}", peer_.text()),
                    "see \"verbcast devices\" for the addresses of the RDMA devices, or use tcp://");
    }

    [[noreturn]] void throwNotConnected(const std::string& why) const {
        throw Error(ErrorKind::Network, fmt::format("cannot connect to verbs://{}: {}", peer_.text(), why),
                    "start the other side first, or check its address with \"verbcast devices\" there");
    }

    int remainingMilliseconds() const {
        return static_cast<int>(std::clamp<TimestampNs>((deadline_ - nowNs()) / 1'000'000, 1, 1 << 30));
    }

    CmEvent waitFor(CmEvents& events, rdma_cm_event_type wanted) const {
        while (true) {
            if (const auto event = events.next()) {
                if (event->type == wanted) {
                    return *event;
                }
                fail(*event);
            }
            if (cancel_.isSet()) {
                throw Cancelled();
            }
            const TimestampNs left = deadline_ - nowNs();
            if (left <= 0) {
                throw Error(ErrorKind::Network, fmt::format("no answer from {} over RDMA", peer_.text()),
                            "check that the host is up and that its RDMA device is active");
            }
            waitReadable({events.descriptor(), cancel_.descriptor()}, std::chrono::nanoseconds(left));
        }
    }

    [[noreturn]] void fail(const CmEvent& event) const {
        if (event.type == RDMA_CM_EVENT_REJECTED) {
            if (const auto refusal = decodeRefusal(event.privateSpan())) {
                throw Error(ErrorKind::Peer,
                            fmt::format("{} refused the connection: {}", peer_.text(), *refusal),
                            "use the same version of verbcast on both machines");
            }
        }
        if (event.status == -ENODEV) {
            throwNoRoute();
        }
        throwNotConnected(cmFailureText(event.type, event.status));
    }

    SocketAddress peer_;
    const TransportOptions& transport_;
    const VerbsOptions& verbs_;
    TimestampNs deadline_;
    const Event& cancel_;
};

}  // namespace

void setAckTimeout(rdma_cm_id* id, const VerbsOptions& options) {
    // Kernels that do not know the option keep theirs; a session's heartbeats notice a dead peer all the
    // same.
    std::uint8_t exponent = options.ackTimeoutExponent;
    rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &exponent, sizeof exponent);
}

void requireVerbs() {
    const TransportAvailability availability = verbsAvailability();
    if (!availability.available) {
        throw Error(ErrorKind::Device, fmt::format("verbs:// cannot be used here: {}", availability.reason),
                    "use tcp://, or see \"verbcast devices\"");
    }
}

std::unique_ptr<Channel> connectVerbs(const Url& url, const TransportOptions& options,
                                      std::chrono::milliseconds timeout, const Event& cancel) {
    const TimestampNs deadline = nowNs() + std::chrono::nanoseconds(timeout).count();
    const VerbsOptions verbs = parseVerbsOptions(url);
    requireVerbs();
    std::exception_ptr failure;
    for (const SocketAddress& address : peerAddressesFor(url, verbs)) {
        try {
            return Attempt(address, options, verbs, deadline, cancel).run();
        } catch (const Cancelled&) {
            return nullptr;
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Network && error.kind() != ErrorKind::Device) {
                throw;
            }
            // The first address is the best one: its failure tells most.
            failure = failure ? failure : std::current_exception();
        }
    }
    std::rethrow_exception(failure);
}

}  // namespace verbcast
