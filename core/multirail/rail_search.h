// The addresses of one stream's rails: checks those that were given, and finds others that a peer with one
// known address has.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/os/event.h"
#include "core/session/greeting/handshake.h"
#include "core/transport/url.h"

namespace verbcast {

/// Throws Error{Usage} for too many rails, one that shares memory, is a group or has no scheme, the same
/// address twice, or rails for a side that listens.
void checkRails(const std::vector<Url>& urls, bool listen);
/// The same if the other rails have yet to be found.
void checkRailsOf(const Url& url, bool listen);

/// "tcp://10.0.1.2:7423, tcp://10.0.2.2:7423"
std::string textOf(const std::vector<Url>& urls);

/// Asks the listener at `url` for its host's other addresses, takes those of sparesOf(), and logs the
/// outcome. `handshake`: what we would connect with. Returns the known address first, and only `url` if there
/// is no other, or if the peer refuses: who connects there is told why. Waits until the peer is there;
/// returns none if `cancel` was set. Throws what SessionDialler::meet() throws.
std::vector<Url> findRails(const Url& url, const HandshakeOptions& handshake, const Event& cancel);

/// `handshake` for each of several rails of one stream, in order.
std::vector<HandshakeOptions> railHandshakes(const HandshakeOptions& handshake, std::size_t rails,
                                             RailMode mode);

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
