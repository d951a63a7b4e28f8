#include "app/window/picture/picture_view.h"

#include <gtest/gtest.h>

namespace verbcast::testing {
namespace {

/// Maps a point of the target to the picture.
struct PicturePoint {
    double x, y;
};
PicturePoint pictureAt(const Placement& placement, DisplaySize picture, double x, double y) {
    return {(x - placement.centreX) / placement.scale + picture.width / 2,
            (y - placement.centreY) / placement.scale + picture.height / 2};
}

constexpr DisplaySize kUhd{3840, 2160};

PictureView viewOf(DisplaySize picture, int width, int height) {
    PictureView view;
    view.setTarget(width, height);
    view.setPicture(picture);
    return view;
}

TEST(PictureView, FitsTheLongerSide) {
    EXPECT_DOUBLE_EQ(viewOf(kUhd, 1280, 720).placement().scale, 1.0 / 3);
    EXPECT_DOUBLE_EQ(viewOf(kUhd, 1280, 1000).placement().scale, 1.0 / 3);
    EXPECT_DOUBLE_EQ(viewOf(kUhd, 5000, 720).placement().scale, 1.0 / 3);
    EXPECT_DOUBLE_EQ(viewOf({320, 240}, 1280, 720).placement().scale, 3.0);
    const Placement placement = viewOf(kUhd, 1280, 1000).placement();
    EXPECT_DOUBLE_EQ(placement.centreX, 640);
    EXPECT_DOUBLE_EQ(placement.centreY, 500);
}

TEST(PictureView, FitFollowsTheWindow) {
    PictureView view = viewOf(kUhd, 1280, 720);
    view.setTarget(1920, 1080);
    EXPECT_DOUBLE_EQ(view.placement().scale, 0.5);
    EXPECT_TRUE(view.fitted());
    EXPECT_FALSE(view.canPan());
}

TEST(PictureView, OneToOneHitsWholePixels) {
    for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{1281, 721}}) {
        PictureView view = viewOf({127, 95}, width, height);
        view.oneToOne();
        const Placement placement = view.placement();
        EXPECT_DOUBLE_EQ(placement.scale, 1);
        const double left = placement.centreX - 127 / 2.0;
        const double top = placement.centreY - 95 / 2.0;
        EXPECT_DOUBLE_EQ(left, static_cast<int>(left)) << width;
        EXPECT_DOUBLE_EQ(top, static_cast<int>(top)) << height;
    }
}

TEST(PictureView, ZoomKeepsThePointUnderTheCursor) {
    PictureView view = viewOf(kUhd, 1280, 720);
    view.zoomAt(640, 360, 2);
    const PicturePoint before = pictureAt(view.placement(), kUhd, 900, 200);
    view.zoomAt(900, 200, 1.25);
    const PicturePoint after = pictureAt(view.placement(), kUhd, 900, 200);
    EXPECT_NEAR(after.x, before.x, 1e-6);
    EXPECT_NEAR(after.y, before.y, 1e-6);
    EXPECT_NEAR(view.scale(), 2.0 / 3 * 1.25, 1e-9);
}

TEST(PictureView, ZoomStopsAtOneToOneAndAtTheLimits) {
    PictureView view = viewOf(kUhd, 1280, 720);
    view.zoomAt(640, 360, 2.5);
    view.zoomAt(640, 360, 2.5);
    EXPECT_DOUBLE_EQ(view.scale(), 1);
    view.zoomAt(640, 360, 1000);
    EXPECT_DOUBLE_EQ(view.scale(), PictureView::kMaxScale);
    view.zoomAt(640, 360, 1e-3);
    EXPECT_DOUBLE_EQ(view.scale(), 1);
    view.zoomAt(640, 360, 1e-6);
    EXPECT_DOUBLE_EQ(view.scale(), 1.0 / 12);
}

TEST(PictureView, PanStopsAtTheEdges) {
    PictureView view = viewOf(kUhd, 1280, 720);
    view.panBy(50, 50);
    EXPECT_DOUBLE_EQ(view.placement().centreX, 640) << "a fitted picture does not move";
    view.oneToOne();
    EXPECT_TRUE(view.canPan());
    view.panBy(1e6, 1e6);
    EXPECT_DOUBLE_EQ(view.placement().centreX, 1920);
    EXPECT_DOUBLE_EQ(view.placement().centreY, 1080);
    view.panBy(-1e6, -1e6);
    EXPECT_DOUBLE_EQ(view.placement().centreX, 1280 - 1920);
    EXPECT_DOUBLE_EQ(view.placement().centreY, 720 - 1080);
}

TEST(PictureView, AShorterSideStaysCentred) {
    PictureView view = viewOf({2000, 100}, 1280, 720);
    view.oneToOne();
    view.panBy(300, 300);
    EXPECT_DOUBLE_EQ(view.placement().centreX, 940);
    EXPECT_DOUBLE_EQ(view.placement().centreY, 360);
}

TEST(PictureView, APictureOfAnotherSizeIsFitted) {
    PictureView view = viewOf(kUhd, 1280, 720);
    view.oneToOne();
    view.setPicture(kUhd);
    EXPECT_FALSE(view.fitted());
    view.setPicture({1920, 1080});
    EXPECT_TRUE(view.fitted());
}

}  // namespace
}  // namespace verbcast::testing
