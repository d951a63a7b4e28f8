#include "core/base/wire.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/expectations.h"

namespace verbcast::testing {
namespace {

TEST(Wire, IsLittleEndian) {
    ByteWriter writer;
    writer.put(std::uint32_t{0x01020304});
    const auto bytes = writer.bytes();
    EXPECT_EQ(bytes[0], std::byte{4});
    EXPECT_EQ(bytes[3], std::byte{1});
}

TEST(Wire, AShortMessageIsThePeersFault) {
    const std::array<std::byte, 3> bytes{};
    ByteReader reader(bytes);
    const Error error = thrownBy([&] { reader.get<std::uint32_t>(); });
    EXPECT_EQ(error.kind(), ErrorKind::Peer);
}

}  // namespace
}  // namespace verbcast::testing
