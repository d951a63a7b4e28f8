#include "app/cli/host_check.h"

#include "core/transport/socket_address.h"

namespace verbcast {
namespace {

constexpr std::chrono::seconds kNamePatience{5};

}  // namespace

void checkHostExists(const Url& url, bool listen) {
    if (!listen && !url.isName()) {
        static_cast<void>(resolve(url, false, Deadline::in(kNamePatience)));
    }
}

}  // namespace verbcast
