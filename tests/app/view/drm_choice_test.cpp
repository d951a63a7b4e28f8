// Connectors and modes as users type them.
#include "app/view/drm_choice.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace verbcast::testing {
namespace {

TEST(DrmChoice, Connectors) {
    EXPECT_TRUE(namesOf("--drm", "").empty());
    EXPECT_EQ(namesOf("--drm", "DP-1"), std::vector<std::string>{"DP-1"});
    EXPECT_EQ(namesOf("--drm", "DP-1,card1-HDMI-A-2"), (std::vector<std::string>{"DP-1", "card1-HDMI-A-2"}));
    for (const char* text : {",", "DP-1,", ",DP-1", "DP-1,,DP-2"}) {
        EXPECT_THROW(namesOf("--drm", text), Error) << text;
    }
}

TEST(DrmChoice, Modes) {
    EXPECT_EQ(parseMode("1920x1080"), (ModeWish{1920, 1080}));
    EXPECT_EQ(parseMode("1080p@59.94"), (ModeWish{1920, 1080, 59'940}));
    EXPECT_EQ(parseMode("3840x2160@60"), (ModeWish{3840, 2160, 60'000}));
    for (const char* text : {"", "1920", "1920x", "1920x1080@", "1920x1080@0", "1920x1080@nan",
                             "1920x1080@-60", "1920x1080@60Hz", "1920x1080@1e9", "@60", "99999x2@60"}) {
        EXPECT_THROW(parseMode(text), Error) << text;
    }
}

}  // namespace
}  // namespace verbcast::testing
