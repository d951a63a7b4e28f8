#include "render/kms/display_mode.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace verbcast::testing {
namespace {

const std::vector<DisplayMode> kModes{{1280, 720, 60'000, false, false},  {1920, 1080, 50'000, false, false},
                                      {1920, 1080, 60'000, false, true},  {1920, 1080, 59'940, false, false},
                                      {1920, 1080, 60'000, false, false}, {2560, 1440, 59'950, true, false},
                                      {3840, 2160, 30'000, false, false}};

std::string chosen(const std::optional<ModeWish>& wish, const std::vector<DisplayMode>& modes = kModes) {
    return modes[chooseMode(modes, wish, "DP-1")].text();
}

TEST(ChooseMode, TakesWhatTheDisplayPrefers) {
    EXPECT_EQ(chosen(std::nullopt), "2560x1440@59.95");
}

TEST(ChooseMode, WithoutAPreferenceTheLargestAndFastestThatIsNotInterlaced) {
    std::vector<DisplayMode> modes(kModes.begin(), kModes.begin() + 5);
    EXPECT_EQ(chosen(std::nullopt, modes), "1920x1080@60");
    modes = {{1920, 1080, 60'000, false, true}, {1280, 720, 50'000, false, false}};
    EXPECT_EQ(chosen(std::nullopt, modes), "1280x720@50");
    modes.pop_back();
    EXPECT_EQ(chosen(std::nullopt, modes), "1920x1080@60i");
}

TEST(ChooseMode, AWishedSizeIsTakenAtItsFastest) {
    EXPECT_EQ(chosen(ModeWish{1920, 1080}), "1920x1080@60");
    EXPECT_EQ(chosen(ModeWish{3840, 2160}), "3840x2160@30");
}

TEST(ChooseMode, AWishedRateMeansTheNearestOne) {
    EXPECT_EQ(chosen(ModeWish{1920, 1080, 59'940}), "1920x1080@59.94");
    EXPECT_EQ(chosen(ModeWish{1920, 1080, 60'000}), "1920x1080@60");
    EXPECT_EQ(chosen(ModeWish{2560, 1440, 60'000}), "2560x1440@59.95");
    EXPECT_EQ(chosen(ModeWish{1920, 1080, 50'000}), "1920x1080@50");
}

TEST(ChooseMode, WhatIsNotThereIsRefusedWithWhatIs) {
    for (const ModeWish& wish : {ModeWish{1024, 768}, ModeWish{1920, 1080, 75'000}}) {
        try {
            static_cast<void>(chooseMode(kModes, wish, "DP-1"));
            FAIL();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Usage);
            EXPECT_EQ(error.what(), "--mode " + wish.text() + ": DP-1 has no such mode");
            EXPECT_NE(error.remedy().find("2560x1440@59.95 (preferred)"), std::string::npos);
        }
    }
    EXPECT_THROW(static_cast<void>(chooseMode({}, std::nullopt, "DP-1")), Error);
}

std::vector<DisplayCard> twoCards() {
    return {{.path = "/dev/dri/card0",
             .driver = "simple",
             .connectors = {{"DP-1", false, {}}, {"HDMI-A-1", true, kModes}},
             .problem = {},
             .remedy = {}},
            {.path = "/dev/dri/card1",
             .driver = "other",
             .connectors = {{"HDMI-A-1", true, kModes}, {"HDMI-A-2", true, kModes}},
             .problem = {},
             .remedy = {}}};
}

/// The error's text and its remedy.
std::string refusal(const std::vector<std::string>& names, const std::vector<DisplayCard>& cards) {
    try {
        static_cast<void>(chooseConnectors(names, cards));
        return "";
    } catch (const Error& error) {
        return error.what() + (" | " + error.remedy());
    }
}

TEST(ChooseConnectors, TheFirstWithADisplayWithoutAName) {
    const ConnectorChoice choice = chooseConnectors({}, twoCards());
    EXPECT_EQ(choice.card, "/dev/dri/card0");
    EXPECT_EQ(choice.connectors, std::vector<std::string>{"HDMI-A-1"});
}

TEST(ChooseConnectors, ByNameWithOrWithoutItsCard) {
    EXPECT_EQ(chooseConnectors({"DP-1"}, twoCards()).connectors, std::vector<std::string>{"DP-1"});
    const ConnectorChoice choice = chooseConnectors({"HDMI-A-2", "card1-HDMI-A-1"}, twoCards());
    EXPECT_EQ(choice.card, "/dev/dri/card1");
    EXPECT_EQ(choice.connectors, (std::vector<std::string>{"HDMI-A-2", "HDMI-A-1"}));
}

TEST(ChooseConnectors, AnUnknownNameGetsTheList) {
    EXPECT_EQ(refusal({"DP-7"}, {twoCards().front()}),
              "--drm DP-7: no connector has that name | there are: card0-DP-1: no display; card0-HDMI-A-1: "
              "1280x720@60, 1920x1080@50, 1920x1080@60i, 1920x1080@59.94, 1920x1080@60, 2560x1440@59.95 "
              "(preferred), 3840x2160@30");
}

TEST(ChooseConnectors, WhatIsAmbiguousTwiceOrOnTwoCardsIsRefused) {
    EXPECT_EQ(refusal({"HDMI-A-1"}, twoCards()),
              "--drm HDMI-A-1: 2 cards have one of that name | name the card, too: --drm card0-HDMI-A-1");
    EXPECT_EQ(refusal({"DP-1", "DP-1"}, twoCards()), "--drm DP-1: named twice | name each once");
    EXPECT_EQ(
        refusal({"DP-1", "HDMI-A-2"}, twoCards()),
        "--drm HDMI-A-2: HDMI-A-2 belongs to a different card than DP-1 | start a viewer for each card");
}

TEST(ChooseConnectors, WithoutACardOrADisplayItSaysSo) {
    EXPECT_TRUE(refusal({}, {}).starts_with("--drm: no graphics card: there is none in /dev/dri"));
    std::vector<DisplayCard> cards{twoCards().front()};
    cards[0].connectors.pop_back();
    EXPECT_TRUE(refusal({}, cards).starts_with("--drm: no display is plugged in; there are: card0-DP-1"));
}

TEST(ChooseConnectors, ACardThatCannotBeUsedSaysWhy) {
    std::vector<DisplayCard> cards = twoCards();
    cards[0] = {.path = "/dev/dri/card0",
                .driver = {},
                .connectors = {},
                .problem = "Permission denied (13)",
                .remedy = "join the group video"};
    // Connectors that others use are chosen all the same.
    EXPECT_EQ(chooseConnectors({}, cards).card, "/dev/dri/card1");
    EXPECT_EQ(refusal({"DP-1"}, cards), "/dev/dri/card0: Permission denied (13) | join the group video");
    cards.pop_back();
    EXPECT_EQ(refusal({}, cards), "/dev/dri/card0: Permission denied (13) | join the group video");
}

}  // namespace
}  // namespace verbcast::testing
