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

/// Asks who listens at `url` for its host's other addresses, and takes those that this host reaches by other
/// interfaces and at which the same program answers. `handshake`: as whom we would connect. Waits until the
/// peer is there; nothing when `cancel` was set. Throws as Connector::meet(). A peer that refuses for good is
/// given back alone: a session is told why.
std::optional<FoundRails> findRails(const Url& url, HandshakeOptions handshake, const Event& cancel);

/// The host's addresses for HandshakeOptions::addresses of who listens at `url`; empty where it listens at
/// one of them alone.
std::function<std::vector<std::string>()> toldAddresses(const Url& url);

/// What a peer has told, in its order: those by other interfaces than `usedInterface` and each other, at most
/// as many as make kMaxRails with the first. `interfaceTowards`: see core/transport/host_addresses.h. Leaves
/// out what cannot be another host's address.
std::vector<std::string> sparesAmong(const std::string& told, const std::string& usedInterface,
                                     const std::function<std::string(const std::string&)>& interfaceTowards);

}  // namespace verbcast
