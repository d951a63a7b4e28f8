// Which transports a parameterised suite runs over. verbs needs a device: VERBCAST_TEST_RDMA_ADDRESS names
// the IP address of one; the guest sets it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/transport/transport.h"

namespace verbcast {

inline std::string listenAddressFor(const std::string& transport) {
    static std::atomic<int> counter{0};
    if (transport == "shm") {
        return "shm://test-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
    }
    if (transport == "tcp") {
        return "tcp://127.0.0.1:0";
    }
    const char* address = std::getenv("VERBCAST_TEST_RDMA_ADDRESS");
    return std::string("verbs://") + (address != nullptr ? address : "") + ":0";
}

/// shm and tcp everywhere, and verbs where there is a device: the soft-RoCE guest runs the same programs
/// (ctest -L rdma).
inline std::vector<std::string> transportsUnderTest() {
    std::vector<std::string> transports{"shm", "tcp"};
    if (std::getenv("VERBCAST_TEST_RDMA_ADDRESS") != nullptr) {
        transports.emplace_back("verbs");
    }
    return transports;
}

using TransportSuite = ::testing::TestWithParam<std::string>;

inline std::string transportName(const ::testing::TestParamInfo<std::string>& info) {
    return info.param;
}

}  // namespace verbcast
