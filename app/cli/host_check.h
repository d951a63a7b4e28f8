// Rejects hosts that do not exist; commands wait only for peers that are late.
#pragma once

#include "app/cli/stream_options.h"

namespace verbcast {

/// Throws Error{Network} if the host to connect to has no address. Asks the name service, which may take
/// seconds.
void checkHostExists(const Url& url, bool listen);
inline void checkHostExists(const SessionAddress& peer) {
    checkHostExists(peer.url, peer.listen);
}

}  // namespace verbcast
