// Another way to a peer of which one address is known: rails that nobody has named.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/event.h"
#include "core/session/greeting/handshake.h"
#include "core/transport/url.h"

namespace verbcast {

struct FoundRails {
    std::vector<Url> urls;  ///< the address that was known first; alone where there is no other
    std::string reason;     ///< why it is alone
};

/// Asks who listens at `url` for its host's other addresses, and takes those of sparesOf(). `handshake`: as
/// whom we would connect. Waits until the peer is there; nothing when `cancel` was set. Throws as
/// Connector::meet(). A peer that refuses is given back alone: whoever connects there is told why.
std::optional<FoundRails> findRails(const Url& url, const HandshakeOptions& handshake, const Event& cancel);

/// What a probe's HandshakeOptions::features are to hear a peer's addresses.
HandshakeOptions railProbe(HandshakeOptions handshake);

/// Of the addresses that a peer has told (`peer`), those that this host reaches by other interfaces than the
/// connection's and each other, and at which the same program answers. `first`: how it was reached, with a
/// scheme; `local`: our end of that. Tries some addresses, a second each at most.
std::vector<Url> sparesOf(const Url& first, const std::string& local, const Hello& peer,
                          const HandshakeOptions& probe, const Event& cancel);

/// The host's addresses for HandshakeOptions::addresses of who listens at `url`; empty where it listens at
/// one of them alone.
std::function<std::vector<std::string>()> toldAddresses(const Url& url);

/// The choice of sparesOf(): in the order of `told`, at most as many as make kMaxRails with the first. Asks
/// `interfaceTowards` (see core/transport/host_addresses.h) of what can be another host's address, and
/// `answers` of each that has an interface to itself, some at most.
std::vector<std::string> sparesAmong(const std::string& told, const std::string& usedInterface,
                                     const std::function<std::string(const std::string&)>& interfaceTowards,
                                     const std::function<bool(const std::string&)>& answers);

}  // namespace verbcast
