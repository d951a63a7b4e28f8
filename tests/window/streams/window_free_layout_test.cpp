// The free layout: panes that are moved and scaled by mouse, stacked, and translucent.
#include "tests/window/streams/streams_fixture.h"

namespace verbcast::testing {
namespace {

class WindowFreeLayout : public StreamsTest {
  protected:
    static constexpr QSize kPicture{320, 180};

    void drag(const QPoint& from, const QPoint& to) {
        x_.movePointer(from.x(), from.y());
        x_.input({"mousedown", "1"});
        x_.movePointer((from.x() + to.x()) / 2, (from.y() + to.y()) / 2);
        x_.movePointer(to.x(), to.y());
        x_.input({"mouseup", "1"});
        x_.movePointer(2, 700);
    }
    /// Excludes the area at the bottom where the name appears.
    bool shown(const QRect& place, int stream) { return showsFlat(place.adjusted(0, 0, 0, -40), stream); }
};

TEST_F(WindowFreeLayout, PanesAreWhereTheOptionSaysAndTheMousePutsThem) {
    open(flatPictures(2, kPicture), {"--layout", "free", "--panes", "1:0,0,100;2:50,50,25"});
    const QRect all(0, 0, 1280, 720), small(640, 360, 320, 180);
    ASSERT_TRUE(shown(small, 1)) << window_->errors();
    ASSERT_TRUE(showsFlat({0, 0, 1280, 300}, 0));
    drag({700, 400}, {200, 150});
    EXPECT_TRUE(shown({140, 110, 320, 180}, 1)) << "it was not moved";
    EXPECT_TRUE(shown(small, 0));
    drag({140 + 318, 110 + 178}, {140 + 2 * 318, 110 + 2 * 178});
    EXPECT_TRUE(shown({140, 110, 638, 358}, 1)) << "it was not scaled by its corner";
    EXPECT_TRUE(showsFlat({800, 100, 400, 400}, 0));

    ASSERT_TRUE(focused());
    x_.key("Next");  // the focused pane moves below the large one
    EXPECT_TRUE(showsFlat({0, 0, 1280, 600}, 0));
    x_.key("Prior");
    EXPECT_TRUE(shown({140, 110, 600, 300}, 1));
    // Ctrl and the wheel scale around the pointer.
    x_.movePointer(140, 110);
    x_.input({"keydown", "ctrl", "click", "5", "keyup", "ctrl"});
    x_.movePointer(2, 700);
    EXPECT_TRUE(shown({142, 112, 504, 284}, 1));
    EXPECT_TRUE(showsFlat({660, 100, 500, 300}, 0));
}

// (40, 200, 90) below (110, 140, 90): at 80 % each component is 0.8 of the upper plus 0.2 of the lower.
TEST_F(WindowFreeLayout, OpacityLetsWhatIsBehindBeSeen) {
    open(flatPictures(2, kPicture), {"--layout", "free", "--panes", "1:0,0,100;2:50,50,25,80"});
    const auto is = [&](const QColor& expected) {
        return eventually([&] { return similar(x_.screenshot().pixelColor(800, 420), expected, 1); });
    };
    EXPECT_TRUE(is({96, 152, 90})) << window_->errors();
    ASSERT_TRUE(focused());
    x_.key("Tab");
    x_.key("plus");
    EXPECT_TRUE(is({103, 146, 90}));
    x_.key("minus");
    x_.key("minus");
    x_.key("minus");
    EXPECT_TRUE(is({82, 164, 90}));
}

TEST_F(WindowFreeLayout, AlphaOfAPictureCountsWhereItIsAskedFor) {
    QImage picture(kPicture, QImage::Format_RGBA8888);
    picture.fill(QColor(255, 0, 0, 255));
    for (int y = 0; y < kPicture.height(); ++y) {
        for (int x = 0; x < kPicture.width() / 2; ++x) {
            picture.setPixelColor(x, y, QColor(255, 0, 0, 51));  // 20 % opaque
        }
    }
    open({flatPicture(0, kPicture), picture}, {"--layout", "free", "--panes", "1:0,0,100;2:50,50,25,alpha"});
    const auto are = [&](const QColor& left, const QColor& right) {
        return eventually([&] {
            const QImage screen = x_.screenshot();
            return similar(screen.pixelColor(680, 420), left, 1) &&
                   similar(screen.pixelColor(920, 420), right, 1);
        });
    };
    EXPECT_TRUE(are({83, 160, 72}, {255, 0, 0})) << window_->errors();
    ASSERT_TRUE(focused());
    x_.key("Tab");
    x_.key("b");
    EXPECT_TRUE(are({255, 0, 0}, {255, 0, 0}));
    x_.key("b");
    x_.key("minus");
    x_.key("minus");
    x_.key("minus");
    x_.key("minus");
    x_.key("minus");  // now the left half is 10 % opaque, the right one 50 %
    EXPECT_TRUE(are({62, 180, 81}, {148, 100, 45}));
}

}  // namespace
}  // namespace verbcast::testing
