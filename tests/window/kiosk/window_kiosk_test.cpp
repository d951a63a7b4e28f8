// The window of an installation: what the screen shows while senders come and go.
#include "tests/window/window_fixture.h"

namespace verbcast::testing {
namespace {

class KioskTest : public WindowTest {
  protected:
    static constexpr QSize kScreen{XServer::kWidth, XServer::kHeight};

    void SetUp() override { ASSERT_TRUE(still_.save(file("still.png"))); }

    void openKiosk(const QStringList& more = {}) {
        openWindow(QStringList{"--kiosk", "--still", file("still.png")} + more);
    }
    /// Needs the open kiosk: a picture of this size does not fit into the sender's pipe.
    void startSender(const QImage& picture) {
        sender_ = std::make_unique<PictureSender>(picture.size(), url(), folder());
        sender_->show(picture);
    }
    bool shows(const QImage& picture) {
        return eventually([&] { return x_.screenshot() == picture; });
    }
    bool says(const std::string& text) {
        return eventually([&] { return window_->errors().find(text) != std::string::npos; });
    }

    const QImage still_ = testPicture(kScreen, 7);
};

TEST_F(KioskTest, ShowsTheStillWhenThereIsNoStreamAndTheStreamWhenThereIs) {
    openKiosk();
    ASSERT_TRUE(shows(still_)) << window_->errors();
    for (int seed = 1; seed < 3; ++seed) {
        const QImage picture = testPicture(kScreen, seed);
        startSender(picture);
        ASSERT_TRUE(shows(picture)) << window_->errors();
        sender_->kill();
        ASSERT_TRUE(shows(still_)) << window_->errors();
    }
    EXPECT_TRUE(says("signal lost")) << window_->errors();
    EXPECT_TRUE(window_->running());
}

TEST_F(KioskTest, AStreamThatEndsIsFollowedByTheStill) {
    const QImage picture = testPicture(kScreen, 1);
    openKiosk();
    startSender(picture);
    ASSERT_TRUE(shows(picture)) << window_->errors();
    sender_->finish();
    EXPECT_TRUE(shows(still_)) << window_->errors();
    EXPECT_TRUE(window_->running());
}

TEST_F(KioskTest, KeepsTheAspectOnBlack) {
    QImage picture(400, 400, QImage::Format_RGB32);
    picture.fill(QColor(10, 200, 90));
    openWindow({"--kiosk"});
    startSender(picture);
    QImage expected(kScreen, QImage::Format_RGB32);
    expected.fill(Qt::black);
    EXPECT_TRUE(eventually([&] {
        const QImage screen = x_.screenshot();
        return screen.pixelColor(302, 2) == picture.pixelColor(0, 0) &&
               screen.pixelColor(1297, 997) == picture.pixelColor(0, 0) &&
               screen.pixelColor(297, 500) == QColor(Qt::black) &&
               screen.pixelColor(1302, 500) == QColor(Qt::black);
    })) << window_->errors();
    sender_->kill();
    EXPECT_TRUE(shows(expected)) << "without a still it is black";
}

TEST_F(KioskTest, HidesTheCursor) {
    openWindow();
    ASSERT_TRUE(eventually([&] { return x_.cursorVisible(); })) << "a window that is no kiosk shows it";
    window_->interrupt();
    ASSERT_EQ(window_->exitCode(), 130);
    openKiosk();
    ASSERT_TRUE(shows(still_)) << window_->errors();
    EXPECT_TRUE(eventually([&] { return !x_.cursorVisible(); }));
    x_.movePointer(100, 900);
    x_.input({"click", "1"});
    EXPECT_FALSE(x_.cursorVisible());
}

TEST_F(KioskTest, KeysAndMouseDoNothingToIt) {
    const QImage picture = testPicture(kScreen, 1);
    openKiosk();
    startSender(picture);
    ASSERT_TRUE(shows(picture)) << window_->errors();
    for (const char* key : {"i", "F1", "o", "space", "f", "Escape", "q", "ctrl+q"}) {
        x_.key(key);
    }
    x_.input({"click", "4"});
    x_.input({"click", "--repeat", "2", "--delay", "20", "1"});
    const QImage next = testPicture(kScreen, 2);
    sender_->show(next);
    EXPECT_TRUE(shows(next)) << "a key stopped or covered the picture";
    EXPECT_TRUE(window_->running());
}

TEST_F(KioskTest, TellsErrorsOnStderrAndGoesOnWaiting) {
    // 192.0.2.0/24 is reserved for documentation (RFC 5737): no machine has such an address.
    window_ = std::make_unique<Verbcast>(
        QStringList{"view", "--kiosk", "--still", file("still.png"), "--listen", "tcp://192.0.2.1:7423"},
        folder(), x_.display());
    EXPECT_TRUE(says("192.0.2.1")) << window_->errors();
    EXPECT_TRUE(says("trying again")) << window_->errors();
    EXPECT_TRUE(shows(still_)) << window_->errors();
    EXPECT_TRUE(window_->running());
    window_->interrupt();
    EXPECT_EQ(window_->exitCode(), 130);
}

TEST_F(KioskTest, SaysThatItConnectsBeforeItSaysThatNobodyIsThere) {
    openWindow({"--kiosk"});
    ASSERT_TRUE(says("nobody is listening on " + url().toStdString())) << window_->errors();
    const std::string said = window_->errors();
    EXPECT_LT(said.find("connecting to " + url().toStdString()), said.find("nobody is listening")) << said;
}

TEST_F(KioskTest, SaysThatRecordingHasStopped) {
    const QImage picture = testPicture(kScreen, 1);
    openKiosk({"--output", "/dev/full"});
    startSender(picture);
    EXPECT_TRUE(says("recording has stopped: writing /dev/full")) << window_->errors();
    EXPECT_TRUE(shows(picture)) << window_->errors();
    EXPECT_TRUE(window_->running());
}

TEST_F(KioskTest, SaysWhatItDidAboutTheScreenSaver) {
    openKiosk();
    EXPECT_TRUE(says("screen saver: suspended on the X server")) << window_->errors();
}

TEST_F(KioskTest, AdmittingAnybodyIsShownOnTheScreen) {
    window_ = std::make_unique<Verbcast>(QStringList{"view", "--kiosk", "--listen", url(), "--open"},
                                         folder(), x_.display());
    const QRect corner(XServer::kWidth - 250, 0, 250, 60);
    EXPECT_TRUE(eventually([&] { return pixels(corner, qRgb(0xee, 0x78, 0x6c)) > 50; })) << window_->errors();
}

TEST_F(KioskTest, AMonitorThatDoesNotExistIsAnErrorThatListsThem) {
    openKiosk({"--screen", "nowhere"});
    EXPECT_EQ(window_->exitCode(), 2);
    EXPECT_TRUE(says("nowhere")) << window_->errors();
    EXPECT_TRUE(says("1600x1000 at 0,0")) << window_->errors();
}

TEST_F(KioskTest, FillsTheMonitorThatWasAskedFor) {
    x_.splitMonitor("left", "right");
    QImage small(800, 1000, QImage::Format_RGB32);
    small.fill(QColor(200, 30, 30));
    ASSERT_TRUE(small.save(file("still.png")));
    for (const auto& [screen, x] : {std::pair{"right", 800}, std::pair{"left", 0}}) {
        openKiosk({"--screen", screen});
        QImage expected(kScreen, QImage::Format_RGB32);
        expected.fill(Qt::black);
        for (int row = 0; row < small.height(); ++row) {
            for (int column = 0; column < small.width(); ++column) {
                expected.setPixelColor(x + column, row, QColor(200, 30, 30));
            }
        }
        EXPECT_TRUE(shows(expected)) << screen << ": " << window_->errors();
        window_.reset();
    }
}

TEST_F(KioskTest, AStillThatIsNoPictureIsAnError) {
    openWindow({"--kiosk", "--still", file("missing.png")});
    EXPECT_EQ(window_->exitCode(), 3);
    EXPECT_TRUE(says("missing.png")) << window_->errors();
}

TEST_F(KioskTest, WaitsForeverOrNotAtAll) {
    openWindow({"--kiosk", "--wait", "1"});
    EXPECT_EQ(window_->exitCode(), 2);
    EXPECT_TRUE(says("--wait")) << window_->errors();
}

TEST_F(KioskTest, OptionsThatNeedAKioskSaySo) {
    openWindow({"--still", file("still.png")});
    EXPECT_EQ(window_->exitCode(), 2);
    EXPECT_TRUE(says("--kiosk")) << window_->errors();
}

}  // namespace
}  // namespace verbcast::testing
