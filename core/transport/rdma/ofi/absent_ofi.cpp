// Stands in for this folder where libfabric was not found, or VERBCAST_OFI is off.
#include "core/base/error.h"
#include "core/transport/rdma/ofi.h"

namespace verbcast {
namespace {

[[noreturn]] void throwAbsent(const Url& url) {
    throw Error(ErrorKind::Device, url.text() + ": this program was compiled without libfabric",
                "install libfabric-dev and build again, or use verbs:// or tcp://");
}

TransportAvailability availability() {
    return {false, "compiled without libfabric"};
}

std::unique_ptr<Listener> listen(const Url& url, const TransportOptions&) {
    throwAbsent(url);
}

Connection connect(const Url& url, const TransportOptions&, Deadline, const Event&) {
    throwAbsent(url);
}

}  // namespace

Transport ofiTransport() {
    return {.scheme = "ofi",
            .label = "libfabric",
            .namesPeers = false,
            .availability = &availability,
            .listen = &listen,
            .connect = &connect,
            .automatic = false,
            .fallback = false,
            .choose = nullptr};
}

}  // namespace verbcast
