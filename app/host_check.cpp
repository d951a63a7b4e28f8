#include "app/host_check.h"

#include "core/transport/socket_address.h"

namespace verbcast {

void checkHostExists(const Url& url, bool listen) {
    if (!listen && url.scheme != Scheme::Shm) {
        static_cast<void>(resolve(url, false));
    }
}

}  // namespace verbcast
