// The transports that parameterised suites run over: one line for each.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/transport/registry.h"

namespace verbcast::testing {

struct TransportUnderTest {
    std::string name;     ///< of the variant, usable in a test's name: "tcp", "ofi_shm"
    std::string address;  ///< to listen at; '#' stands for a new number each time

    operator std::string() const { return name; }
    std::string scheme() const { return address.substr(0, address.find("://")); }
    friend bool operator==(const TransportUnderTest& transport, std::string_view variant) {
        return transport.name == variant;
    }
    friend std::ostream& operator<<(std::ostream& out, const TransportUnderTest& transport) {
        return out << transport.name;
    }
};

/// shm and tcp everywhere, and libfabric if compiled in. verbs needs a device, whose IP address
/// VERBCAST_TEST_RDMA_ADDRESS gives: the soft-RoCE guest sets it and runs the same programs (ctest -L rdma).
inline std::vector<TransportUnderTest> transportsUnderTest() {
    std::vector<TransportUnderTest> transports{{"shm", "shm://test-#"}, {"tcp", "tcp://127.0.0.1:0"}};
#ifdef VERBCAST_TEST_OFI
    // Does not ask the library: that would open devices, which breaks tests that fork.
    const bool ofi = true;
#else
    const bool ofi = false;
#endif
    if (ofi) {
        transports.push_back({"ofi_tcp", "ofi://127.0.0.1:0?provider=tcp"});
        transports.push_back({"ofi_shm", "ofi://127.0.0.1:0?provider=shm"});
    }
    if (const char* address = std::getenv("VERBCAST_TEST_RDMA_ADDRESS")) {
        transports.push_back({"verbs", "verbs://" + std::string(address) + ":0"});
        if (ofi) {
            transports.push_back({"ofi_verbs", "ofi://" + std::string(address) + ":0?provider=verbs"});
        }
    }
    return transports;
}

/// Transports whose connections are rings in memory mapped by both ends: the sink reads the source's slots.
inline std::vector<TransportUnderTest> transportsThatShareMemory() {
    std::vector<TransportUnderTest> transports = transportsUnderTest();
    std::erase_if(transports, [](const TransportUnderTest& each) {
        return !transportHas(each.scheme(), &Transport::sharesMemory);
    });
    return transports;
}

/// The others: the source writes to the sink's slots.
inline std::vector<TransportUnderTest> transportsThatWrite() {
    std::vector<TransportUnderTest> transports = transportsUnderTest();
    std::erase_if(transports, [](const TransportUnderTest& each) {
        return transportHas(each.scheme(), &Transport::sharesMemory);
    });
    return transports;
}

inline std::string listenAddressFor(const TransportUnderTest& transport) {
    static std::atomic<int> counter{0};
    std::string address = transport.address;
    if (const auto mark = address.find('#'); mark != std::string::npos) {
        address.replace(mark, 1, std::to_string(::getpid()) + "-" + std::to_string(counter++));
    }
    return address;
}

/// For suites in which ends in one process come and go beside others: libfabric 1.17's shm provider crashes
/// if it touches an endpoint of the same process that is gone.
inline std::vector<TransportUnderTest> transportsForCrowds() {
    std::vector<TransportUnderTest> transports = transportsUnderTest();
    std::erase_if(transports, [](const TransportUnderTest& each) { return each.name == "ofi_shm"; });
    return transports;
}

/// For suites that kill or stop the peer. libfabric 1.17's shm provider keeps spin locks in memory that both
/// processes map, and never gives up on one that a dead process holds.
inline std::vector<TransportUnderTest> transportsForTheKilled() {
    return transportsForCrowds();  // the same provider is left out
}

/// By the variant's name in the list above.
inline std::string listenAddressFor(const std::string& name) {
    for (const TransportUnderTest& transport : transportsUnderTest()) {
        if (transport.name == name) {
            return listenAddressFor(transport);
        }
    }
    return name;  // parseUrl() reports what is wrong
}

/// The variants by name, for suites that run whole programs.
inline std::vector<std::string> variantsUnderTest() {
    std::vector<std::string> names;
    for (const TransportUnderTest& transport : transportsUnderTest()) {
        names.push_back(transport.name);
    }
    return names;
}
/// Variants named after a transport: without libfabric's providers.
inline std::vector<std::string> schemesUnderTest() {
    std::vector<std::string> names = variantsUnderTest();
    std::erase_if(names, [](const std::string& name) { return name.find('_') != std::string::npos; });
    return names;
}
inline std::string variantName(const ::testing::TestParamInfo<std::string>& info) {
    return info.param;
}

using TransportSuite = ::testing::TestWithParam<TransportUnderTest>;

inline std::string transportName(const ::testing::TestParamInfo<TransportUnderTest>& info) {
    return info.param.name;
}

/// Over libfabric's providers of software most suites find again what they find over shm and tcp: they wait
/// for `scripts/test --all`. Those of the transports themselves, and one of sessions, of pipes and of
/// programs, do not.
template <typename Transport>
std::vector<Transport> everydayOf(std::vector<Transport> transports) {
    std::erase_if(transports, [](const Transport& each) { return each == "ofi_tcp" || each == "ofi_shm"; });
    return transports;
}
/// The others.
template <typename Transport>
std::vector<Transport> furtherOf(std::vector<Transport> transports) {
    std::erase_if(transports, [](const Transport& each) { return each != "ofi_tcp" && each != "ofi_shm"; });
    return transports;
}

/// Instantiates a suite over both, for a list of transports or of variants' names.
#define VERBCAST_OVER_TRANSPORTS(Suite, transports)                                           \
    INSTANTIATE_TEST_SUITE_P(Over, Suite, ::testing::ValuesIn(everydayOf(transports)),        \
                             [](const auto& tested) { return std::string(tested.param); });   \
    INSTANTIATE_TEST_SUITE_P(ThoroughOver, Suite, ::testing::ValuesIn(furtherOf(transports)), \
                             [](const auto& tested) { return std::string(tested.param); })

}  // namespace verbcast::testing
