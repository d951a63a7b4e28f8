#include "app/host_check.h"

#include "core/transport/socket_address.h"

namespace verbcast {

void checkHostExists(const StreamOptions& options) {
    if (!options.listen && options.url.scheme != Scheme::Shm) {
        static_cast<void>(resolve(options.url, false));
    }
}

}  // namespace verbcast
