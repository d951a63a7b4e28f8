#include "core/base/text/counted.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

TEST(Counted, OneIsSingular) {
    EXPECT_EQ(counted(0, "frame"), "0 frames");
    EXPECT_EQ(counted(1U, "frame"), "1 frame");
    EXPECT_EQ(counted(std::uint64_t{2}, "frame"), "2 frames");
    EXPECT_EQ(counted(1, "measurement is", "measurements are"), "1 measurement is");
    EXPECT_EQ(counted(2, "measurement is", "measurements are"), "2 measurements are");
}

}  // namespace
}  // namespace verbcast::testing
