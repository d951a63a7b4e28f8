// A peer that is late is waited for; a host that does not exist is not.
#pragma once

#include "app/command_line.h"

namespace verbcast {

/// Throws Error{Network} when the host to connect to has no address. Asks the name service, which may take
/// seconds.
void checkHostExists(const Url& url, bool listen);
inline void checkHostExists(const StreamOptions& options) {
    checkHostExists(options.url, options.listen);
}

}  // namespace verbcast
