// Resolves names to addresses. The system's resolver can be neither timed out nor cancelled, so each look-up
// runs on its own thread, whose answer nobody has to wait for.
#include <fmt/format.h>
#include <netdb.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "core/base/error.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

// Abandoned look-ups end by the resolver's own timeout; no more than this many run at once.
constexpr int kMaxLookUps = 32;

constexpr const char* kNumbersRemedy =
    "use a numeric address, or fix the name service (see: resolvectl status, /etc/resolv.conf)";

struct Answer {
    int code = 0;  // from getaddrinfo()
    std::vector<SocketAddress> addresses;
};

Answer ask(const std::string& host, std::uint16_t port, bool passive, int flags) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV | flags | (passive ? AI_PASSIVE : 0);
    addrinfo* raw = nullptr;
    Answer answer;
    answer.code =
        ::getaddrinfo(host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(), &hints, &raw);
    if (answer.code != 0) {
        return answer;
    }
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list(raw, &freeaddrinfo);
    for (const addrinfo* item = list.get(); item != nullptr; item = item->ai_next) {
        answer.addresses.push_back(SocketAddress::of(item->ai_addr));
    }
    return answer;
}

/// A query to the name service and, once `done` is set, its answer.
struct LookUp {
    std::string host;
    std::uint16_t port = 0;
    bool passive = false;
    Event done;
    std::mutex mutex;
    Answer answer;  // guarded by mutex
};

std::atomic<int> lookUpsRunning{0};

/// Shared with a detached thread, which may outlive the caller's wait.
std::shared_ptr<LookUp> beginLookUp(const Url& url, bool passive) {
    auto lookUp = std::make_shared<LookUp>();
    lookUp->host = url.host;
    lookUp->port = url.port;
    lookUp->passive = passive;
    if (lookUpsRunning.fetch_add(1) >= kMaxLookUps) {
        lookUpsRunning.fetch_sub(1);
        throw Error(ErrorKind::Network,
                    fmt::format("the host \"{}\" is not looked up: {} names are waiting for the name service",
                                url.host, kMaxLookUps),
                    kNumbersRemedy);
    }
    try {
        std::thread([lookUp] {
            Answer answer = ask(lookUp->host, lookUp->port, lookUp->passive, 0);
            {
                const std::lock_guard lock(lookUp->mutex);
                lookUp->answer = std::move(answer);
            }
            lookUp->done.notify();
            lookUpsRunning.fetch_sub(1);
        }).detach();
    } catch (const std::system_error& error) {
        lookUpsRunning.fetch_sub(1);
        throw Error(ErrorKind::Resource,
                    fmt::format("no thread to look up \"{}\": {}", url.host, error.what()),
                    "end other programs, or give the address in numbers");
    }
    return lookUp;
}

}  // namespace

std::optional<SocketAddress> numericAddress(const std::string& host) {
    const Answer answer = host.empty() ? Answer{} : ask(host, 0, false, AI_NUMERICHOST);
    return answer.addresses.empty() ? std::nullopt : std::optional(answer.addresses.front());
}

std::vector<SocketAddress> resolve(const Url& url, bool passive, Deadline deadline, const Event* cancel) {
    // An empty host needs no name service either.
    Answer answer = ask(url.host, url.port, passive, AI_NUMERICHOST);
    if (answer.code == EAI_NONAME && !url.host.empty()) {
        const auto lookUp = beginLookUp(url, passive);
        for (;;) {
            // Check this first: after cancelling, the caller gets nothing, not even an immediate answer.
            if (cancel != nullptr && cancel->isSet()) {
                return {};
            }
            if (lookUp->done.isSet()) {
                break;
            }
            if (deadline.passed()) {
                throw Error(ErrorKind::Network,
                            fmt::format("the name \"{}\" is not resolved in time", url.host), kNumbersRemedy);
            }
            waitReadable({lookUp->done.descriptor(), cancel != nullptr ? cancel->descriptor() : -1},
                         deadline);
        }
        const std::lock_guard lock(lookUp->mutex);
        answer = std::move(lookUp->answer);
    }
    if (answer.code != 0 || answer.addresses.empty()) {
        throw Error(ErrorKind::Network,
                    fmt::format("the host \"{}\" cannot be found: {}", url.host,
                                answer.code != 0 ? ::gai_strerror(answer.code) : "it has no address"),
                    "check the spelling, or give the address in numbers");
    }
    return answer.addresses;
}

std::vector<SocketAddress> resolveToListen(const Url& url) {
    return resolve(url, true, Deadline::in(std::chrono::seconds(5)));
}

}  // namespace verbcast
