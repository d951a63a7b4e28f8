// The verbs device under test, and connections over it.
#pragma once

#include <optional>
#include <string>

#include "tests/core/transport/rdma/rdma_pair.h"

namespace verbcast::testing {

inline const Transport& verbsTransport() {
    return *findTransport("verbs");
}

/// The device under test: VERBCAST_TEST_DEVICE, or the first active one; none on a machine without RDMA.
struct TestDevice {
    std::string name;
    std::string host;  ///< its address, in brackets for IPv6
    bool immediates = false;
};
std::optional<TestDevice> testDevice();

/// Skips the test with a reason if there is no RDMA device. With VERBCAST_REQUIRE_RDMA=1 it fails instead.
class VerbsTest : public ::testing::Test {
  protected:
    void SetUp() override;
    /// verbs://host:port?device=name plus `more`.
    Url url(std::uint16_t port, const std::string& more = "") const;

    TestDevice device_;
};

std::unique_ptr<Listener> listenVerbs(const Url& url, const TransportOptions& options = {});
Connection connectVerbs(const Url& url, const TransportOptions& options, std::chrono::nanoseconds time,
                        const Event& cancel);
/// connectPair() over verbs.
std::unique_ptr<Pair> connectPair(const Url& listenAt, const std::string& more = "",
                                  const TransportOptions& sourceOptions = {.sendsFrames = true});

}  // namespace verbcast::testing
