// The libfabric transport's entry in the registry.
#include <fmt/format.h>

#include <exception>

#include "core/transport/rdma/ofi/ofi_endpoints.h"
#include "core/transport/rdma/ofi/ofi_options.h"
#include "core/transport/rdma/rdma_rendezvous.h"
#include "core/transport/socket_address.h"
#include "core/transport/transports.h"

namespace verbcast::ofi {
namespace {

RdmaConnectionOptions connectionOptions(const OfiOptions& options) {
    return {.scheme = "ofi", .immediates = options.immediate};
}

}  // namespace

TransportAvailability availability() {
    if (const std::string problem = ofiLibraryProblem(); !problem.empty()) {
        return {false, problem};
    }
    std::string names;
    for (const std::string& name : ofiProviders()) {
        names += (names.empty() ? "" : ", ") + name;
    }
    const std::uint32_t version = fi_version();
    const std::string library = fmt::format("libfabric {}.{}", FI_MAJOR(version), FI_MINOR(version));
    return names.empty() ? TransportAvailability{false, library + " has no provider that can be used here"}
                         : TransportAvailability{true, fmt::format("{}, providers: {}", library, names)};
}

std::unique_ptr<Listener> listen(const Url& url, const TransportOptions& transport) {
    const OfiOptions options = parseOfiOptions(url);
    std::exception_ptr failure;
    for (const SocketAddress& address : resolveToListen(url)) {
        try {
            const OfiWay way = findOfiWay(options, address, url.port, true);
            auto port = way.connectionless
                            ? listenOfiRdm(*way.info, address, url.text(), transport.sendsFrames)
                            : listenOfiMsg(*way.info, url.text(), transport.sendsFrames);
            return listenRdma(std::move(port), connectionOptions(options));
        } catch (const Error&) {
            failure = failure ? failure : std::current_exception();
        }
    }
    if (!failure) {
        throw Error(ErrorKind::Network, fmt::format("{} has no address to listen at", url.text()));
    }
    std::rethrow_exception(failure);
}

namespace {

Connection connectTo(const SocketAddress& address, const OfiOptions& options,
                     const TransportOptions& transport, Deadline deadline, const Event& cancel) {
    const OfiWay way = findOfiWay(options, address, address.port(), false);
    auto queue = way.connectionless
                     ? openOfiRdmQueue(*way.info, address, transport.sendsFrames, deadline, cancel)
                     : openOfiMsgQueue(*way.info, transport.sendsFrames);
    return queue ? connectRdma(std::move(queue), connectionOptions(options), deadline, cancel) : Connection{};
}

}  // namespace

Connection connect(const Url& url, const TransportOptions& transport, Deadline deadline,
                   const Event& cancel) {
    const OfiOptions options = parseOfiOptions(url);
    return connectToFirst(url, resolve(url, false, deadline, &cancel), cancel,
                          [&](const SocketAddress& address) {
                              return connectTo(address, options, transport, deadline, cancel);
                          });
}

}  // namespace verbcast::ofi
