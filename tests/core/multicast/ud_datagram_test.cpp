// The headers that a device puts in front of a received datagram, and invalid ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "core/transport/rdma/ud_group.h"

namespace verbcast::testing {
namespace {

using Buffer = std::vector<std::byte>;

/// Captured from soft-RoCE: 10.78.1.1 to 239.10.0.7, UDP, 4148 bytes, TTL 1; the checksum is the kernel's.
constexpr std::array<unsigned char, 20> kIpv4 = {0x45, 0x00, 0x10, 0x34, 0x00, 0x00, 0x40, 0x00, 0x01, 0x11,
                                                 0x00, 0x00, 10,   78,   1,    1,    239,  10,   0,    7};

/// RFC 1071, after its C example.
unsigned sumOf(const unsigned char* at, std::size_t bytes) {
    unsigned long sum = 0;
    for (std::size_t i = 0; i < bytes; i += 2) {
        sum += static_cast<unsigned>(at[i] << 8 | at[i + 1]);
    }
    while (sum >> 16) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return ~static_cast<unsigned>(sum) & 0xffffU;
}

Buffer overIpv4(std::byte before = std::byte{}) {
    auto header = kIpv4;
    const unsigned sum = sumOf(header.data(), header.size());
    header[10] = static_cast<unsigned char>(sum >> 8);
    header[11] = static_cast<unsigned char>(sum);
    Buffer buffer(64, std::byte{7});
    std::fill_n(buffer.begin(), 20, before);
    std::ranges::transform(header, buffer.begin() + 20, [](unsigned char byte) { return std::byte{byte}; });
    return buffer;
}

/// fe80::1 to ff12::7, as in IBA 8.3.
Buffer overGlobalRoutes() {
    Buffer buffer(64, std::byte{7});
    std::fill_n(buffer.begin(), 40, std::byte{});
    buffer[0] = std::byte{0x60};
    buffer[8] = std::byte{0xfe};
    buffer[9] = std::byte{0x80};
    buffer[23] = std::byte{1};
    buffer[24] = std::byte{0xff};
    return buffer;
}

TEST(UdDatagram, ItsSourceIsRead) {
    // Bytes before an IPv4 header are ignored, even if they look like IPv6.
    for (const auto before : {std::byte{}, std::byte{0x60}, std::byte{0xff}}) {
        const Buffer buffer = overIpv4(before);
        const auto datagram = ud::datagramOf({buffer, 50, true, 17});
        ASSERT_TRUE(datagram);
        EXPECT_EQ(datagram->bytes.size(), 10U);
        EXPECT_EQ(datagram->bytes.data(), buffer.data() + 40);
        EXPECT_EQ(datagram->from.number, 17U);
        EXPECT_EQ(datagram->from.address[10], std::byte{0xff});
        EXPECT_EQ(datagram->from.address[11], std::byte{0xff});
        EXPECT_EQ(datagram->from.address[12], std::byte{10});
        EXPECT_EQ(datagram->from.address[15], std::byte{1});
    }
    const Buffer buffer = overGlobalRoutes();
    const auto datagram = ud::datagramOf({buffer, 64, true, 18});
    ASSERT_TRUE(datagram);
    EXPECT_EQ(datagram->bytes.size(), 24U);
    EXPECT_EQ(datagram->from.address[0], std::byte{0xfe});
    EXPECT_EQ(datagram->from.address[15], std::byte{1});
}

TEST(UdDatagram, WhatCannotBeIsNone) {
    const Buffer buffer = overIpv4();
    EXPECT_FALSE(ud::datagramOf({buffer, 50, false, 17})) << "no header";
    EXPECT_FALSE(ud::datagramOf({buffer, 40, true, 17})) << "nothing behind it";
    EXPECT_FALSE(ud::datagramOf({buffer, 39, true, 17})) << "less than it";
    EXPECT_FALSE(ud::datagramOf({buffer, 0, true, 17}));
    EXPECT_FALSE(ud::datagramOf({buffer, 65, true, 17})) << "more than the buffer";
    EXPECT_FALSE(ud::datagramOf({buffer, ~std::size_t{0}, true, 17}));
    Buffer changed = buffer;
    changed[35] ^= std::byte{1};
    EXPECT_FALSE(ud::datagramOf({changed, 50, true, 17})) << "the sum does not fit";
    EXPECT_FALSE(ud::datagramOf({Buffer(64), 50, true, 17})) << "neither IPv4 nor IPv6";
}

TEST(UdDatagram, AnyBytesAreSafe) {
    std::mt19937 random(5);
    for (int round = 0; round < 20'000; ++round) {
        Buffer buffer(40 + random() % 40);
        std::ranges::generate(buffer, [&] { return static_cast<std::byte>(random()); });
        const std::size_t bytes = random() % 100;
        if (const auto datagram =
                ud::datagramOf({buffer, bytes, random() % 8 != 0, static_cast<std::uint32_t>(random())})) {
            ASSERT_LE(datagram->bytes.size() + ud::kHeaderBytes, buffer.size());
            ASSERT_EQ(datagram->bytes.size() + ud::kHeaderBytes, bytes);
        }
    }
}

}  // namespace
}  // namespace verbcast::testing
