// Replaces this folder if libfabric was not found, or VERBCAST_OFI is off.
#include "core/base/error.h"
#include "core/transport/transports.h"

namespace verbcast::ofi {
namespace {

[[noreturn]] void throwAbsent(const Url& url) {
    throw Error(ErrorKind::Device, url.text() + ": this program was compiled without libfabric",
                "install libfabric-dev and build again, or use verbs:// or tcp://");
}

}  // namespace

TransportAvailability availability() {
    return {false, "compiled without libfabric"};
}

std::unique_ptr<Listener> listen(const Url& url, const TransportOptions&) {
    throwAbsent(url);
}

Connection connect(const Url& url, const TransportOptions&, Deadline, const Event&) {
    throwAbsent(url);
}

}  // namespace verbcast::ofi
