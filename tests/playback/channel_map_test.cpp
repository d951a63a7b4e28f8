#include "render/sound/channel_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace verbcast::testing {
namespace {

std::vector<float> mapped(const std::vector<float>& input, std::uint64_t layout, std::uint32_t outputs) {
    ChannelMap map;
    map.choose({.channels = static_cast<std::uint16_t>(input.size()), .layout = layout}, outputs);
    std::vector<float> output(outputs, 9);
    map.apply(input.data(), 1, output);
    return output;
}

using Samples = std::vector<float>;

TEST(ChannelMap, PlaysWhatFitsAsItIs) {
    EXPECT_EQ(mapped({1, 2}, 3, 2), (Samples{1, 2}));
    EXPECT_EQ(mapped({1, 2}, 0, 4), (Samples{1, 2, 0, 0}));
    EXPECT_EQ(mapped({1, 2, 3, 4, 5, 6}, 0x60f, 6), (Samples{1, 2, 3, 4, 5, 6}));
}

TEST(ChannelMap, PlaysMonoInFront) {
    EXPECT_EQ(mapped({1}, 4, 1), (Samples{1}));
    EXPECT_EQ(mapped({1}, 4, 2), (Samples{1, 1}));
    EXPECT_EQ(mapped({1}, 0, 6), (Samples{1, 1, 0, 0, 0, 0}));
}

TEST(ChannelMap, MixesSurroundToStereo) {
    const float minus3 = std::sqrt(0.5F);
    for (const std::uint64_t layout : {0x3fU, 0x60fU}) {  // surround at the back, at the sides
        EXPECT_EQ(mapped({1, 0, 0, 0, 0, 0}, layout, 2), (Samples{1, 0}));
        EXPECT_EQ(mapped({0, 1, 0, 0, 0, 0}, layout, 2), (Samples{0, 1}));
        EXPECT_EQ(mapped({0, 0, 1, 0, 0, 0}, layout, 2), (Samples{minus3, minus3}));
        EXPECT_EQ(mapped({0, 0, 0, 1, 0, 0}, layout, 2), (Samples{0, 0}));
        EXPECT_EQ(mapped({0, 0, 0, 0, 1, 0}, layout, 2), (Samples{minus3, 0}));
        EXPECT_EQ(mapped({0, 0, 0, 0, 0, 1}, layout, 2), (Samples{0, minus3}));
    }
}

TEST(ChannelMap, MixesToMono) {
    EXPECT_EQ(mapped({1, 2}, 0, 1), (Samples{1.5}));
    EXPECT_EQ(mapped({1, 2}, 3, 1), (Samples{1.5}));
}

TEST(ChannelMap, PlaysTheFirstOnesWithoutALayout) {
    EXPECT_EQ(mapped({1, 2, 3, 4, 5, 6}, 0, 2), (Samples{1, 2}));
    EXPECT_EQ(mapped({1, 2, 3, 4, 5, 6}, 0x3f, 4), (Samples{1, 2, 3, 4}));
    EXPECT_EQ(mapped(Samples(64, 0.25F), ~std::uint64_t{0}, 2).size(), 2U);
}

}  // namespace
}  // namespace verbcast::testing
