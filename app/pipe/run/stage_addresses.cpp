#include "app/pipe/run/stage_addresses.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/transport/registry.h"

namespace verbcast {

std::string routeTo(const PipelineOptions& options, const RemoteStage& stage) {
    const std::string& host = stage.stage().host;
    if (const auto route = options.routes.find(host); route != options.routes.end()) {
        return route->second;
    }
    const std::string& seen = stage.hello()->address;
    return seen.empty() ? host.substr(host.find('@') + 1) : seen;
}

std::string listenAddress(const std::string& scheme, std::size_t stage, const char* end) {
    const Transport* transport = findTransport(scheme);
    if (transport == nullptr) {
        return ":0";
    }
    return transport->namesPeers ? fmt::format("{}://pipe-{}-{}-{}", scheme, ::getpid(), stage, end)
                                 : fmt::format("{}://:0", scheme);
}

/// Stages listen on all addresses and report the port.
Url addressOf(const PipelineOptions& options, const RemoteStage& stage,
              const std::vector<std::string>& listening) {
    if (listening.empty()) {
        throw Error(ErrorKind::Peer, fmt::format("{} does not say where it listens", stage.stage().host));
    }
    Url url = parseUrl(listening.front());
    url.scheme = options.transport;
    if (!url.isName()) {
        url.host = routeTo(options, stage);
    }
    return url;
}

}  // namespace verbcast
