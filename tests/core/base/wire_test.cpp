#include "core/base/wire.h"

#include <gtest/gtest.h>

#include <array>

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
    try {
        reader.get<std::uint32_t>();
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Peer);
    }
}

}  // namespace
}  // namespace verbcast::testing
