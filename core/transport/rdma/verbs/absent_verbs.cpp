// Replaces this folder if rdma-core was not found, or VERBCAST_VERBS is off.
#include "core/base/error.h"
#include "core/transport/rdma/rdma_devices.h"
#include "core/transport/rdma/ud_group.h"
#include "core/transport/transports.h"

namespace verbcast {
namespace verbs {
namespace {

[[noreturn]] void throwAbsent(const Url& url) {
    throw Error(ErrorKind::Device, url.text() + ": this program was compiled without rdma-core",
                "install libibverbs-dev and librdmacm-dev and build again, or use tcp://");
}

}  // namespace

TransportAvailability availability() {
    return {false, "compiled without rdma-core"};
}

std::unique_ptr<Listener> listen(const Url& url, const TransportOptions&) {
    throwAbsent(url);
}

Connection connect(const Url& url, const TransportOptions&, Deadline, const Event&) {
    throwAbsent(url);
}

}  // namespace verbs

namespace ud {
namespace {

[[noreturn]] void throwAbsent() {
    throw Error(ErrorKind::Device, "multicast by RDMA: this program was compiled without rdma-core",
                "install libibverbs-dev and librdmacm-dev and build again, or use via=udp");
}

}  // namespace

DeviceFor deviceFor(const multicast::GroupInterface& /*interface*/) {
    return {{}, verbs::availability().reason};
}

std::unique_ptr<multicast::GroupPort> openSender(const multicast::GroupAddress&,
                                                 const multicast::GroupInterface&, int) {
    throwAbsent();
}

std::unique_ptr<multicast::GroupReceiver> openReceiver(const multicast::GroupAddress&,
                                                       const multicast::GroupInterface&) {
    throwAbsent();
}

}  // namespace ud

std::vector<RdmaDevice> rdmaDevices() {
    return {};
}

std::unique_ptr<RegistrationProbe> openRegistrationProbe(const std::string&) {
    throw Error(ErrorKind::Device,
                "registering memory with an RDMA device: this program was compiled without rdma-core",
                "install libibverbs-dev and librdmacm-dev and build again");
}

std::vector<RdmaAddress> rdmaAddresses() {
    return {};
}

bool verbsCompiledIn() {
    return false;
}

std::string rdmaCoreVersion() {
    return "not compiled in";
}

}  // namespace verbcast
