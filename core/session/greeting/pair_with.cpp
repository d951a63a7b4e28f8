#include "core/session/greeting/pair_with.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/session/greeting/connector.h"
#include "core/transport/socket_address.h"

namespace verbcast {

PairedHost pairWith(const Url& url, std::string_view code, const PairedHosts& hosts, const Event& cancel) {
    HandshakeOptions options;
    options.role = Role::Pairing;
    options.trust.key = NamedKey{kPairingKeyName, keyOfPairingCode(code)};
    Reached reached = connectBest(url, {}, Deadline::in(std::chrono::seconds(5)), cancel);
    if (!reached.connection) {
        throw Error(ErrorKind::Network, fmt::format("{}: pairing was cancelled", url.text()));
    }
    const std::string peer = hostOfAddress(reached.connection.messages->description().peer);
    const auto outcome = greet(std::move(reached.connection), options, cancel);
    if (const auto* end = std::get_if<LinkEnd>(&outcome)) {
        throw Error(ErrorKind::Peer, fmt::format("{}: {}", url.text(), end->reason),
                    "a code is shown when a host connects without a key; it works once and expires after ten "
                    "minutes: connect again (verbcast view), and type the newest code");
    }
    const Guest& guest = std::get<Guest>(outcome);
    PairedHost host{guest.peer.name.value, {url.host}, guest.pairingKey.value(), kMayAll, today(), true};
    if (!url.isName() && peer != url.host) {
        host.addresses.push_back(peer);
    }
    hosts.add(host);
    return host;
}

}  // namespace verbcast
