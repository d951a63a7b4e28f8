// Commands wait for a peer that is late, but not for a host that does not exist.
#pragma once

#include "app/cli/stream_options.h"

namespace verbcast {

/// Throws Error{Network} when the host to connect to has no address. Asks the name service, which may take
/// seconds.
void checkHostExists(const Url& url, bool listen);
inline void checkHostExists(const StreamPeer& peer) {
    checkHostExists(peer.url, peer.listen);
}

}  // namespace verbcast
