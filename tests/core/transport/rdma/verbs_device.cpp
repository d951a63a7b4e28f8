#include "tests/core/transport/rdma/verbs_device.h"

#include <cstdlib>

#include "core/transport/rdma/rdma_devices.h"
#include "core/transport/rdma/verbs/device_addresses.h"

namespace verbcast::testing {

std::optional<TestDevice> testDevice() {
    VerbsOptions options;
    if (const char* wanted = std::getenv("VERBCAST_TEST_DEVICE")) {
        options.device = wanted;
    }
    for (const DeviceAddress& candidate : deviceAddresses(options)) {
        if (!candidate.active) {
            continue;
        }
        const std::string text = candidate.address.text();
        TestDevice device{candidate.device, text.substr(0, text.rfind(':')), false};
        for (const RdmaDevice& one : rdmaDevices()) {
            device.immediates |= one.name == device.name && one.immediateWrites;
        }
        return device;
    }
    return std::nullopt;
}

void VerbsTest::SetUp() {
    const TransportAvailability availability = verbsTransport().availability();
    const auto device = availability.available ? testDevice() : std::nullopt;
    if (device) {
        device_ = *device;
        return;
    }
    const std::string why =
        availability.available ? "no RDMA device with an IP address" : std::string(availability.reason);
    if (std::getenv("VERBCAST_REQUIRE_RDMA") != nullptr) {
        FAIL() << "RDMA is required here: " << why;
    }
    GTEST_SKIP() << "NOT TESTED, " << why << ": run this binary through tests/support/guest";
}

Url VerbsTest::url(std::uint16_t port, const std::string& more) const {
    return parseUrl("verbs://" + device_.host + ":" + std::to_string(port) + "?device=" + device_.name +
                    more);
}

std::unique_ptr<Listener> listenVerbs(const Url& url, const TransportOptions& options) {
    return verbsTransport().listen(url, options);
}

Connection connectVerbs(const Url& url, const TransportOptions& options, std::chrono::nanoseconds time,
                        const Event& cancel) {
    return verbsTransport().connect(url, options, Deadline::in(time), cancel);
}

std::unique_ptr<Pair> connectPair(const Url& listenAt, const std::string& more,
                                  const TransportOptions& sourceOptions) {
    return connectPair(verbsTransport(), listenAt, more, sourceOptions);
}

}  // namespace verbcast::testing
