// Stands in for the whole folder where rdma-core was not found, or VERBCAST_VERBS is off.
#include "core/base/error.h"
#include "core/transport/rdma_devices.h"
#include "core/transport/registration_cost.h"
#include "core/transport/transport.h"

namespace verbcast {
namespace {

[[noreturn]] void throwAbsent(const Url& url) {
    throw Error(ErrorKind::Device, url.text() + ": this program was compiled without rdma-core",
                "install libibverbs-dev and librdmacm-dev and build again, or use tcp://");
}

}  // namespace

std::unique_ptr<Listener> listenVerbs(const Url& url, const TransportOptions&) {
    throwAbsent(url);
}

std::unique_ptr<Channel> connectVerbs(const Url& url, const TransportOptions&, std::chrono::milliseconds,
                                      const Event&) {
    throwAbsent(url);
}

TransportAvailability verbsAvailability() {
    return {Scheme::Verbs, false, "compiled without rdma-core"};
}

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
