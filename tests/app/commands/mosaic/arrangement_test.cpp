// How a mosaic's pictures move when their places change.
#include "app/commands/compose/mosaic/arrangement.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

constexpr TimestampNs kMillisecond = 1'000'000;
const std::vector<Arrangement::Picture> kTwo{{.id = 7, .size = {160, 90}}, {.id = 9, .size = {160, 90}}};

Arrangement sideBySide() {
    return Arrangement({.layout = &layoutNamed("side"), .width = 320, .height = 90});
}

TEST(Arrangement, IsTheLayoutOfTheWindows) {
    Arrangement arrangement = sideBySide();
    const auto places = arrangement.places(kTwo, 0);
    EXPECT_EQ(places, layOut({{160, 90}, {160, 90}}, arrangement.request()));
    EXPECT_FALSE(arrangement.isMoving(0));
}

TEST(Arrangement, PicturesKeepTheirIdentityWhileTheyMove) {
    Arrangement arrangement = sideBySide();
    arrangement.setFade(400ms);
    const auto first = arrangement.places(kTwo, 0);
    EXPECT_FALSE(arrangement.isMoving(0)) << "the first places are no change";
    ASSERT_EQ(first.size(), 2U);
    EXPECT_EQ(first[0].area.left, 0);

    const std::vector<Arrangement::Picture> swapped{kTwo[1], kTwo[0]};
    const auto begins = arrangement.places(swapped, 1000 * kMillisecond);
    EXPECT_TRUE(arrangement.isMoving(1000 * kMillisecond));
    EXPECT_EQ(begins[0].area, first[1].area) << "number 9 has not moved yet";
    const auto half = arrangement.places(swapped, 1200 * kMillisecond);
    EXPECT_EQ(half[0].area.left, 80);
    EXPECT_EQ(half[1].area.left, 80);
    const auto there = arrangement.places(swapped, 1400 * kMillisecond);
    EXPECT_FALSE(arrangement.isMoving(1400 * kMillisecond));
    EXPECT_EQ(there, first);
}

TEST(Arrangement, AFadeIsOfTheNextChange) {
    Arrangement arrangement = sideBySide();
    const auto first = arrangement.places(kTwo, 1000 * kMillisecond);
    arrangement.setFade(400ms);
    EXPECT_FALSE(arrangement.isMoving(1100 * kMillisecond));
    EXPECT_EQ(arrangement.places(kTwo, 1100 * kMillisecond), first);
}

TEST(Arrangement, ThoseThatComeAndGoFade) {
    Arrangement arrangement = sideBySide();
    arrangement.setFade(400ms);
    arrangement.places(kTwo, 0);
    arrangement.request().layout = &layoutNamed("free");
    const std::vector<PanePlace> panes{{.stream = 0, .width = 1}};
    arrangement.request().panes = panes;
    std::vector<Arrangement::Picture> pictures = kTwo;
    arrangement.places(pictures, 1000 * kMillisecond);
    pictures.push_back({.id = 11, .size = {160, 90}});
    const auto places = arrangement.places(pictures, 1400 * kMillisecond);
    ASSERT_EQ(places.size(), 3U);
    const auto half = arrangement.places(pictures, 1600 * kMillisecond);
    EXPECT_EQ(half[2].picture, 2U);
    EXPECT_NEAR(half[2].blend.opacity, 0.5, 0.01);
    pictures.erase(pictures.begin());  // is closed: nothing is left to fade
    for (const PicturePlace& place : arrangement.places(pictures, 1600 * kMillisecond)) {
        EXPECT_LT(place.picture, 2U);
    }
}

TEST(Arrangement, AFocusBeyondTheInputsIsTheLast) {
    Arrangement arrangement({.layout = &layoutNamed("focus"), .width = 320, .height = 180, .focus = 5});
    const auto places = arrangement.places(kTwo, 0);
    ASSERT_EQ(places.size(), 2U);
    EXPECT_EQ(places[0].picture, 1U);
    EXPECT_TRUE(arrangement.places({}, 0).empty());
}

}  // namespace
}  // namespace verbcast::testing
