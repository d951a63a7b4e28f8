// Displays of a wall on a real screen.
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QTransform>

#include "tests/window/window_fixture.h"

namespace verbcast::testing {
namespace {

class WallWindowTest : public WindowTest {
  protected:
    static constexpr QSize kScreen{XServer::kWidth, XServer::kHeight};

    /// Writes a wall with a single display, "only", which covers just a part of the canvas.
    void makeWall(const QSize& canvas, const QRect& part, const QString& more = {}) {
        QFile wall(file("wall.json"));
        ASSERT_TRUE(wall.open(QIODevice::WriteOnly));
        wall.write(
            QString(R"({"verbcast_wall": 1, "canvas": {"width": %1, "height": %2, "gaps": true}, "displays":
            [{"name": "only", "rectangle": {"x": %3, "y": %4, "width": %5, "height": %6}%7}]})")
                .arg(canvas.width())
                .arg(canvas.height())
                .arg(part.x())
                .arg(part.y())
                .arg(part.width())
                .arg(part.height())
                .arg(more)
                .toUtf8());
    }
    void openTile(const QStringList& more = {}) {
        openWindow(QStringList{"--wall", file("wall.json"), "--tile", "only"} + more);
    }
    static int lines(const QString& path) {
        QFile text(path);
        return text.open(QIODevice::ReadOnly) ? static_cast<int>(text.readAll().count('\n')) : 0;
    }
    void send(const QImage& picture) {
        sender_ = std::make_unique<PictureSender>(picture.size(), url(), folder());
        sender_->show(picture);
    }
    bool says(const std::string& text) {
        return eventually([&] { return window_->errors().find(text) != std::string::npos; });
    }
};

TEST_F(WallWindowTest, AKioskShowsItsPartPixelForPixelAndTurned) {
    const QSize canvas = kScreen * 2;
    const QImage picture = testPicture(canvas, 3);
    const QRect part(QPoint(701, 333), kScreen);
    for (const int rotation : {0, 180}) {
        makeWall(canvas, part, QString(R"(, "rotation": %1)").arg(rotation));
        openTile({"--kiosk"});
        send(picture);
        const QImage expected = picture.copy(part)
                                    .transformed(QTransform().rotate(rotation))
                                    .convertToFormat(QImage::Format_RGB32);
        EXPECT_TRUE(eventually([&] { return x_.screenshot() == expected; })) << rotation << window_->errors();
        window_.reset();
        sender_.reset();
    }
}

TEST_F(WallWindowTest, AWarpedPartLiesBetweenItsCornersAndNowhereElse) {
    QImage picture(640, 400, QImage::Format_RGB32);
    picture.fill(QColor(10, 200, 90));
    makeWall(
        {640, 400}, {0, 0, 320, 400},
        R"(, "corners": {"top_left": [0.25, 0.2], "top_right": [0.75, 0.3], "bottom_right": [0.9, 0.9], "bottom_left": [0.2, 0.8]})");
    openTile({"--kiosk"});
    send(picture);
    const auto at = [](const QImage& screen, double x, double y) {
        return screen.pixelColor(static_cast<int>(x * kScreen.width()),
                                 static_cast<int>(y * kScreen.height()));
    };
    EXPECT_TRUE(eventually([&] {
        const QImage screen = x_.screenshot();
        bool right = true;
        for (const auto& [x, y] :
             {std::pair{0.26, 0.22}, {0.74, 0.31}, {0.89, 0.885}, {0.21, 0.79}, {0.5, 0.5}}) {
            right &= similar(at(screen, x, y), QColor(10, 200, 90));
        }
        for (const auto& [x, y] :
             {std::pair{0.24, 0.19}, {0.76, 0.29}, {0.91, 0.91}, {0.19, 0.81}, {0.5, 0.22}}) {
            right &= similar(at(screen, x, y), QColor(Qt::black));
        }
        return right;
    })) << window_->errors();
}

TEST_F(WallWindowTest, APictureOfAnotherShapeIsShownAsTheFileSaysAndTold) {
    makeWall({800, 500}, {400, 0, 400, 250});
    for (const bool kiosk : {true, false}) {
        openTile(QStringList{"--frame-md5", file("sums")} + (kiosk ? QStringList{"--kiosk"} : QStringList{}));
        QImage square(500, 500, QImage::Format_RGB32);
        square.fill(Qt::red);
        send(square);
        // Of the display's 400 pixels, the picture has the left 250.
        const auto at = [this](int x) { return x_.screenshot().pixelColor(x, 360); };
        EXPECT_TRUE(eventually([&] { return similar(at(600), Qt::red) && similar(at(1150), Qt::black); }))
            << window_->errors();
        EXPECT_TRUE(
            says("tile only: the picture has 500x500 pixels, the wall was made for 800x500: shown "
                 "with black at its sides"));
        sender_.reset();
        QImage half(400, 250, QImage::Format_RGB32);  // the wall's aspect ratio
        half.fill(QColor(30, 90, 220));
        send(half);
        EXPECT_TRUE(eventually([&] {
            return similar(at(600), QColor(30, 90, 220)) && similar(at(1150), QColor(30, 90, 220));
        })) << window_->errors();
        EXPECT_TRUE(
            says("the picture has 400x250 pixels, the wall was made for 800x500: shown in proportion"));
        window_->interrupt();
        EXPECT_EQ(window_->exitCode(), 130);
        EXPECT_EQ(lines(file("sums")), 3) << "its head, and both pictures";
        window_.reset();
        sender_.reset();
    }
}

/// Nothing of it is shown, not even what is sent for its times; and it is told.
TEST_F(WallWindowTest, APictureThatMustBeStretchedIsNotShown) {
    makeWall({800, 500}, {0, 0, 400, 250});
    QProcess make;
    make.start("ffmpeg", {"-nostdin", "-v", "error", "-f", "lavfi", "-i", "color=red:s=800x500:r=25", "-vf",
                          "setsar=4/3", "-frames:v", "5", "-c:v", "rawvideo", file("wide.nut")});
    ASSERT_TRUE(make.waitForFinished());
    const Verbcast sender({"send", file("wide.nut"), "--loop", "--listen", url()}, folder());
    openTile({"--kiosk"});
    EXPECT_TRUE(says("must be rotated or stretched before it is shown")) << window_->errors();
    EXPECT_TRUE(eventually([&] {
        return similar(x_.screenshot().pixelColor(20, 20), Qt::black) &&
               pixels(QRect(300, 300, 1000, 400), qRgb(0xe2, 0xe6, 0xec)) > 30;
    })) << "a message over nothing";
}

}  // namespace
}  // namespace verbcast::testing
