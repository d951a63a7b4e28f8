#include "core/multirail/rail_search.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "core/base/error.h"
#include "core/base/log/log.h"
#include "core/session/greeting/connect_best.h"
#include "core/session/greeting/session_dialler.h"
#include "core/session/messages/rail_hello.h"
#include "core/transport/registry.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

constexpr std::chrono::seconds kPatienceForSpare{1};
// Ignores what a peer tells beyond this.
constexpr std::size_t kMaxTold = 64;
constexpr std::size_t kMaxTries = 8;

/// Whether it is a numeric address that another host can have.
bool isOfAHost(const std::string& address) {
    in_addr v4{};
    if (::inet_pton(AF_INET, address.c_str(), &v4) == 1) {
        const std::uint32_t number = ntohl(v4.s_addr);
        return number >> 24 != 0 && number >> 24 != 127 && number >> 28 < 0xe;  // this, loopback, multicast
    }
    in6_addr v6{};
    return ::inet_pton(AF_INET6, address.c_str(), &v6) == 1 && !IN6_IS_ADDR_UNSPECIFIED(&v6) &&
           !IN6_IS_ADDR_LOOPBACK(&v6) && !IN6_IS_ADDR_MULTICAST(&v6) && !IN6_IS_ADDR_LINKLOCAL(&v6) &&
           !IN6_IS_ADDR_V4MAPPED(&v6);
}

/// Whether the same program answers there.
bool answersAt(const Url& url, const HandshakeOptions& probe, std::uint64_t instance, const Event& cancel) {
    try {
        Reached reached = connectBest(url, {}, Deadline::in(kPatienceForSpare), cancel);
        if (!reached.connection.messages) {
            return false;
        }
        const auto met = greet(std::move(reached.connection), probe, cancel);
        const auto* peer = std::get_if<PeerConnection>(&met);
        if (peer != nullptr) {
            peer->connection.messages->close();
        }
        return peer != nullptr && peer->hello.instance == instance;
    } catch (const Error&) {
        return false;  // not reachable, then
    }
}

/// Why there is only that rail.
std::vector<Url> onlyRail(const Url& url, const std::string& reason) {
    log(LogCategory::Stream).warn("no other path to {}: {}; the stream has one rail", url.text(), reason);
    return {url};
}

void checkRail(const Url& url) {
    if (url.isName()) {
        throw Error(ErrorKind::Usage,
                    fmt::format("{}: shared memory cannot be a rail: there is no second path within one host",
                                url.text()),
                    "give it alone, or use tcp, verbs or ofi for each rail");
    }
    if (url.isMulticast()) {
        throw Error(ErrorKind::Usage, fmt::format("{}: a multicast group cannot be a rail", url.text()),
                    "give it alone");
    }
}

void checkConnects(bool listen) {
    if (listen) {
        throw Error(ErrorKind::Usage, "rails are for the side that connects, and this side listens",
                    "give the rails to the side that connects: the other listens on every address");
    }
}

}  // namespace

void checkRailsOf(const Url& url, bool listen) {
    checkConnects(listen);
    checkRail(url);
}

void checkRails(const std::vector<Url>& urls, bool listen) {
    checkConnects(listen);
    if (urls.size() > kMaxRails) {
        throw Error(ErrorKind::Usage, fmt::format("{} rails: at most {} expected", urls.size(), kMaxRails));
    }
    for (auto url = urls.begin(); url != urls.end(); ++url) {
        checkRail(*url);
        if (url->scheme.empty()) {
            throw Error(ErrorKind::Usage,
                        fmt::format("{}: a rail's transport expected before its address", url->text()),
                        fmt::format("for example tcp://{}", url->text()));
        }
        if (std::any_of(urls.begin(), url, [&](const Url& other) { return other.text() == url->text(); })) {
            throw Error(ErrorKind::Usage, fmt::format("{} twice: a rail cannot back up itself", url->text()),
                        "give an address of another network or port for each rail");
        }
    }
}

std::string textOf(const std::vector<Url>& urls) {
    std::string text;
    for (const Url& url : urls) {
        text += (text.empty() ? "" : ", ") + url.text();
    }
    return text;
}

std::vector<HandshakeOptions> railHandshakes(const HandshakeOptions& handshake, std::size_t rails,
                                             RailMode mode) {
    std::vector<HandshakeOptions> each(rails, handshake);
    RailHello rail{.stream = newRailStream(), .count = static_cast<std::uint8_t>(rails), .mode = mode};
    for (HandshakeOptions& one : each) {
        one.rail = rail;
        ++rail.index;
    }
    return each;
}

std::vector<std::string> sparesAmong(const std::string& told, const std::string& usedInterface,
                                     const std::function<std::string(const std::string&)>& interfaceTowards,
                                     const std::function<bool(const std::string&)>& answers) {
    std::set<std::string> used{usedInterface};
    std::vector<std::string> spares;
    std::size_t from = 0;
    std::size_t tries = 0;
    for (std::size_t seen = 0; from < told.size() && seen < kMaxTold && spares.size() + 1 < kMaxRails;
         ++seen) {
        const std::size_t comma = std::min(told.find(',', from), told.size());
        const std::string address = told.substr(from, comma - from);
        from = comma + 1;
        if (!isOfAHost(address)) {
            continue;
        }
        const std::string interface = interfaceTowards(address);
        if (interface.empty() || used.contains(interface)) {
            continue;
        }
        if (tries++ == kMaxTries) {
            break;
        }
        if (answers(address)) {
            used.insert(interface);
            spares.push_back(address);
        }
    }
    return spares;
}

HandshakeOptions railProbe(HandshakeOptions handshake) {
    handshake.role = Role::Probe;
    handshake.features = kFindsRails;
    handshake.rail.reset();
    return handshake;
}

std::vector<Url> sparesOf(const Url& first, const std::string& local, const Hello& peer,
                          const HandshakeOptions& probe, const Event& cancel) {
    std::vector<std::string> schemes{first.scheme};
    if (const Transport& transport = transportFor(first); transport.automatic && !transport.fallback) {
        schemes.emplace_back(fallbackTransport().scheme);  // a network without RDMA is a spare, too
    }
    // An address that both hosts have (a container bridge's) leads from here to here.
    const std::vector<std::string> own = hostAddresses();
    std::vector<Url> spares;
    const auto answers = [&](const std::string& address) {
        return std::ranges::find(own, address) == own.end() &&
               std::ranges::any_of(schemes, [&](const std::string& scheme) {
                   Url url = first;
                   url.scheme = scheme;
                   url.host = address;
                   const bool isThere = !cancel.isSet() && answersAt(url, probe, peer.instance, cancel);
                   if (isThere) {
                       spares.push_back(std::move(url));
                   }
                   return isThere;
               });
    };
    sparesAmong(peer.addresses.value, interfaceWith(local), &interfaceTowards, answers);
    return spares;
}

std::vector<Url> findRails(const Url& url, const HandshakeOptions& handshake, const Event& cancel) {
    const HandshakeOptions probe = railProbe(handshake);
    SessionDialler dialler(url, TransportOptions{}, probe);
    const auto met = dialler.meet(cancel);
    if (cancel.isSet()) {
        return {};
    }
    const auto* peer = std::get_if<PeerConnection>(&met);
    if (peer == nullptr) {
        return onlyRail(url, std::get<SessionEnd>(met).reason);
    }
    const ConnectionDescription channel = peer->connection.messages->description();
    peer->connection.messages->close();
    if (!transportHas(channel.transport, &Transport::reachesOtherHosts)) {
        return onlyRail(url, "both programs are on this host");
    }
    Url first = url;
    first.scheme = channel.transport;
    std::vector<Url> found = sparesOf(first, channel.local, peer->hello, probe, cancel);
    if (found.empty()) {
        return onlyRail(
            url, fmt::format("it answers at no address that is reached through an interface other than {}",
                             interfaceWith(channel.local)));
    }
    found.insert(found.begin(), std::move(first));
    log(LogCategory::Stream).info("rails to {}: {}", url.text(), textOf(found));
    return found;
}

}  // namespace verbcast
