#include "app/bench/workers/bench_transports.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/error.h"
#include "core/base/os/unique_fd.h"
#include "core/transport/registry.h"

namespace verbcast {

std::uint16_t freePort() {
    const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (!socket || ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
        throwErrno(ErrorKind::Network, "bind", "127.0.0.1", errno);
    }
    return ntohs(address.sin_port);
}

std::vector<std::string> usableTransports(const BenchOptions& options, BenchReport& report) {
    std::vector<std::string> usable;
    for (const std::string& scheme : options.transports) {
        const TransportAvailability here = findTransport(scheme)->availability();
        if (here.available) {
            usable.push_back(scheme);
        } else if (options.allTransports) {
            report.notes.push_back(fmt::format("{} is left out: {}", scheme, here.reason));
        } else {
            throw Error(ErrorKind::Device, fmt::format("--transport {}: {}", scheme, here.reason),
                        "see verbcast doctor, or measure --transport shm,tcp");
        }
    }
    return usable;
}

std::string freshAddress(const std::string& scheme, const BenchOptions& options) {
    static int number = 0;
    const Transport& transport = *findTransport(scheme);
    if (transport.namesPeers) {
        return fmt::format("{}://bench-{}-{}", scheme, ::getpid(), ++number);
    }
    return fmt::format("{}://127.0.0.1:{}{}", scheme, freePort(),
                       transport.usesRdma() && !options.device.empty()
                           ? fmt::format("?{}={}", transport.rdmaOption, options.device)
                           : "");
}

}  // namespace verbcast
