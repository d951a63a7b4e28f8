// Two streams in one window: for the two eyes, and aligned in time.
#include <QJsonArray>
#include <array>

#include "tests/window/streams/streams_fixture.h"

namespace verbcast::testing {
namespace {

class WindowStereo : public StreamsTest {
  protected:
    bool said(const char* text) { return window_->errors().find(text) != std::string::npos; }
    static QColor colourOf(int stream) { return flatPicture(stream, {1, 1}).pixelColor(0, 0); }
    bool everyRow(const std::array<int, 2>& streams) {
        return eventually([&] {
            const QImage screen = x_.screenshot();
            for (int y = 0; y < 600; ++y) {  // above the notes at the bottom
                if (screen.pixelColor(300, y) != colourOf(streams[static_cast<std::size_t>(y % 2)])) {
                    return false;
                }
            }
            return true;
        });
    }
};

TEST_F(WindowStereo, EyesHaveTheirHalvesAndAreSwapped) {
    open(flatPictures(2, {320, 180}), {"--layout", "stereo-side"});
    // Each half is 640 by 720: a 16:9 picture fills its width.
    const QRect left(0, 180, 640, 360), right(640, 180, 640, 360);
    EXPECT_TRUE(showsFlat(left, 0)) << window_->errors();
    EXPECT_TRUE(showsFlat(right, 1));
    EXPECT_EQ(x_.screenshot().pixelColor(300, 20), QColor(0, 0, 0));
    ASSERT_TRUE(eventually([&] { return x_.focus("Verbcast.*"); }));
    x_.key("e");
    EXPECT_TRUE(showsFlat(left, 1));
    EXPECT_TRUE(showsFlat(right, 0));
    x_.key("l");  // stereo-half: full height, each as wide as a half
    EXPECT_TRUE(showsFlat({0, 0, 640, 720}, 1));
    EXPECT_TRUE(showsFlat({640, 0, 640, 720}, 0));
    x_.key("e");
    EXPECT_TRUE(showsFlat({0, 0, 640, 720}, 0));
}

TEST_F(WindowStereo, RowsOfTheScreenAreInterlaced) {
    open(flatPictures(2, {320, 180}), {"--layout", "interlaced", "--swap-eyes"});
    EXPECT_TRUE(everyRow({1, 0})) << window_->errors();
    ASSERT_TRUE(eventually([&] { return x_.focus("Verbcast.*"); }));
    x_.key("e");
    EXPECT_TRUE(everyRow({0, 1}));
}

TEST_F(WindowStereo, AnaglyphHasTheLeftEyeInRed) {
    QImage white({320, 180}, QImage::Format_RGB32), black = white;
    white.fill(Qt::white);
    black.fill(Qt::black);
    open({white, black}, {"--layout", "anaglyph"});
    const auto isAt = [&](const QColor& colour) {
        return eventually([&] { return similar(x_.screenshot().pixelColor(300, 200), colour); });
    };
    // White clamps to pure colours: the left matrix's rows sum to 1.050, < 0 and < 0, the right one's to < 0,
    // 1.147 and 1.115.
    EXPECT_TRUE(isAt(QColor(255, 0, 0))) << window_->errors();
    ASSERT_TRUE(eventually([&] { return x_.focus("Verbcast.*"); }));
    x_.key("e");
    EXPECT_TRUE(isAt(QColor(0, 255, 255)));
}

TEST_F(WindowStereo, PagesAreNotFlippedWhereTheDisplayCannot) {
    open(flatPictures(2, {320, 180}), {"--layout", "page-flip"});
    EXPECT_EQ(window_->exitCode(), 8);
    EXPECT_TRUE(said("--layout page-flip: this display's OpenGL has no buffers for each eye"))
        << window_->errors();
}

/// Senders that count from 0; the second one starts later.
class WindowAligned : public WindowTest {
  protected:
    void open(const QStringList& more) {
        for (const char* name : {"-a", "-b"}) {
            counters_.push_back(std::make_unique<Verbcast>(
                QStringList{"send", "pattern:counter", "--size", "320x180", "--fps", "10", "--slots", "40",
                            "--listen", url() + name},
                folder()));
        }
        Verbcast somebody({"view", "--headless", url() + "-a", "--frames", "3"}, folder());
        ASSERT_EQ(somebody.exitCode(), 0) << somebody.errors();
        window_ = std::make_unique<Verbcast>(
            QStringList{"view", url() + "-a", url() + "-b", "--layout", "difference", "--slots", "40",
                        "--stats-json", file("stats.json")} +
                more,
            folder(), x_.display());
        x_.movePointer(2, 300);
        // The numbers appear once both streams have a picture.
        ASSERT_TRUE(eventually([&] {
            return pixels({300, 10, 680, 90}, qRgb(0xe2, 0xe6, 0xec)) > 200;
        })) << window_->errors();
    }
    bool said(const char* text) { return window_->errors().find(text) != std::string::npos; }
    /// Number of pixels that differ, below the numbers.
    int litPixels() {
        const QImage screen = x_.screenshot().copy(QRect(0, 150, 1280, 400));
        int lit = 0;
        for (int y = 0; y < screen.height(); ++y) {
            for (int x = 0; x < screen.width(); ++x) {
                lit += qGray(screen.pixel(x, y)) > 40 ? 1 : 0;
            }
        }
        return lit;
    }
    /// How many of this number of screenshots show equal pictures.
    int equalLooks(int looks) {
        int equal = 0;
        for (int look = 0; look < looks; ++look) {
            equal += litPixels() == 0 ? 1 : 0;
            QThread::msleep(70);  // until the next frame
        }
        return equal;
    }
    void TearDown() override {
        window_.reset();
        counters_.clear();
        WindowTest::TearDown();
    }

    std::vector<std::unique_ptr<Verbcast>> counters_;
};

TEST_F(WindowAligned, PicturesOfEqualTimeStampsAreShownTogether) {
    open({"--align", "pts"});
    ASSERT_TRUE(eventually([&] { return litPixels() == 0; })) << window_->errors();
    EXPECT_TRUE(eventually([&] { return equalLooks(10) == 10; }));
    x_.key("q");
    EXPECT_EQ(window_->exitCode(), 0) << window_->errors();
    const QJsonObject stats = readJson(file("stats.json"));
    EXPECT_EQ(stats["alignment"]["by"].toString(), "pts");
    EXPECT_EQ(stats["alignment"]["skew_us"]["p50"].toDouble(), 0);
    EXPECT_GE(stats["alignment"]["delay_ms"].toDouble(), 200);
    EXPECT_TRUE(said("aligned by pts: ")) << window_->errors();
}

TEST_F(WindowAligned, NothingIsAlignedUnlessAskedFor) {
    open({});  // a difference pairs frames by itself, but only those of streams that are close together
    x_.key("q");
    EXPECT_EQ(window_->exitCode(), 0);
    EXPECT_FALSE(readJson(file("stats.json")).contains("alignment"));
}

}  // namespace
}  // namespace verbcast::testing
