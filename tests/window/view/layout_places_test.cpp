// Placement of several streams' pictures. Sizes are in device pixels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "app/view/layout.h"

namespace verbcast::testing {
namespace {

constexpr DisplaySize kHd{1920, 1080};
constexpr DisplaySize kUpright{1080, 1920};
constexpr DisplaySize kSquare{500, 500};
constexpr DisplaySize kNotThere{};

std::vector<DisplaySize> several(std::size_t count, DisplaySize size = kHd) {
    return std::vector<DisplaySize>(count, size);
}

bool overlap(const TargetRect& a, const TargetRect& b) {
    return a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height &&
           b.top < a.top + a.height;
}

bool isInside(const TargetRect& area, int width, int height) {
    return area.left >= 0 && area.top >= 0 && area.width > 0 && area.height > 0 &&
           area.left + area.width <= width && area.top + area.height <= height;
}

TEST(Layout, OnePictureHasTheWholeWindow) {
    for (const Layout& layout : layouts()) {
        const auto places = layOut({kUpright}, {.layout = &layout, .width = 1280, .height = 720, .gap = 8});
        ASSERT_EQ(places.size(), 1u) << layout.name;
        EXPECT_EQ(places[0].area, (TargetRect{0, 0, 1280, 720})) << layout.name;
    }
}

// For every layout, any number of streams, and many window shapes, including ones far too small.
TEST(Layout, EveryPictureHasAPlaceOfItsShapeInTheWindow) {
    for (const Layout& layout : layouts()) {
        if (layout.isStereo()) {
            continue;  // stereo layouts have their own places
        }
        for (const auto& [width, height] : {std::pair{1280, 720}, {720, 1280}, {3840, 2160}, {401, 399}}) {
            for (std::size_t count = 2; count <= 64; ++count) {
                std::vector<DisplaySize> pictures;
                for (std::size_t i = 0; i < count; ++i) {
                    pictures.push_back(i % 3 == 0 ? kHd : i % 3 == 1 ? kUpright : kNotThere);
                }
                const auto places = layOut(
                    pictures,
                    {.layout = &layout, .width = width, .height = height, .gap = 2, .focus = count / 2});
                const std::string where = std::string(layout.name) + ", " + std::to_string(count) + " in " +
                                          std::to_string(width) + "x" + std::to_string(height);
                const bool compares = layout.way == LayoutWay::Wipe || layout.way == LayoutWay::Difference;
                const bool overlaps = layout.name == "pip" || compares;
                ASSERT_EQ(places.size(), compares ? 2 : count) << where;
                std::vector<bool> seen(count);
                for (std::size_t i = 0; i < places.size(); ++i) {
                    const PicturePlace& place = places[i];
                    EXPECT_FALSE(seen.at(place.picture)) << where;
                    seen[place.picture] = true;
                    EXPECT_TRUE(isInside(place.area, width, height)) << where << ": " << place.picture;
                    const DisplaySize& own = pictures[compares ? places[0].picture : place.picture];
                    const DisplaySize shape = own.width > 0 ? own : kHd;
                    // Tolerance: rounding to whole pixels.
                    EXPECT_NEAR(place.area.width, place.area.height * shape.width / shape.height,
                                1 + shape.width / shape.height)
                        << where;
                    for (std::size_t j = i + 1; j < places.size() && !overlaps; ++j) {
                        EXPECT_FALSE(overlap(place.area, places[j].area)) << where;
                    }
                }
            }
        }
    }
}

TEST(Layout, GridOfSixIsThreeByTwo) {
    const auto places = layOut(several(6), {.width = 1280, .height = 720, .gap = 8});
    // (1280 - 4 * 8) / 3 = 416 wide, so 234 high; centred in the window with equal gaps.
    for (int i = 0; i < 6; ++i) {
        const TargetRect expected{8 + i % 3 * (416 + 8), (720 - 2 * 234 - 8) / 2 + i / 3 * (234 + 8), 416,
                                  234};
        EXPECT_EQ(places[static_cast<std::size_t>(i)],
                  (PicturePlace{static_cast<std::size_t>(i), expected, expected}));
    }
}

TEST(Layout, GridFollowsTheShapesOfWindowAndPictures) {
    const auto columns = [](const std::vector<DisplaySize>& pictures, int width, int height) {
        int inFirstRow = 0;
        const auto places = layOut(pictures, {.width = width, .height = height, .gap = 4});
        for (const PicturePlace& place : places) {
            inFirstRow += place.area.left >= places[0].area.left && place.area.top <= places[0].area.top;
        }
        return inFirstRow;
    };
    EXPECT_EQ(columns(several(2), 1280, 720), 2);
    EXPECT_EQ(columns(several(2), 720, 720), 1);
    EXPECT_EQ(columns(several(4), 1280, 720), 2);
    EXPECT_EQ(columns(several(4, kUpright), 1280, 720), 4);
    EXPECT_EQ(columns(several(6, kUpright), 1920, 1080), 6);
    EXPECT_EQ(columns(several(9), 1280, 720), 3);
    EXPECT_EQ(columns(several(9), 300, 3000), 1);
    EXPECT_EQ(columns(several(16), 1920, 1080), 4);
}

// The smallest picture counts: two columns would enlarge the wide ones and shrink the upright one.
TEST(Layout, NoOtherGridMakesTheSmallestPictureLarger) {
    const std::vector<DisplaySize> pictures{kHd, kUpright, kSquare, kHd, kUpright};
    const auto places = layOut(pictures, {.width = 1280, .height = 720});
    int smallest = 1280 * 720;
    for (const PicturePlace& place : places) {
        smallest = std::min(smallest, place.area.width * place.area.height);
    }
    for (int columns = 1; columns <= 5; ++columns) {
        const int rows = (5 + columns - 1) / columns;
        const double width = 1280 / columns, height = 720 / rows;
        double other = 1e9;
        for (const DisplaySize& picture : pictures) {
            const double scale = std::min(width / picture.width, height / picture.height);
            other = std::min(other, picture.width * scale * picture.height * scale);
        }
        EXPECT_GE(smallest, other * 0.99) << columns;  // rounding to whole pixels
    }
}

TEST(Layout, AnIncompleteRowIsCentred) {
    const auto places = layOut(several(5), {.width = 1280, .height = 720, .gap = 8});
    EXPECT_EQ(places[3].area.left, 1280 - places[4].area.left - places[4].area.width);
    EXPECT_EQ(places[4].area.left - places[3].area.left - places[3].area.width, 8);
    EXPECT_EQ(places[3].area.top, places[4].area.top);
}

TEST(Layout, TheFocusIsLargeAndTheOthersAreAside) {
    for (std::size_t focus = 0; focus < 5; ++focus) {
        const auto places =
            layOut(several(5),
                   {.layout = &layoutNamed("focus"), .width = 1280, .height = 720, .gap = 8, .focus = focus});
        EXPECT_EQ(places[0].picture, focus);
        for (std::size_t i = 1; i < places.size(); ++i) {
            EXPECT_EQ(places[i].picture, i <= focus ? i - 1 : i) << "the others keep their order";
            EXPECT_LT(places[i].area.width * 3, places[0].area.width);
            EXPECT_GE(places[i].area.left, places[0].area.left + places[0].area.width + 8);
        }
    }
}

TEST(Layout, InAHighWindowTheOthersStandBelow) {
    const auto places = layOut(
        several(4), {.layout = &layoutNamed("focus"), .width = 800, .height = 800, .gap = 8, .focus = 1});
    EXPECT_EQ(places[0].area.width, 800 - 2 * 8);
    for (std::size_t i = 1; i < places.size(); ++i) {
        EXPECT_GE(places[i].area.top, places[0].area.top + places[0].area.height + 8);
    }
}

TEST(Layout, SideBySideHasOneHeight) {
    const auto places = layOut({kHd, kUpright, kSquare},
                               {.layout = &layoutNamed("side"), .width = 1280, .height = 720, .gap = 8});
    for (std::size_t i = 0; i < places.size(); ++i) {
        EXPECT_EQ(places[i].picture, i);
        EXPECT_EQ(places[i].area.top, places[0].area.top);
        EXPECT_EQ(places[i].area.height, places[0].area.height);
    }
    EXPECT_EQ(places[1].area.left, places[0].area.left + places[0].area.width + 8);
    EXPECT_LE(places[0].area.left, 10) << "as wide as the window";
}

TEST(Layout, PictureInPictureCoversTheCorner) {
    const auto places = layOut(
        several(3), {.layout = &layoutNamed("pip"), .width = 1280, .height = 720, .gap = 16, .focus = 1});
    EXPECT_EQ(places[0].picture, 1u);
    EXPECT_EQ(places[0].area, (TargetRect{0, 0, 1280, 720}));
    EXPECT_EQ(places[1].picture, 0u);
    EXPECT_EQ(places[1].area, (TargetRect{1280 - 16 - 306, 720 - 16 - 172, 306, 172}));
    EXPECT_EQ(places[2].picture, 2u);
    EXPECT_EQ(places[2].area, (TargetRect{1280 - 16 - 306, 720 - 2 * 16 - 2 * 172, 306, 172}));
}

TEST(Layout, AWipeCutsTwoPicturesAtOneLine) {
    const TargetRect all{0, 0, 1280, 720};
    for (const auto& [focus, first, second] :
         {std::tuple{0u, 0u, 1u}, std::tuple{1u, 1u, 2u}, std::tuple{2u, 0u, 2u}}) {
        const auto places = layOut(several(3), {.layout = &layoutNamed("wipe"),
                                                .width = 1280,
                                                .height = 720,
                                                .gap = 8,
                                                .focus = focus,
                                                .divider = 0.25});
        ASSERT_EQ(places.size(), 2u);
        EXPECT_EQ(places[0], (PicturePlace{first, all, {0, 0, 320, 720}}));
        EXPECT_EQ(places[1], (PicturePlace{second, all, {320, 0, 960, 720}}));
    }
    const auto compared = layOut(
        several(2), {.layout = &layoutNamed("difference"), .width = 1280, .height = 720, .divider = 0.25});
    EXPECT_EQ(compared[0], (PicturePlace{0, all, all}));
    EXPECT_EQ(compared[1], (PicturePlace{1, all, all}));
    for (const double divider : {-1.0, 0.0, 1.0, 7.0}) {
        const auto places = layOut(
            several(2), {.layout = &layoutNamed("wipe"), .width = 1280, .height = 720, .divider = divider});
        EXPECT_EQ(places[0].clip.width, divider > 0 ? 1280 : 0);
        EXPECT_EQ(places[1].clip.width, divider > 0 ? 0 : 1280);
    }
}

TEST(Layout, EyesHaveTheirHalvesOrBothTheWholeWindow) {
    for (const Layout& layout : layouts()) {
        if (!layout.isStereo()) {
            continue;
        }
        for (const bool swap : {false, true}) {
            const auto places = layOut(
                {kHd, kSquare, kUpright},
                {.layout = &layout, .width = 1281, .height = 720, .gap = 8, .focus = 1, .swapEyes = swap});
            ASSERT_EQ(places.size(), 2u) << layout.name;
            EXPECT_EQ(places[0].picture, swap ? 2u : 1u) << layout.name << ": the left eye's";
            EXPECT_EQ(places[1].picture, swap ? 1u : 2u) << layout.name;
            const bool side = layout.way == LayoutWay::StereoSide;
            const TargetRect whole{0, 0, 1281, 720}, left{0, 0, 640, 720}, right{640, 0, 640, 720};
            EXPECT_EQ(places[0].area, side ? left : whole) << layout.name;
            EXPECT_EQ(places[1].area, side ? right : whole) << layout.name;
            EXPECT_EQ(places[1].clip, places[1].area) << layout.name;
        }
    }
}

}  // namespace
}  // namespace verbcast::testing
