// Wall files: what is read, and the error for each fault.
#include "app/wall/wall_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/wall/new_wall.h"
#include "app/wall/viewed_tile.h"
#include "app/wall/wall_drawing.h"
#include "app/wall/wall_findings.h"
#include "core/base/error.h"
#include "tests/support/temporary_folder.h"

namespace verbcast::testing {
namespace {

using Json = nlohmann::json;
const std::vector<std::string> kNothing;

::testing::AssertionResult holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos
               ? ::testing::AssertionSuccess()
               : ::testing::AssertionFailure() << "no \"" << part << "\" in: " << text;
}
::testing::AssertionResult tells(const std::vector<std::string>& findings, const std::string& part) {
    return std::ranges::any_of(findings, [&](const std::string& each) { return bool(holds(each, part)); })
               ? ::testing::AssertionSuccess()
               : ::testing::AssertionFailure() << "none tells of " << part;
}

/// Two displays side by side, as a user would write them.
Json twoDisplays() {
    return Json::parse(R"({
        "verbcast_wall": 1,
        "canvas": {"width": 3840, "height": 1080},
        "displays": [
            {"name": "left", "rectangle": {"x": 0, "y": 0, "width": 1920, "height": 1080}},
            {"name": "right", "rectangle": {"x": 1920, "y": 0, "width": 1920, "height": 1080}}
        ]
    })");
}

std::vector<std::string> findingsIn(const Json& json) {
    return parseWall(json.dump()).findings;
}

TEST(WallFile, HoldsAllThatADisplayDoes) {
    Json json = twoDisplays();
    json["canvas"]["width"] = 3740;
    json["displays"][0]["rotation"] = 180;
    json["displays"][0]["blend"] = {{"right", 100}, {"gamma", 2.4}};
    json["displays"][0]["colour"] = {{"gain", {0.9, 1, 1.1}}, {"gamma", 1.2}, {"black", 0.02}};
    json["displays"][1]["rectangle"]["x"] = 1820;
    json["displays"][1]["blend"] = {{"left", 100}};
    json["displays"][1]["corners"] = {{"top_left", {0.01, 0.02}},
                                      {"top_right", {1, 0}},
                                      {"bottom_right", {0.99, 0.98}},
                                      {"bottom_left", {-0.1, 1.1}}};
    const ParsedWall parsed = parseWall(json.dump());
    EXPECT_EQ(parsed.findings, kNothing);
    const Wall& wall = parsed.wall;
    EXPECT_EQ(wall.width, 3740U);
    ASSERT_EQ(wall.displays.size(), 2U);
    EXPECT_EQ(wall.displays[0].rotation, 180);
    EXPECT_EQ(wall.displays[0].blend, (EdgeBlend{.right = 100, .gamma = 2.4}));
    EXPECT_EQ(wall.displays[0].colour, (DisplayColour{{0.9, 1, 1.1}, 1.2, 0.02}));
    EXPECT_EQ(wall.displays[1].rectangle, (FrameRect{1820, 0, 1920, 1080}));
    EXPECT_EQ(wall.displays[1].corners[3], (ScreenPoint{-0.1, 1.1}));
    EXPECT_EQ(parseWall(wallText(wall)).wall, wall) << "written and read";
}

struct BadWall {
    std::string name;
    Json patch;  // RFC 6902, applied to twoDisplays()
    std::string says;
    bool gaps = false;
};
std::ostream& operator<<(std::ostream& out, const BadWall& wall) {
    return out << wall.name;
}

class BadWalls : public ::testing::TestWithParam<BadWall> {};

TEST_P(BadWalls, AreToldInASentence) {
    Json json = twoDisplays();
    if (GetParam().gaps) {
        json["canvas"]["gaps"] = true;
    }
    const auto findings = findingsIn(json.patch(GetParam().patch));
    ASSERT_EQ(findings.size(), 1U) << ::testing::PrintToString(findings);
    EXPECT_TRUE(holds(findings[0], GetParam().says));
}

Json set(const std::string& path, const Json& value) {
    return Json::array({{{"op", "add"}, {"path", path}, {"value", value}}});
}
Json without(const std::string& path) {
    return Json::array({{{"op", "remove"}, {"path", path}}});
}
Json cornersWith(const char* which, double x, double y) {
    Json corners{
        {"top_left", {0, 0}}, {"top_right", {1, 0}}, {"bottom_right", {1, 1}}, {"bottom_left", {0, 1}}};
    corners[which] = {x, y};
    return corners;
}

INSTANTIATE_TEST_SUITE_P(
    Of, BadWalls,
    ::testing::Values(
        BadWall{"version", set("/verbcast_wall", 2), "verbcast_wall: 2, a whole number from 1 to 1 expected"},
        BadWall{"no_version", without("/verbcast_wall"), "the file: \"verbcast_wall\" is missing"},
        BadWall{"unknown_member", set("/canvass", 1), "canvass: no such member; did you mean canvas?"},
        BadWall{"unknown_in_display", set("/displays/1/colors", 1), "displays[1].colors: no such member"},
        BadWall{"no_canvas", without("/canvas"), "\"canvas\" is missing"},
        BadWall{"huge_canvas", set("/canvas/width", 16385),
                "canvas.width: 16385, a whole number from 16 to 16384"},
        BadWall{"fraction", set("/displays/0/rectangle/width", 1919.5),
                "rectangle.width: 1919.5, a whole number"},
        BadWall{"negative", set("/displays/0/rectangle/x", -1), "rectangle.x: -1, a whole number from 0"},
        BadWall{"small_tile", set("/displays/0/rectangle/height", 15),
                "rectangle.height: 15, a whole number from 16"},
        BadWall{"no_displays", set("/displays", Json::array()),
                "displays: an array of 0, an array of 1 to 256"},
        BadWall{"a_thousand_displays", set("/displays", Json(Json::array_t(1000, Json::object()))),
                "displays: an array of 1000, an array of 1 to 256 expected"},
        BadWall{"displays_no_array", set("/displays", "left"), "displays: \"left\", an array"},
        BadWall{"display_no_object", set("/displays/0", 5), "displays[0]: 5, an object expected"},
        BadWall{"no_name", without("/displays/0/name"), "displays[0]: \"name\" is missing"},
        BadWall{"empty_name", set("/displays/0/name", ""), "displays[0].name: \"\", 1 to 64 bytes"},
        BadWall{"name_with_escape", set("/displays/0/name", "a\x1b[2J"), "displays[0].name: \"a?[2J\""},
        BadWall{"name_twice", set("/displays/0/name", "right"), "two displays have the name right"},
        BadWall{"quarter_turn", set("/displays/0/rotation", 45), "rotation: 45, 0, 90, 180 or 270 expected"},
        BadWall{"outside", set("/displays/1/rectangle/x", 1921),
                "right: its rectangle, 1920x1080 at 1921,0, extends", true},
        BadWall{"corner_missing",
                set("/displays/0/corners",
                    Json{{"top_left", {0, 0}}, {"top_right", {1, 0}}, {"bottom_right", {1, 1}}}),
                "displays[0].corners: \"bottom_left\" is missing"},
        BadWall{"corner_far_off", set("/displays/0/corners", cornersWith("top_left", -7, 0)), "from -1 to 2"},
        BadWall{"corners_in_a_line", set("/displays/0/corners", cornersWith("bottom_right", 0.5, 0.5)),
                "left: its corners are invalid"},
        BadWall{"corners_folded", set("/displays/0/corners", cornersWith("bottom_right", 0.1, 0.1)),
                "left: its corners are invalid"},
        BadWall{"corners_mirrored",
                set("/displays/0/corners", Json{{"top_left", {1, 0}},
                                                {"top_right", {0, 0}},
                                                {"bottom_right", {0, 1}},
                                                {"bottom_left", {1, 1}}}),
                "left: its corners are invalid"},
        BadWall{"gain_of_two", set("/displays/0/colour", Json{{"gain", {1, 1}}}),
                "gain: an array of 2, an array of 3"},
        BadWall{"gamma_nought", set("/displays/0/colour", Json{{"gamma", 0}}),
                "gamma: 0, a number from 0.2 to 5"},
        BadWall{"black", set("/displays/0/colour", Json{{"black", true}}),
                "black: true, a number from 0 to 0.5"},
        BadWall{"gaps_word", set("/canvas/gaps", "yes"), "canvas.gaps: \"yes\", true or false expected"},
        BadWall{"blend_alone", set("/displays/0/blend", Json{{"right", 64}}),
                "left: blend.right fades 64 pixels, and no other display"},
        BadWall{"hole", set("/canvas/height", 1200),
                "no display shows 10 % of the canvas, the first of it 3840x120 at 0,1080"}),
    [](const auto& test) { return test.param.name; });

TEST(WallFile, OverlapsMustBlendAsMuchAsTheyAre) {
    Json json = twoDisplays();
    json["canvas"]["width"] = 3740;
    json["displays"][1]["rectangle"]["x"] = 1820;
    const auto plain = findingsIn(json);
    ASSERT_EQ(plain.size(), 1U);
    EXPECT_TRUE(holds(plain[0], "left and right overlap by 100x1080 pixels and do not blend there"));
    json["displays"][0]["blend"]["right"] = 100;
    json["displays"][1]["blend"]["left"] = 99;
    EXPECT_TRUE(tells(findingsIn(json), "do not blend there"));
    json["displays"][1]["blend"]["left"] = 100;
    EXPECT_EQ(findingsIn(json), kNothing);
    json["displays"][1]["rectangle"] = json["displays"][0]["rectangle"];
    EXPECT_TRUE(tells(findingsIn(json), "left and right overlap by 1920x1080"));
}

TEST(WallFile, WhatIsNoJsonIsToldWithItsPlace) {
    EXPECT_TRUE(holds(parseWall("{\n  \"canvas\": {,}\n}").findings.at(0), "no JSON: parse error at line 2"));
    EXPECT_TRUE(holds(parseWall("").findings.at(0), "no JSON"));
    EXPECT_TRUE(holds(parseWall("[1]").findings.at(0), "the file: an array of 1, an object expected"));
    EXPECT_TRUE(holds(parseWall(R"({"canvas": 1e999})").findings.at(0), "no JSON"));
    EXPECT_TRUE(holds(parseWall(R"({"a": 1, "b": {"a": 2}, "a": 3})").findings.at(0), "\"a\" appears twice"));
    EXPECT_FALSE(parseWall(std::string(1 << 20, '[')).findings.empty()) << "deep";
    EXPECT_FALSE(parseWall("{\"\xff\": 1}").findings.empty());
}

TEST(WallFile, ThatCannotBeReadIsToldByName) {
    const TemporaryFolder folder;
    const auto said = [](const std::string& path) -> std::string {
        try {
            readWall(path);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            return std::string(error.what()) + " | " + error.remedy();
        }
        return "nothing";
    };
    EXPECT_TRUE(holds(said(folder.file("none")), "none"));
    EXPECT_TRUE(holds(said(folder.path()), "is a folder"));
    std::ofstream(folder.file("large")) << std::string(5 << 20, ' ');
    EXPECT_TRUE(holds(said(folder.file("large")), "larger than the file of a wall can be"));
    Json json = twoDisplays();
    json["displays"][0]["name"] = "right";
    json["displays"][1]["rectangle"]["x"] = 1000;
    std::ofstream(folder.file("bad")) << json;
    EXPECT_TRUE(holds(said(folder.file("bad")), "two displays have the name right (and 2 more)"));
    EXPECT_TRUE(holds(said(folder.file("bad")), "verbcast wall check"));
}

TEST(NewWall, TakesBezelsOffThePicture) {
    const Wall wall = newWall({.columns = 3, .rows = 2, .gapX = 40, .gapY = 30});
    EXPECT_EQ(wall.width, 3 * 1920U + 2 * 40);
    EXPECT_EQ(wall.height, 2 * 1080U + 30);
    EXPECT_TRUE(wall.gaps);
    ASSERT_EQ(wall.displays.size(), 6U);
    EXPECT_EQ(wall.displays[5].name, "2-3");
    EXPECT_EQ(wall.displays[5].rectangle, (FrameRect{3920, 1110, 1920, 1080}));
    EXPECT_EQ(findingsOf(wall), kNothing);
    EXPECT_NEAR(hiddenPercent(wall), 100 - 100.0 * 6 * 1920 * 1080 / (5840.0 * 2190), 1e-9);
}

TEST(NewWall, OverlapsAndBlendsBothWays) {
    const Wall wall = newWall({.columns = 2, .rows = 2, .overlapX = 128, .overlapY = 64});
    EXPECT_EQ(wall.width, 2 * 1920U - 128);
    EXPECT_EQ(wall.displays[3].rectangle, (FrameRect{1792, 1016, 1920, 1080}));
    EXPECT_EQ(wall.displays[3].blend, (EdgeBlend{.left = 128, .top = 64}));
    EXPECT_EQ(wall.displays[0].blend, (EdgeBlend{.right = 128, .bottom = 64}));
    EXPECT_EQ(findingsOf(wall), kNothing) << "corners that four display, too";
    EXPECT_EQ(findingsOf(newWall({.columns = 4, .rows = 3, .overlapX = 100, .overlapY = 100})), kNothing);
}

TEST(NewWall, OfPortraitDisplaysHasTallParts) {
    const Wall wall = newWall({.columns = 3, .rows = 1, .rotation = 90});
    EXPECT_EQ(wall.displays[2].rectangle, (FrameRect{2160, 0, 1080, 1920}));
    EXPECT_EQ(wall.displays[2].rotation, 90);
    EXPECT_EQ(findingsOf(wall), kNothing);
    EXPECT_EQ(parseWall(wallText(wall)).wall, wall);
}

TEST(NewWall, ThatCannotBeIsRefused) {
    const auto said = [](const NewWallOptions& options) -> std::string {
        try {
            newWall(options);
        } catch (const Error& error) {
            return error.what();
        }
        return "nothing";
    };
    EXPECT_TRUE(holds(said({.columns = 20, .rows = 50}), "20x50 are 1000 displays: at most 256 expected"));
    EXPECT_TRUE(holds(said({.columns = 10, .rows = 1}), "19200x1080 pixels: at most 16384x16384"));
    EXPECT_TRUE(holds(said({.columns = 2, .rows = 1, .overlapX = 961}), "at most half of a display's width"));
    EXPECT_EQ(said({.columns = 16, .rows = 16, .screenWidth = 1024, .screenHeight = 1024}), "nothing");
}

TEST(TileRegion, ScalesWithPicturesOfTheSameShapeSoThatNeighboursMeet) {
    const Wall wall = newWall({.columns = 3, .rows = 3, .screenWidth = 1280, .screenHeight = 720});
    for (const auto& [width, height] :
         {std::pair{3840U, 2160U}, {1920U, 1080U}, {1366U, 768U}, {854U, 480U}}) {
        const VideoFormat format = tightFormat(width, height, PixelFormat::rgba);
        for (std::size_t row = 0; row < 3; ++row) {
            std::uint32_t end = 0;
            for (std::size_t column = 0; column < 3; ++column) {
                const auto rect = tileRegion(wall, wall.displays[row * 3 + column], format);
                ASSERT_TRUE(rect);
                EXPECT_EQ(rect->x, end);
                end = std::uint32_t{rect->x} + rect->width;
                EXPECT_NEAR(rect->width, width / 3.0, 1);
                EXPECT_NEAR(rect->height, height / 3.0, 1);
            }
            EXPECT_EQ(end, width);
        }
    }
}

TEST(TileRegion, OfPicturesThatDoNotFitIsNone) {
    const Wall wall = newWall({.columns = 2, .rows = 2});
    VideoFormat format = tightFormat(3840, 2160, PixelFormat::rgba);
    EXPECT_EQ(tileRegion(wall, wall.displays[3], format), (FrameRect{1920, 1080, 1920, 1080}));
    format.rotation = 180;
    EXPECT_FALSE(tileRegion(wall, wall.displays[0], format));
    format.rotation = 0;
    format.pixelAspect = {4, 3};
    EXPECT_FALSE(tileRegion(wall, wall.displays[0], format));

    const ViewedTile tile{wall, wall.displays[1]};
    EXPECT_EQ(tile.fitText({{1920, 0, 1920, 1080}, {}, 3840, 2160}), "");
    EXPECT_EQ(
        tile.fitText({{640, 0, 640, 360}, {}, 1280, 720}),
        "tile 1-2: the picture has 1280x720 pixels, the wall was made for 3840x2160: shown in proportion");
    EXPECT_TRUE(holds(tile.fitText({{}, {}, 3840, 2160}), "rotated or stretched"));
}

/// The bezels of docs/walls.md's first example, and ordinary films.
TEST(TileRegion, PicturesOfAnotherShapeAreFittedFilledOrStretched) {
    Wall wall = newWall({.columns = 2, .rows = 2, .gapX = 24, .gapY = 24});
    ASSERT_EQ(wall.width, 3864U);
    ASSERT_EQ(wall.height, 2184U);
    const VideoFormat film = tightFormat(1920, 1080, PixelFormat::rgba);
    const auto area = [&](std::size_t display, std::uint32_t width, std::uint32_t height) {
        return tileArea(wall, wall.displays[display], width, height);
    };
    // 2.0125 pixels of the canvas for one of the film; 5.25 of the canvas are left above and below.
    EXPECT_EQ(area(0, 1920, 1080), (TileArea{0, -3, 954, 537}));
    EXPECT_EQ(area(3, 1920, 1080), (TileArea{966, 546, 954, 537}));
    EXPECT_EQ(tileRegion(wall, wall.displays[0], film), (FrameRect{0, 0, 954, 534}));
    EXPECT_EQ(tileRegion(wall, wall.displays[3], film), (FrameRect{966, 546, 954, 534}));
    EXPECT_EQ(howShown(wall, 1920, 1080), HowShown::BarsAboveAndBelow);
    EXPECT_EQ(fitText(wall, 1920, 1080),
              "the picture has 1920x1080 pixels, the wall was made for 3864x2184: shown with black above and "
              "below");
    EXPECT_EQ(howShown(wall, 1440, 1080), HowShown::BarsAtTheSides);
    wall.fit = CanvasFit::Fill;
    EXPECT_EQ(howShown(wall, 1920, 1080), HowShown::CutAtTheSides);
    EXPECT_EQ(area(0, 1920, 1080), (TileArea{5, 0, 949, 534}));
    EXPECT_EQ(area(3, 1920, 1080), (TileArea{966, 546, 949, 534}));
    wall.fit = CanvasFit::Stretch;
    EXPECT_EQ(howShown(wall, 500, 1000), HowShown::Stretched);
    EXPECT_EQ(area(0, 500, 1000), (TileArea{0, 0, 248, 495, wall.width / 500.0 / (wall.height / 1000.0)}));
    EXPECT_EQ(area(3, 500, 1000).x, 252);
    // Beside the picture altogether: a pixel of it stands for its times.
    wall = newWall({.columns = 5, .rows = 1});
    EXPECT_TRUE(area(0, 1920, 1080).inPicture(1920, 1080).isEmpty());
    EXPECT_EQ(tileRegion(wall, wall.displays[0], film), (FrameRect{0, 0, 1, 1080}));
    EXPECT_EQ(area(2, 1920, 1080), (TileArea{0, 0, 1920, 1080}));
    EXPECT_TRUE(area(4, 1920, 1080).inPicture(1920, 1080).isEmpty());
    EXPECT_EQ(tileRegion(wall, wall.displays[4], film), (FrameRect{1919, 0, 1, 1080}));
}

TEST(WallFile, KeepsHowPicturesFit) {
    for (const CanvasFit fit : {CanvasFit::Fit, CanvasFit::Fill, CanvasFit::Stretch}) {
        const ParsedWall parsed = parseWall(wallText(newWall({.columns = 2, .rows = 1, .fit = fit})));
        EXPECT_TRUE(parsed.findings.empty());
        EXPECT_EQ(parsed.wall.fit, fit);
    }
    EXPECT_TRUE(holds(
        parseWall(R"({"verbcast_wall": 1, "canvas": {"width": 64, "height": 64, "fit": "zoom"}, "displays":
        [{"name": "a", "rectangle": {"x": 0, "y": 0, "width": 64, "height": 64}}]})")
            .findings.front(),
        "\"zoom\", fit, fill or stretch expected"));
}

TEST(WallSource, RectanglesCoverEachDisplayOnce) {
    Wall wall = newWall({.columns = 2, .rows = 1, .sourceColumns = 3, .sourceRows = 1});
    ASSERT_EQ(wall.sources.size(), 3U);
    EXPECT_EQ(wall.sources[1].rectangle, (FrameRect{1280, 0, 1280, 1080}));
    EXPECT_TRUE(findingsOf(wall).empty());
    EXPECT_EQ(parseWall(wallText(wall)).wall, wall);
    wall.sources[1].rectangle.width += 10;
    wall.sources[2].name = "part-1-1";
    std::vector<std::string> findings = findingsOf(wall);
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_EQ(findings[0], "two sources have the name part-1-1");
    EXPECT_TRUE(holds(findings[1], "the sources part-1-2 and part-1-1 overlap"));
    wall = newWall({.columns = 2, .rows = 1, .sourceColumns = 3, .sourceRows = 1});
    wall.sources[2].rectangle.x += 100;
    findings = findingsOf(wall);
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_TRUE(
        holds(findings[0], "source part-1-3: its rectangle, 1280x1080 at 2660,0, extends beyond the canvas"));
    EXPECT_TRUE(holds(findings[1], "no source sends 100x1080 at 2560,0 of the display 1-2"));
    const auto bad = parseWall(R"({"verbcast_wall": 1, "canvas": {"width": 64, "height": 64},
        "displays": [{"name": "a", "rectangle": {"x": 0, "y": 0, "width": 64, "height": 64}}],
        "sources": [{"name": "s", "rectangle": {"x": 0, "y": 0, "width": 64, "height": 64},
                     "url": "nothing://x"}]})");
    ASSERT_EQ(bad.findings.size(), 1U);
    EXPECT_TRUE(holds(bad.findings[0], "sources[0].url: "));
    EXPECT_TRUE(holds(parseWall(R"({"verbcast_wall": 1, "canvas": {"width": 64, "height": 64}, "sources": [],
        "displays": [{"name": "a", "rectangle": {"x": 0, "y": 0, "width": 64, "height": 64}}]})")
                          .findings.front(),
                      "sources: an array of 0, an array of 1 to 64 expected"));
    EXPECT_TRUE(holds(wallDrawing(newWall({.columns = 1, .rows = 1, .sourceColumns = 2, .sourceRows = 1})),
                      ">part-1-2</text>"));
}

TEST(WallConductor, IsOneOfTheSourcesAndOneOfThoseThatEachDisplayConnectsTo) {
    Wall wall = newWall(
        {.columns = 3, .rows = 1, .sourceColumns = 3, .sourceRows = 1, .conductor = std::string("part-1-2")});
    EXPECT_TRUE(findingsOf(wall).empty());
    EXPECT_EQ(parseWall(wallText(wall)).wall, wall);
    ViewedTile tile = findTile(wall, "w", "1-1");
    ASSERT_EQ(tile.wall.sources.size(), 2U);
    EXPECT_EQ(tile.wall.sources[1].name, "part-1-2") << "behind those that it shows";
    EXPECT_EQ(tile.pictures(), 1U);
    EXPECT_EQ(tile.conductor(), 1U);
    tile.leaveConductor();
    EXPECT_EQ(tile.wall.sources.size(), 1U);
    EXPECT_FALSE(tile.conductor());
    tile = findTile(wall, "w", "1-2");
    EXPECT_EQ(tile.wall.sources.size(), 1U);
    EXPECT_EQ(tile.conductor(), 0U);
    tile.leaveConductor();
    EXPECT_EQ(tile.wall.sources.size(), 1U) << "it is shown";

    wall.conductor = "part-9";
    ASSERT_EQ(findingsOf(wall).size(), 1U);
    EXPECT_EQ(findingsOf(wall)[0],
              "conductor: no source has the name part-9; there are part-1-1, part-1-2, part-1-3");
    wall.sources.clear();
    EXPECT_EQ(findingsOf(wall)[0], "conductor: no source has the name part-9, the file has none");
    EXPECT_TRUE(holds(parseWall(R"({"verbcast_wall": 1, "canvas": {"width": 64, "height": 64}, "conductor": 7,
        "displays": [{"name": "a", "rectangle": {"x": 0, "y": 0, "width": 64, "height": 64}}]})")
                          .findings.front(),
                      "conductor"));
}

TEST(ViewedTile, OfAnotherNameIsToldWithThoseThereAre) {
    const TemporaryFolder folder;
    std::ofstream(folder.file("wall")) << twoDisplays();
    EXPECT_EQ(findTile(readWall(folder.file("wall")), folder.file("wall"), "right").display.rectangle.x,
              1920);
    try {
        findTile(readWall(folder.file("wall")), folder.file("wall"), "rihgt");
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_TRUE(holds(error.what(), "--tile rihgt: no display of"));
        EXPECT_TRUE(holds(error.remedy(), "did you mean right?; its displays are left, right"));
    }
}

TEST(WallDrawing, NamesEachDisplayAndHoldsNoMarkup) {
    Wall wall = newWall({.columns = 2, .rows = 1, .overlapX = 100});
    wall.displays[1].name = "<b>&\"";
    wall.displays[1].rotation = 90;
    const std::string svg = wallDrawing(wall);
    EXPECT_TRUE(holds(svg, ">1-1</text>"));
    EXPECT_TRUE(holds(svg, "&lt;b&gt;&amp;&quot;"));
    EXPECT_TRUE(holds(svg, "1920x1080 at 1820,0"));
    EXPECT_TRUE(holds(svg, "turned 90"));
    EXPECT_TRUE(holds(svg, "picture of 3740x1080 pixels, 2 displays"));
}

}  // namespace
}  // namespace verbcast::testing
