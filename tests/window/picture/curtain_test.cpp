// The still and its fade, with a simulated clock.
#include "app/window/picture/curtain.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>

#include "app/window/kiosk/kiosk_screen.h"
#include "core/base/error.h"

namespace verbcast::testing {
namespace {

constexpr TimestampNs kFadeNs = std::chrono::nanoseconds(Curtain::kFade).count();

TEST(Curtain, IsClosedAtFirst) {
    const Curtain curtain;
    EXPECT_EQ(curtain.opacity(kFadeNs), 1);
    EXPECT_FALSE(curtain.moving(0));
    EXPECT_FALSE(curtain.opening());
}

TEST(Curtain, FadesInHalfASecondAndEndsExactly) {
    Curtain curtain;
    curtain.open(kFadeNs);
    EXPECT_TRUE(curtain.opening());
    EXPECT_TRUE(curtain.moving(kFadeNs));
    EXPECT_DOUBLE_EQ(curtain.opacity(kFadeNs), 1);
    EXPECT_DOUBLE_EQ(curtain.opacity(kFadeNs + kFadeNs / 4), 0.75);
    EXPECT_EQ(curtain.opacity(2 * kFadeNs), 0);
    EXPECT_FALSE(curtain.moving(2 * kFadeNs));
    curtain.close(10 * kFadeNs);
    EXPECT_DOUBLE_EQ(curtain.opacity(10 * kFadeNs + kFadeNs / 2), 0.5);
    EXPECT_EQ(curtain.opacity(12 * kFadeNs), 1);
}

TEST(Curtain, TurnsBackFromWhereItIs) {
    Curtain curtain;
    curtain.open(0);
    const TimestampNs turn = kFadeNs / 4;
    curtain.close(turn);
    EXPECT_DOUBLE_EQ(curtain.opacity(turn), 0.75);
    EXPECT_TRUE(curtain.moving(turn + kFadeNs / 5));
    EXPECT_EQ(curtain.opacity(turn + kFadeNs / 4), 1);
}

TEST(Curtain, SayingTheSameAgainDoesNotRestartIt) {
    Curtain curtain;
    curtain.open(0);
    curtain.open(kFadeNs / 2);
    EXPECT_DOUBLE_EQ(curtain.opacity(kFadeNs * 3 / 4), 0.25);
}

QImage filled(const QSize& size, const QColor& colour) {
    QImage image(size, QImage::Format_RGB32);
    image.fill(colour);
    return image;
}

TEST(Curtain, KeepsTheStillsAspectOnBlack) {
    Curtain curtain(filled({20, 10}, Qt::red));
    const QImage& image = curtain.image({400, 300});
    ASSERT_EQ(image.size(), QSize(400, 300));
    EXPECT_EQ(image.pixelColor(200, 150), QColor(Qt::red));
    EXPECT_EQ(image.pixelColor(2, 52), QColor(Qt::red)) << "as wide as the screen";
    EXPECT_EQ(image.pixelColor(200, 47), QColor(Qt::black));
    EXPECT_EQ(image.pixelColor(200, 252), QColor(Qt::black));
}

TEST(Curtain, AStillOfTheScreensSizeIsShownAsItIs) {
    QImage still = filled({64, 48}, Qt::blue);
    still.setPixelColor(63, 47, Qt::green);
    Curtain curtain(still);
    EXPECT_EQ(curtain.image({64, 48}), still);
}

TEST(Curtain, IsBlackWithoutAStill) {
    Curtain curtain;
    EXPECT_EQ(curtain.image({8, 4}), filled({8, 4}, Qt::black));
    EXPECT_EQ(curtain.image({4, 8}).size(), QSize(4, 8)) << "follows the size";
}

TEST(LoadStill, ReadsPngAndJpegWhateverTheyAreCalled) {
    const QTemporaryDir folder;
    for (const char* format : {"PNG", "JPG"}) {
        const QString path = folder.filePath("still");
        ASSERT_TRUE(filled({30, 20}, Qt::white).save(path, format));
        EXPECT_EQ(loadStill(path.toStdString()).size(), QSize(30, 20)) << format;
    }
}

TEST(LoadStill, SaysWhichFileIsNoPicture) {
    const QTemporaryDir folder;
    QFile text(folder.filePath("text.png"));
    ASSERT_TRUE(text.open(QIODevice::WriteOnly));
    text.write("not a picture");
    text.close();
    for (const std::string& path : {text.fileName().toStdString(), std::string("/nonexistent.png")}) {
        try {
            loadStill(path);
            FAIL() << path;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Input);
            EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
        }
    }
}

const QList<ScreenDescription> kScreens{{"HDMI-1", "1920x1080 at 0,0"}, {"1", "800x600 at 1920,0"}};

TEST(ChooseScreen, ByNumberNameOrNotAtAll) {
    EXPECT_EQ(chooseScreen("", kScreens), 0U);
    EXPECT_EQ(chooseScreen("0", kScreens), 0U);
    EXPECT_EQ(chooseScreen("HDMI-1", kScreens), 0U);
    EXPECT_EQ(chooseScreen("1", {kScreens[1], kScreens[0]}), 0U) << "a name goes before a number";
}

TEST(ChooseScreen, ListsThoseThereAre) {
    for (const char* wanted : {"2", "-1", "HDMI", "1x"}) {
        try {
            chooseScreen(wanted, kScreens);
            FAIL() << wanted;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::Usage);
            EXPECT_NE(std::string(error.what()).find(wanted), std::string::npos);
            EXPECT_NE(error.remedy().find("0: HDMI-1 (1920x1080 at 0,0)"), std::string::npos)
                << error.remedy();
        }
    }
}

}  // namespace
}  // namespace verbcast::testing
