// Finds other paths to a peer with one known address: rails that nobody has named.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/os/event.h"
#include "core/session/greeting/handshake.h"
#include "core/transport/url.h"

namespace verbcast {

struct FoundRails {
    std::vector<Url> urls;  ///< the known address first; only that if there is no other
    std::string reason;     ///< why there is only that one
};

/// Asks the listener at `url` for its host's other addresses, and takes those of sparesOf(). `handshake`:
/// what we would connect with. Waits until the peer is there; returns nullopt if `cancel` was set. Throws
/// what SessionDialler::meet() throws. If the peer refuses, returns `url` only: who connects there is told
/// why.
std::optional<FoundRails> findRails(const Url& url, const HandshakeOptions& handshake, const Event& cancel);

/// Makes of `handshake` that of a probe which asks for a peer's addresses.
HandshakeOptions railProbe(HandshakeOptions handshake);

/// Of the addresses that `peer` has told, returns those that this host reaches over other interfaces than the
/// connection's and each other's, and at which the same program answers. `first`: how it was reached, with a
/// scheme; `local`: our end of that. Tries a few addresses, for a second each at most.
std::vector<Url> sparesOf(const Url& first, const std::string& local, const Hello& peer,
                          const HandshakeOptions& probe, const Event& cancel);

/// How sparesOf() chooses: in the order of `told`, at most kMaxRails with the first. Asks `interfaceTowards`
/// (see core/transport/socket_address.h) about what can be another host's address, and `answers` about each
/// with an interface of its own, up to a limit.
std::vector<std::string> sparesAmong(const std::string& told, const std::string& usedInterface,
                                     const std::function<std::string(const std::string&)>& interfaceTowards,
                                     const std::function<bool(const std::string&)>& answers);

}  // namespace verbcast
