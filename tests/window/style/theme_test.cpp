// In both palettes, every text colour is readable on every background that it is used on.
#include "app/window/style/theme.h"
#include "app/window/parts/overlay_panel.h"
#include "tests/window/style/contrast.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

using theme::Colours;

struct NamedColour {
    const char* name;
    QColor Colours::*colour;
};
constexpr NamedColour kInks[] = {{"text", &Colours::text},          {"muted", &Colours::muted},
                                 {"accent", &Colours::accent},      {"second", &Colours::second},
                                 {"third", &Colours::third},        {"warning", &Colours::warning},
                                 {"recording", &Colours::recording}};
constexpr NamedColour kGrounds[] = {{"surface", &Colours::surface}, {"raised", &Colours::raised}};

class Theme : public ::testing::TestWithParam<const Colours*> {};

TEST_P(Theme, TextsCanBeReadOnTheirGrounds) {
    const Colours& colours = *GetParam();
    for (const NamedColour& ground : kGrounds) {
        for (const NamedColour& ink : kInks) {
            EXPECT_GE(contrast(colours.*ink.colour, colours.*ground.colour), kReadable)
                << ink.name << " on " << ground.name;
        }
    }
    EXPECT_GE(contrast(colours.text, colours.line), kReadable) << "the current line of a menu";
    EXPECT_GE(contrast(colours.selectedText, colours.selection), kReadable);
    EXPECT_GE(contrast(colours.primaryText, colours.primary), kReadable);
    EXPECT_GE(contrast(colours.primaryText, colours.primaryHover), kReadable);
}

TEST_P(Theme, RingsAndOutlinesCanBeSeen) {
    const Colours& colours = *GetParam();
    for (const NamedColour& ground : kGrounds) {
        EXPECT_GE(contrast(colours.accent, colours.*ground.colour), kVisible) << "ring on " << ground.name;
        EXPECT_GE(contrast(colours.outline, colours.*ground.colour), kVisible) << "box on " << ground.name;
    }
    EXPECT_GE(contrast(colours.text, colours.primary), kVisible) << "ring inside the primary button";
}

INSTANTIATE_TEST_SUITE_P(Both, Theme, ::testing::Values(&theme::kDark, &theme::kLight),
                         [](const auto& palette) {
                             return palette.param == &theme::kDark ? "Dark" : "Light";
                         });

TEST(OverlayColours, CanBeReadOverAWhitePicture) {
    const auto through = [](int part) {
        return (part * kOverlayOpacity + 255 * (255 - kOverlayOpacity)) / 255;
    };
    const QColor ground(through(theme::kCanvas.red()), through(theme::kCanvas.green()),
                        through(theme::kCanvas.blue()));
    for (const NamedColour& ink : kInks) {
        EXPECT_GE(contrast(theme::kOverVideo.*ink.colour, ground), kReadable) << ink.name;
    }
}

}  // namespace
}  // namespace verbcast::testing
