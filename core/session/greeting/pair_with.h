// Pairs this host with one that listens.
#pragma once

#include <string_view>

#include "core/base/os/event.h"
#include "core/session/trust/pairing.h"
#include "core/transport/url.h"

namespace verbcast {

/// Agrees on a key with the listener at `url`, using the code that it shows, and keeps the key in `hosts`:
/// both sides then use it automatically. Returns what was kept. Blocks for 8 s at most, or until `cancel` is
/// set. Throws Error{Usage} if `code` is not a code, Error{Network} if nobody answers or it was cancelled,
/// Error{Peer} if the code is wrong or no longer valid, and what requireOtherHost() throws.
PairedHost pairWith(const Url& url, std::string_view code, const PairedHosts& hosts, const Event& cancel);

/// Throws Error{Usage} if `url` is an address of this machine.
void requireOtherHost(const Url& url);

}  // namespace verbcast
