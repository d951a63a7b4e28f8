#include "core/multirail/rail_search.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "core/session/greeting/connect_best.h"
#include "core/session/greeting/session_dialler.h"
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

}  // namespace

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

std::optional<FoundRails> findRails(const Url& url, const HandshakeOptions& handshake, const Event& cancel) {
    const HandshakeOptions probe = railProbe(handshake);
    SessionDialler dialler(url, TransportOptions{}, probe);
    const auto met = dialler.meet(cancel);
    if (cancel.isSet()) {
        return std::nullopt;
    }
    const auto* peer = std::get_if<PeerConnection>(&met);
    if (peer == nullptr) {
        return FoundRails{{url}, std::get<SessionEnd>(met).reason};
    }
    const ConnectionDescription channel = peer->connection.messages->description();
    peer->connection.messages->close();
    if (!transportHas(channel.transport, &Transport::reachesOtherHosts)) {
        return FoundRails{{url}, "both programs are on this host"};
    }
    Url first = url;
    first.scheme = channel.transport;
    FoundRails found{sparesOf(first, channel.local, peer->hello, probe, cancel), ""};
    if (found.urls.empty()) {
        return FoundRails{
            {url},
            fmt::format("it answers at no address that is reached through an interface other than {}",
                        interfaceWith(channel.local))};
    }
    found.urls.insert(found.urls.begin(), std::move(first));
    return found;
}

}  // namespace verbcast
