// The network load of many displays, compared with figures calculated by hand.
#include "app/bench/report/fabric_model.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace verbcast::testing {
namespace {

// 10 Gb/s: a frame of 12.5 MB, a hundred times per second, takes 0.1 s of a 100 Gb/s link per second.
constexpr StreamModel kStream{.frameBytes = 12'500'000, .fps = 100};

ModelRow rowOf(const FabricModel& fabric, Spread spread, std::uint32_t displays) {
    const std::vector<ModelRow> rows = modelRows(fabric, kStream, displays);
    const auto found = std::ranges::find_if(
        rows, [&](const ModelRow& row) { return row.spread == spread && row.displays == displays; });
    EXPECT_NE(found, rows.end());
    return *found;
}

TEST(FabricModel, TheSendersLinkCarriesACopyForEachDisplay) {
    EXPECT_DOUBLE_EQ(kStream.gbps(), 10);
    const ModelRow eight = rowOf({}, Spread::Unicast, 8);
    EXPECT_DOUBLE_EQ(eight.busiestShare, 0.8);
    EXPECT_EQ(eight.busiest, "sender's link");
    EXPECT_DOUBLE_EQ(eight.lastUs, 8 * 1000 + 3);  // 1 ms each, three switches
    EXPECT_EQ(eight.slots, 3U) << "all copies are there within the time of a frame";
    EXPECT_FALSE(rowOf({}, Spread::Unicast, 11).holds());
    EXPECT_EQ(mostDisplays({}, kStream, Spread::Unicast), 10U);
}

TEST(FabricModel, TilesAndMulticastAskNoMoreOfItHoweverManyThereAre) {
    for (const Spread spread : {Spread::Tiles, Spread::Multicast}) {
        const ModelRow row = rowOf({}, spread, 100);
        EXPECT_DOUBLE_EQ(row.busiestShare, 0.1);
        EXPECT_DOUBLE_EQ(row.lastUs, 1003);
    }
}

TEST(FabricModel, RelaysWaitForWholeFrames) {
    FabricModel fabric;
    fabric.fanOut = 4;
    fabric.relayUs = 50;
    EXPECT_EQ(rowOf(fabric, Spread::Relays, 4).levels, 0U);
    EXPECT_EQ(rowOf(fabric, Spread::Relays, 5).levels, 1U);
    EXPECT_EQ(rowOf(fabric, Spread::Relays, 16).levels, 1U);
    const ModelRow row = rowOf(fabric, Spread::Relays, 64);
    EXPECT_EQ(row.levels, 2U);
    EXPECT_DOUBLE_EQ(row.busiestShare, 0.4);
    EXPECT_DOUBLE_EQ(row.lastUs, 3 * (4 * 1000 + 3) + 2 * 50);
    EXPECT_EQ(row.slots, 4U) << "the last display has a frame when the sender is two further";
}

TEST(FabricModel, LeavesOfAnOversubscribedNetworkAreFullFirst) {
    FabricModel fabric;
    fabric.oversubscription = 16;  // 16 hosts of 100 Gb/s share uplinks of 100 Gb/s
    const ModelRow row = rowOf(fabric, Spread::Relays, 16);
    EXPECT_EQ(row.busiest, "leaf's uplinks");
    EXPECT_DOUBLE_EQ(row.busiestShare, 16 * 4 * 0.1);
    EXPECT_FALSE(row.holds());
}

TEST(FabricModel, OneDisplayTakesAsManySendersAsItsLinkCarries) {
    EXPECT_EQ(mostDisplays({}, kStream, Spread::Incast), 10U);
    EXPECT_EQ(rowOf({}, Spread::Incast, 4).busiest, "display's link");
    FabricModel slow;
    slow.linkGbps = 9;
    EXPECT_EQ(mostDisplays(slow, kStream, Spread::Unicast), 0U);
}

TEST(FabricModel, EachWayHasItsPowersOfTwoAndTheLast) {
    const auto rows = modelRows({}, kStream, 100);
    EXPECT_EQ(std::ranges::count(rows, Spread::Multicast, &ModelRow::spread), 8);
    EXPECT_EQ(std::ranges::count(rows, 100U, &ModelRow::displays), 5);
    EXPECT_EQ(std::ranges::count(modelRows({}, kStream, 1), 1U, &ModelRow::displays), 5);
}

}  // namespace
}  // namespace verbcast::testing
