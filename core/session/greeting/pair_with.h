// Calling a host to be paired with it.
#pragma once

#include <string_view>

#include "core/base/event.h"
#include "core/session/trust/pairing.h"
#include "core/transport/url.h"

namespace verbcast {

/// Agrees on a key with the listener at `url`, using the code that it shows, and keeps the key in `hosts`:
/// both sides then use it automatically. Gives what was kept. Blocks for 8 s at most, or until `cancel` is
/// set. Throws Error{Usage} for what is no code, Error{Network} when nobody answers, Error{Peer} for a code
/// that does not serve (any more), Error{Network} when it was cancelled.
PairedHost pairWith(const Url& url, std::string_view code, const PairedHosts& hosts, const Event& cancel);

}  // namespace verbcast
