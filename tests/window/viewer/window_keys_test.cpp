// What keys and mouse do to the picture, verified on the screen.
#include <QGuiApplication>

#include "tests/window/window_fixture.h"

namespace verbcast::testing {
namespace {

/// Four quadrants, each of one colour.
QImage quarters(const QSize& size) {
    QImage picture(size, QImage::Format_RGB32);
    for (int y = 0; y < size.height(); ++y) {
        for (int x = 0; x < size.width(); ++x) {
            const bool right = x >= size.width() / 2;
            const bool below = y >= size.height() / 2;
            picture.setPixel(x, y, qRgb(right ? 220 : 40, below ? 200 : 60, right == below ? 240 : 20));
        }
    }
    return picture;
}

TEST_F(WindowTest, ShowsExactlyTheSentPixels) {
    const QImage picture = testPicture(kPictureSize, 1);
    ASSERT_NO_FATAL_FAILURE(openWithPicture(picture));
    const QImage screen = x_.screenshot();
    EXPECT_EQ(shownAtOneToOne(screen), picture);
    const QRect shown(540, 285, 200, 150);
    EXPECT_EQ(screen.pixelColor(shown.left() - 1, 360), screen.pixelColor(10, 10))
        << "nothing beside the picture";
    EXPECT_EQ(screen.pixelColor(640, shown.bottom() + 1), screen.pixelColor(10, 10))
        << "nothing below the picture";
}

TEST_F(WindowTest, ShowsEachNewPicture) {
    ASSERT_NO_FATAL_FAILURE(openWithPicture(testPicture(kPictureSize, 1)));
    for (int seed = 2; seed < 5; ++seed) {
        const QImage picture = testPicture(kPictureSize, seed);
        sender_->show(picture);
        EXPECT_TRUE(eventually([&] { return shownAtOneToOne(x_.screenshot()) == picture; })) << seed;
    }
}

TEST_F(WindowTest, ZeroFitsThePicture) {
    const QImage picture = quarters(kPictureSize);
    ASSERT_NO_FATAL_FAILURE(openWithPicture(picture));
    x_.key("0");
    // 200x150 fits 1280x720 as 960x720 from x = 160 on.
    EXPECT_TRUE(eventually([&] {
        const QImage screen = x_.screenshot();
        return screen.pixelColor(170, 10) == picture.pixelColor(0, 0) &&
               screen.pixelColor(1110, 710) == picture.pixelColor(199, 149) &&
               screen.pixelColor(150, 360) == screen.pixelColor(5, 5);
    }));
}

TEST_F(WindowTest, WShowsTheWaveformOverThePicture) {
    const QImage picture = quarters(kPictureSize);
    ASSERT_NO_FATAL_FAILURE(openWithPicture(picture));
    x_.key("0");
    // Its panel is 538x259 at 724, 443. Here no pixel of the picture has that code.
    const auto inPanel = [&] { return x_.screenshot().pixelColor(1000, 600); };
    const QColor alone = picture.pixelColor(199, 149);
    ASSERT_TRUE(eventually([&] { return inPanel() == alone; }));
    x_.key("w");
    EXPECT_TRUE(eventually([&] {
        return similar(inPanel(),
                       QColor::fromRgbF(alone.redF() * 0.28F, alone.greenF() * 0.28F, alone.blueF() * 0.28F));
    }));
    // In this column all of the picture's lower half has one blue, and all of the upper half another.
    EXPECT_TRUE(eventually([&] {
        const QImage panel = x_.screenshot().copy(724, 443, 538, 259);
        int lit = 0;
        for (int y = 0; y < panel.height(); ++y) {
            lit += panel.pixelColor(300, y).blue() > 200 ? 1 : 0;
        }
        return lit >= 2;
    }));
    x_.key("w");
    EXPECT_TRUE(eventually([&] { return inPanel() == alone; }));
}

TEST_F(WindowTest, FullscreenFillsTheScreenAndEscapeLeaves) {
    const QImage picture = quarters({320, 200});  // the screen's aspect ratio
    sender_ = std::make_unique<PictureSender>(picture.size(), url(), folder());
    openWindow();
    sender_->show(picture);
    const QColor last = picture.pixelColor(319, 199);
    ASSERT_TRUE(eventually([&] { return x_.screenshot().pixelColor(900, 700) == last; }))
        << window_->errors();
    const auto fillsTheScreen = [&] {
        const QImage screen = x_.screenshot();
        return screen.pixelColor(3, 3) == picture.pixelColor(0, 0) &&
               screen.pixelColor(XServer::kWidth - 4, XServer::kHeight - 4) == last;
    };
    const auto isWindow = [&] {
        return x_.screenshot().pixelColor(XServer::kWidth - 4, XServer::kHeight - 4) == QColor(Qt::black);
    };
    x_.key("f");
    EXPECT_TRUE(eventually(fillsTheScreen));
    x_.key("Escape");
    EXPECT_TRUE(eventually(isWindow));
    x_.input({"click", "--repeat", "2", "--delay", "20", "1"});
    EXPECT_TRUE(eventually(fillsTheScreen));
    x_.key("f");
    EXPECT_TRUE(eventually(isWindow));
    EXPECT_TRUE(window_->running()) << "Escape leaves fullscreen, not the program";
}

TEST_F(WindowTest, FullscreenShowsTheKeyThatLeavesIt) {
    // As the desktop entry starts it: no sender yet.
    window_ = std::make_unique<Verbcast>(QStringList{"view", "--listen", url(), "--fullscreen"}, folder(),
                                         x_.display());
    const QRgb text = qRgb(0xe2, 0xe6, 0xec);
    const QRect bottom(400, 800, 800, 200);  // where notes appear
    ASSERT_TRUE(eventually([&] { return pixels(bottom, text) > 50; })) << window_->errors();
    EXPECT_TRUE(eventually([&] { return pixels(bottom, text) == 0; })) << "it never goes";
    ASSERT_TRUE(eventually([&] { return x_.focus("Verbcast"); }));
    const auto strip = [&] { return pixels({0, 725, 1280, 40}, qRgb(0x17, 0x1a, 0x1f)) > 5000; };
    EXPECT_FALSE(strip());
    x_.key("Escape");
    EXPECT_TRUE(eventually(strip)) << "Escape does not leave fullscreen";
    x_.key("q");
    EXPECT_EQ(window_->exitCode(), 0) << window_->errors();
}

TEST_F(WindowTest, AKeyThatDoesNothingNowSaysWhy) {
    ASSERT_NO_FATAL_FAILURE(openWithPicture(testPicture(kPictureSize, 1)));
    const QRgb text = qRgb(0xe2, 0xe6, 0xec);
    const QRect bottom(300, 600, 700, 119);  // where notes appear
    ASSERT_EQ(pixels(bottom, text), 0);
    for (const char* key : {"l", "Delete", "Delete"}) {  // the second finds none
        const QImage before = x_.screenshot().copy(bottom);
        x_.key(key);
        EXPECT_TRUE(eventually([&] {
            return pixels(bottom, text) > 10 && x_.screenshot().copy(bottom) != before;
        })) << key
            << " is silent";
    }
}

TEST_F(WindowTest, FullscreenHidesAnIdleCursorAndKeepsTheScreenAwake) {
    openWindow({"--fullscreen", "-v"});
    const auto says = [&](const std::string& text) {
        return eventually([&] { return window_->errors().find(text) != std::string::npos; });
    };
    EXPECT_TRUE(says("screen saver: suspended on the X server")) << window_->errors();
    EXPECT_TRUE(eventually([&] { return !x_.cursorVisible(); })) << "nobody moves it";
    int x = 700;
    EXPECT_TRUE(eventually([&] {
        x_.movePointer(++x, 400);
        return x_.cursorVisible();
    }));
    EXPECT_TRUE(eventually([&] { return !x_.cursorVisible(); }));
    x_.key("Escape");
    EXPECT_TRUE(says("screen saver: no longer held off")) << window_->errors();
    EXPECT_TRUE(eventually([&] { return x_.cursorVisible(); })) << "gone in a window";
}

TEST_F(WindowTest, StageTimesCoverTheCornerAndGoAway) {
    ASSERT_NO_FATAL_FAILURE(openWithPicture(testPicture(kPictureSize, 1)));
    const QColor canvas = x_.screenshot().pixelColor(30, 30);
    x_.key("i");
    EXPECT_TRUE(eventually([&] {
        const QImage panel = x_.screenshot().copy(20, 20, 300, 120);
        int bright = 0;
        for (int y = 0; y < panel.height(); ++y) {
            for (int x = 0; x < panel.width(); ++x) {
                bright += qGray(panel.pixel(x, y)) > 180 ? 1 : 0;
            }
        }
        return bright > 200;
    })) << "no text in the corner";
    x_.key("i");
    EXPECT_TRUE(eventually([&] {
        const QImage corner = x_.screenshot().copy(0, 0, 500, 250);
        QImage empty(corner.size(), corner.format());
        empty.fill(canvas);
        return corner == empty;
    }));
}

TEST_F(WindowTest, SpaceHoldsThePictureWhileTheStreamGoesOn) {
    const QImage first = testPicture(kPictureSize, 1);
    const QImage last = testPicture(kPictureSize, 9);
    ASSERT_NO_FATAL_FAILURE(openWithPicture(first, {"--stats-json", file("stats.json")}));
    const QImage before = x_.screenshot();
    x_.key("space");
    // The strip changes to say "paused".
    ASSERT_TRUE(
        eventually([&] { return x_.screenshot().copy(0, 720, 200, 50) != before.copy(0, 720, 200, 50); }));
    for (int seed = 2; seed < 9; ++seed) {
        sender_->show(testPicture(kPictureSize, seed));
    }
    sender_->show(last);
    EXPECT_EQ(shownAtOneToOne(x_.screenshot()), first);
    x_.key("space");
    EXPECT_TRUE(eventually([&] { return shownAtOneToOne(x_.screenshot()) == last; }));
    x_.key("q");
    EXPECT_EQ(window_->exitCode(), 0) << window_->errors();
    const QJsonObject stats = readJson(file("stats.json"));
    EXPECT_EQ(stats["frames_received"].toInt(), 9);
    EXPECT_EQ(stats["frames_shown"].toInt() + stats["frames_skipped"].toInt(), 9);
    EXPECT_EQ(stats["exit_reason"].toString(), "closed");
}

TEST_F(WindowTest, WheelZoomsAtTheCursorAndDragMoves) {
    const QImage picture = quarters({1280, 720});
    sender_ = std::make_unique<PictureSender>(picture.size(), url(), folder());
    openWindow();
    sender_->show(picture);
    const QColor topLeft = picture.pixelColor(0, 0);
    const QColor topRight = picture.pixelColor(1279, 0);
    ASSERT_TRUE(eventually([&] { return x_.screenshot().pixelColor(10, 10) == topLeft; }))
        << window_->errors();

    // Zooming at the left edge moves the border in the middle from x = 640 to 640 * 1.25 = 800.
    x_.movePointer(0, 100);
    x_.input({"click", "4"});
    EXPECT_TRUE(eventually([&] {
        const QImage screen = x_.screenshot();
        return screen.pixelColor(795, 100) == topLeft && screen.pixelColor(805, 100) == topRight;
    }));
    // Dragging by 100 pixels to the left moves it to x = 700.
    x_.movePointer(500, 100);
    x_.input({"mousedown", "1"});
    x_.movePointer(450, 100);
    x_.movePointer(400, 100);
    x_.input({"mouseup", "1"});
    EXPECT_TRUE(eventually([&] {
        const QImage screen = x_.screenshot();
        return screen.pixelColor(695, 100) == topLeft && screen.pixelColor(705, 100) == topRight;
    }));
}

TEST_F(WindowTest, SavesThePictureInTheStreamsSize) {
    const QImage picture = testPicture(kPictureSize, 3);
    ASSERT_NO_FATAL_FAILURE(openWithPicture(picture));
    x_.key("0");  // the saved picture does not depend on the zoom
    x_.key("s");
    const QDir here(file("Pictures"));
    QStringList saved;
    ASSERT_TRUE(eventually([&] {
        saved = here.entryList({"verbcast-*-frame0.png"});
        return !saved.isEmpty() && QImage(here.filePath(saved[0])).size() == kPictureSize;
    }));
    EXPECT_EQ(QImage(here.filePath(saved[0])).convertToFormat(QImage::Format_RGB32), picture);
    x_.key("s");
    EXPECT_TRUE(eventually([&] { return here.entryList({"verbcast-*.png"}).size() == 2; }))
        << "one was overwritten";
}

TEST_F(WindowTest, HelpOpensAndCloses) {
    const QImage picture = testPicture(kPictureSize, 1);
    ASSERT_NO_FATAL_FAILURE(openWithPicture(picture));
    x_.key("F1");
    ASSERT_TRUE(eventually([&] { return shownAtOneToOne(x_.screenshot()) != picture; }));
    x_.key("Escape");
    EXPECT_TRUE(eventually([&] { return shownAtOneToOne(x_.screenshot()) == picture; }));
}

}  // namespace
}  // namespace verbcast::testing
