// Text form of the free layout's pane places.
#include <gtest/gtest.h>

#include "app/view/pane_places.h"
#include "core/base/error.h"

namespace verbcast::testing {
namespace {

TEST(PanePlaces, AreReadAndWritten) {
    const std::vector<PanePlace> panes{
        {.stream = 1, .left = 0, .top = 0, .width = 1},
        {.stream = 0, .left = 0.6, .top = -0.055, .width = 0.3512, .opacity = 0.8, .alpha = true},
        {.stream = 63, .left = 0.5, .top = 0.5, .width = 0.1, .alpha = true},
        {.stream = 2,
         .width = 0.5,
         .height = 0.25,
         .crop = {.left = 0.25, .top = 0, .width = 0.5, .height = 1}},
        {.stream = 3, .width = 0.5, .opacity = 0.5, .alpha = true, .premultiplied = true}};
    EXPECT_EQ(panesText(panes),
              "2:0,0,100;1:60,-5.5,35.12,80,alpha;64:50,50,10,alpha;3:0,0,50,height=25,crop=25/0/50/100;"
              "4:0,0,50,50,premultiplied");
    const auto read = parsePanes(panesText(panes));
    ASSERT_EQ(read.size(), panes.size());
    for (std::size_t i = 0; i < panes.size(); ++i) {
        EXPECT_EQ(read[i].stream, panes[i].stream);
        EXPECT_NEAR(read[i].left, panes[i].left, 1e-9);
        EXPECT_NEAR(read[i].top, panes[i].top, 1e-9);
        EXPECT_NEAR(read[i].width, panes[i].width, 1e-9);
        EXPECT_NEAR(read[i].opacity, panes[i].opacity, 1e-9);
        EXPECT_EQ(read[i].alpha, panes[i].alpha);
        EXPECT_EQ(read[i].premultiplied, panes[i].premultiplied);
        EXPECT_NEAR(read[i].height, panes[i].height, 1e-9);
        EXPECT_EQ(read[i].crop, panes[i].crop);
    }
}

TEST(PanePlaces, WhatIsWrongIsNamed) {
    const auto complaint = [](const char* text) -> std::string {
        try {
            parsePanes(text);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Usage);
            return error.what();
        }
        return "";
    };
    EXPECT_NE(complaint("1:0,0,100;").find("N:LEFT"), std::string::npos);
    EXPECT_NE(complaint("0:0,0,100").find("1 to 64"), std::string::npos);
    EXPECT_NE(complaint("65:0,0,100").find("1 to 64"), std::string::npos);
    EXPECT_NE(complaint("1.5:0,0,100").find("1 to 64"), std::string::npos);
    EXPECT_NE(complaint("x:0,0,100").find("x:0,0,100"), std::string::npos);
    EXPECT_NE(complaint("1:0,0").find("after the colon"), std::string::npos);
    EXPECT_NE(complaint("1:0,0,100,100,beta").find("after the colon"), std::string::npos);
    EXPECT_NE(complaint("1:a,0,100").find("left edge"), std::string::npos);
    EXPECT_NE(complaint("1:0,nan,100").find("top edge"), std::string::npos);
    EXPECT_NE(complaint("1:0,0,1").find("width from 2 to 1000"), std::string::npos);
    EXPECT_NE(complaint("1:0,0,100,5").find("opacity from 10 to 100"), std::string::npos);
    EXPECT_NE(complaint("1:0,0,100,height=0").find("height from 2"), std::string::npos);
    EXPECT_NE(complaint("1:0,0,100,crop=1/2/3").find("crop=LEFT/TOP"), std::string::npos);
    EXPECT_NE(complaint("1:0,0,100,crop=50/0/60/100").find("crop's width from 0.1 to 50"), std::string::npos);
    EXPECT_NE(complaint("1:0,0,100;1:5,5,50").find("one place for stream 1"), std::string::npos);
}

}  // namespace
}  // namespace verbcast::testing
