// Which transports a benchmark can use here, and where its two processes meet.
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "app/bench/bench_modes.h"
#include "core/base/error.h"
#include "core/base/unique_fd.h"
#include "core/transport/transport.h"

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

std::vector<Scheme> usableTransports(const BenchOptions& options, BenchReport& report) {
    std::vector<Scheme> usable;
    for (const Scheme scheme : options.transports) {
        if (scheme != Scheme::Verbs) {
            usable.push_back(scheme);
            continue;
        }
        const TransportAvailability verbs = verbsAvailability();
        if (verbs.available) {
            usable.push_back(scheme);
        } else if (options.allTransports) {
            report.notes.push_back("verbs is left out: " + verbs.reason);
        } else {
            throw Error(ErrorKind::Device, "--transport verbs: " + verbs.reason,
                        "see verbcast doctor, or measure --transport shm,tcp");
        }
    }
    return usable;
}

std::string freshAddress(Scheme scheme, const BenchOptions& options) {
    static int number = 0;
    switch (scheme) {
        case Scheme::Shm:
            return fmt::format("shm://bench-{}-{}", ::getpid(), ++number);
        case Scheme::Verbs:
            return fmt::format("verbs://localhost:{}{}", freePort(),
                               options.device.empty() ? "" : "?device=" + options.device);
        default:
            return fmt::format("tcp://127.0.0.1:{}", freePort());
    }
}

}  // namespace verbcast
