// Whom a stream's session is with.
#pragma once

#include <vector>

#include "core/session/messages/rail_hello.h"
#include "core/session/trust/trust.h"
#include "core/transport/url.h"

namespace verbcast {

struct SessionAddress {
    Url url{};
    bool listen = false;        ///< wait for peers at `url` instead of connecting to the one there
    std::vector<Url> spares{};  ///< its other addresses: rails of one stream, `url` the first
    RailMode rails = RailMode::Double;
    bool findsRails = false;  ///< looks for other addresses of the peer at `url`: see findRails()
    Trust trust{};            ///< of the peers
    bool reconnect = true;    ///< after a peer left or was lost, wait for the next

    std::vector<Url> urls() const {
        std::vector<Url> all{url};
        all.insert(all.end(), spares.begin(), spares.end());
        return all;
    }
};

}  // namespace verbcast
