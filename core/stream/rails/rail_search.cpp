#include "core/stream/rails/rail_search.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <set>
#include <utility>
#include <variant>

#include "core/session/greeting/connector.h"
#include "core/transport/host_addresses.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

constexpr std::chrono::seconds kPatienceForSpare{1};
// A peer that tells more is not listened to further.
constexpr std::size_t kMaxTold = 64;

/// An address in numbers at which another host can be.
bool isOfAHost(const std::string& address) {
    in_addr v4{};
    if (::inet_pton(AF_INET, address.c_str(), &v4) == 1) {
        const std::uint32_t number = ntohl(v4.s_addr);
        return number >> 24 != 0 && number >> 24 != 127 && number >> 28 < 0xe;  // this, loopback, multicast
    }
    in6_addr v6{};
    return ::inet_pton(AF_INET6, address.c_str(), &v6) == 1 && !IN6_IS_ADDR_UNSPECIFIED(&v6) &&
           !IN6_IS_ADDR_LOOPBACK(&v6) && !IN6_IS_ADDR_MULTICAST(&v6) && !IN6_IS_ADDR_LINKLOCAL(&v6);
}

/// Whether the same program answers there.
bool answersAt(const Url& url, const HandshakeOptions& probe, std::uint64_t instance, const Event& cancel) {
    try {
        Reached reached = connectBest(url, {}, Deadline::in(kPatienceForSpare), cancel);
        if (!reached.connection.messages) {
            return false;
        }
        const auto met = greet(std::move(reached.connection), probe, cancel);
        const auto* guest = std::get_if<Guest>(&met);
        if (guest != nullptr) {
            guest->connection.messages->close();
        }
        return guest != nullptr && guest->peer.instance == instance;
    } catch (const Error&) {
        return false;  // no way, then
    }
}

}  // namespace

std::vector<std::string> sparesAmong(const std::string& told, const std::string& usedInterface,
                                     const std::function<std::string(const std::string&)>& interfaceTowards) {
    std::set<std::string> used{usedInterface};
    std::vector<std::string> spares;
    std::size_t from = 0;
    for (std::size_t seen = 0; from < told.size() && seen < kMaxTold && spares.size() + 1 < kMaxRails;
         ++seen) {
        const std::size_t comma = std::min(told.find(',', from), told.size());
        const std::string address = told.substr(from, comma - from);
        from = comma + 1;
        if (!isOfAHost(address)) {
            continue;
        }
        if (const std::string interface = interfaceTowards(address);
            !interface.empty() && used.insert(interface).second) {
            spares.push_back(address);
        }
    }
    return spares;
}

std::function<std::vector<std::string>()> toldAddresses(const Url& url) {
    const bool everywhere = url.host.empty() || url.host == "0.0.0.0" || url.host == "::";
    return everywhere && !url.isName() ? &hostAddresses : std::function<std::vector<std::string>()>{};
}

std::optional<FoundRails> findRails(const Url& url, HandshakeOptions handshake, const Event& cancel) {
    handshake.role = Role::Probe;
    handshake.features = kFindsRails;
    handshake.rail.reset();
    Connector connector(url, TransportOptions{}, handshake);
    for (;;) {
        auto met = connector.meet(cancel);
        if (cancel.isSet()) {
            return std::nullopt;
        }
        const auto* guest = std::get_if<Guest>(&met);
        if (guest == nullptr) {
            if (std::get<LinkEnd>(met).permanent) {
                return FoundRails{{url}, std::get<LinkEnd>(met).reason};
            }
            continue;  // busy now
        }
        const ConnectionDescription channel = guest->connection.messages->description();
        guest->connection.messages->close();
        if (channel.transport == "shm") {
            return FoundRails{{url}, "both programs are on this host"};
        }
        FoundRails found{{url}, ""};
        found.urls.front().scheme = channel.transport;
        const std::string usedInterface = interfaceWith(channel.local);
        for (const std::string& address :
             sparesAmong(guest->peer.addresses.value, usedInterface, &interfaceTowards)) {
            Url spare = found.urls.front();
            spare.host = address;
            if (answersAt(spare, handshake, guest->peer.instance, cancel)) {
                found.urls.push_back(std::move(spare));
            }
        }
        if (found.urls.size() == 1) {
            found.urls.front() = url;
            found.reason = fmt::format("it has no address that is reached by another interface than {}",
                                       usedInterface.empty() ? channel.local : usedInterface);
        }
        return found;
    }
}

}  // namespace verbcast
