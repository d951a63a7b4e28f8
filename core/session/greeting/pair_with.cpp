#include "core/session/greeting/pair_with.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/session/greeting/connect_best.h"
#include "core/session/greeting/peer_connection.h"
#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

[[noreturn]] void throwThisMachine(const Url& url) {
    throw Error(ErrorKind::Usage,
                fmt::format("{} is an address of this machine: keys are for pairs of hosts", url.text()),
                "your own programs on one machine need no key; for another user's, give both a key "
                "(verbcast key new FILE, --key-file FILE), or use --open at both ends");
}

}  // namespace

void requireOtherHost(const Url& url) {
    if (url.isName() || isLocalHost(url.host)) {
        throwThisMachine(url);
    }
}

PairedHost pairWith(const Url& url, std::string_view code, const PairedHosts& hosts, const Event& cancel) {
    requireOtherHost(url);
    HandshakeOptions options;
    options.role = Role::Pairing;
    options.trust.key = NamedKey{kPairingKeyName, keyOfPairingCode(code)};
    Reached reached = connectBest(url, {}, Deadline::in(std::chrono::seconds(5)), cancel);
    if (!reached.connection) {
        throw Error(ErrorKind::Network, fmt::format("{}: pairing was cancelled", url.text()));
    }
    const ConnectionDescription& found = reached.connection.messages->description();
    if (found.place != PeerPlace::OtherHost) {  // by a name
        throwThisMachine(url);
    }
    const std::string address = hostOfAddress(found.peer);
    const auto outcome = greet(std::move(reached.connection), options, cancel);
    if (const auto* end = std::get_if<SessionEnd>(&outcome)) {
        throw Error(
            ErrorKind::Peer, fmt::format("{} does not take this code: {}", url.text(), end->reason),
            "a code is shown when a host connects without a key, but not by a listener that is --open "
            "or has a key file; it works once and expires after ten minutes: connect again "
            "(verbcast view), and type the newest code");
    }
    const PeerConnection& peer = std::get<PeerConnection>(outcome);
    PairedHost host{peer.hello.name.value, {url.host}, peer.pairingKey.value(), kMayAll, today(), true};
    if (!url.isName() && address != url.host) {
        host.addresses.push_back(address);
    }
    hosts.add(host);
    return host;
}

}  // namespace verbcast
