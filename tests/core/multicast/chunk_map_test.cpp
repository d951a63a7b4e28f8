#include "core/transport/multicast/chunk_map.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace verbcast::testing {
namespace {

using namespace multicast;  // what is tested here

using Ranges = std::vector<ChunkRange>;

TEST(ChunkMap, CountsWhatIsMissing) {
    ChunkMap map;
    map.begin(130);
    EXPECT_TRUE(map.empty());
    EXPECT_EQ(map.missingBefore(130), (Ranges{{0, 130}}));
    EXPECT_TRUE(map.add(0));
    EXPECT_TRUE(map.add(64));
    EXPECT_TRUE(map.add(129));
    EXPECT_FALSE(map.add(64)) << "twice";
    EXPECT_EQ(map.missing(), 127U);
    EXPECT_EQ(map.reached(), 130U);
    EXPECT_EQ(map.missingBefore(130), (Ranges{{1, 63}, {65, 64}}));
    EXPECT_EQ(map.missingBefore(66), (Ranges{{1, 63}, {65, 1}}));
    map.add(ChunkRange{1, 128});
    EXPECT_TRUE(map.complete());
    map.begin(1);
    EXPECT_FALSE(map.complete()) << "what came before is forgotten";
}

TEST(ChunkMap, AgreesWithASet) {
    std::mt19937 random(1);
    for (const std::uint32_t chunks : {1U, 63U, 64U, 65U, 1000U}) {
        ChunkMap map;
        map.begin(chunks);
        std::set<std::uint32_t> there;
        for (std::uint32_t i = 0; i < chunks; ++i) {
            const auto chunk = static_cast<std::uint32_t>(random() % chunks);
            EXPECT_EQ(map.add(chunk), there.insert(chunk).second);
            EXPECT_EQ(map.missing(), chunks - there.size());
        }
        std::uint32_t from = 0;
        for (const ChunkRange& range : map.missingBefore(chunks)) {
            for (; from < range.first; ++from) {
                EXPECT_TRUE(there.contains(from));
            }
            for (; from < range.first + range.count; ++from) {
                EXPECT_FALSE(there.contains(from));
            }
        }
    }
}

TEST(ChunkMap, NamesNoMoreRangesThanARequestHolds) {
    ChunkMap map;
    map.begin(1000);
    for (std::uint32_t chunk = 0; chunk < 1000; chunk += 2) {
        map.add(chunk);
    }
    const Ranges ranges = map.missingBefore(1000);
    ASSERT_EQ(ranges.size(), kMaxRanges);
    EXPECT_EQ(ranges.back(), (ChunkRange{127, 1}));
    EXPECT_TRUE(rangesArePossible(ranges, 1000));
}

TEST(ChunkMap, RefusesRangesThatCannotBe) {
    constexpr std::uint32_t kHuge = 0xffff'ffff;
    EXPECT_TRUE(rangesArePossible(Ranges{{0, 1}, {1, 2}, {9, 1}}, 10));
    EXPECT_FALSE(rangesArePossible({}, 10)) << "none";
    EXPECT_FALSE(rangesArePossible(Ranges(kMaxRanges + 1, {0, 1}), 1000)) << "too many";
    EXPECT_FALSE(rangesArePossible(Ranges{{0, 0}}, 10)) << "empty";
    EXPECT_FALSE(rangesArePossible(Ranges{{5, 1}, {4, 1}}, 10)) << "falling";
    EXPECT_FALSE(rangesArePossible(Ranges{{4, 2}, {5, 1}}, 10)) << "one in the other";
    EXPECT_FALSE(rangesArePossible(Ranges{{9, 2}}, 10)) << "beyond the end";
    EXPECT_FALSE(rangesArePossible(Ranges{{kHuge, kHuge}}, 10)) << "a sum that wraps";
    EXPECT_FALSE(rangesArePossible(Ranges{{1, kHuge}}, 10));
}

}  // namespace
}  // namespace verbcast::testing
