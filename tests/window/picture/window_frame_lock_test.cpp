// Windows on two X servers that present one stream together.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <csignal>

#include "tests/window/window_fixture.h"

namespace verbcast::testing {
namespace {

class WindowTogether : public WindowTest {
  protected:
    void TearDown() override {
        other_.reset();
        sending_.reset();
        WindowTest::TearDown();
    }
    void send(const QString& mode, const QStringList& more = {}) {
        sending_ = std::make_unique<Verbcast>(
            QStringList{"send", "pattern:counter", "--size", "200x150", "--fps", "25", "--sync", mode,
                        "--listen", url(), "--stats-json", file("sender.json")} +
                more,
            folder());
    }
    void openBoth() {
        openWindow({"--stats-json", file("one.json")});
        other_ = std::make_unique<Verbcast>(QStringList{"view", url(), "--stats-json", file("other.json")},
                                            folder(), otherX_.display());
    }
    /// Waits until the screen shows a different picture.
    static bool goesOn(const XServer& x) {
        const QImage before = x.screenshot();
        return eventually([&] { return x.screenshot().copy(kPictureArea) != before.copy(kPictureArea); });
    }
    QJsonObject frameLock(const QString& name) const {
        QFile json(file(name));
        EXPECT_TRUE(json.open(QIODevice::ReadOnly)) << qPrintable(name);
        return QJsonDocument::fromJson(json.readAll()).object()["together"].toObject();
    }

    XServer otherX_;
    std::unique_ptr<Verbcast> other_, sending_;
};

TEST_F(WindowTogether, BothShowTheStreamAndSayHowFarTheyAreApart) {
    send("hold");
    openBoth();
    ASSERT_TRUE(goesOn(x_)) << window_->errors();
    ASSERT_TRUE(goesOn(otherX_)) << other_->errors();
    // Long enough for both to have shown frames.
    for (int round = 0; round < 20; ++round) {
        ASSERT_TRUE(goesOn(x_));
        ASSERT_TRUE(goesOn(otherX_));
    }
    sending_->interrupt();
    EXPECT_EQ(sending_->exitCode(), 130);
    const QJsonObject sender = frameLock("sender.json");
    EXPECT_EQ(sender["mode"].toString(), "hold");
    EXPECT_GT(sender["frames"].toInt(), 5);
    EXPECT_GT(sender["skew_us"].toObject()["count"].toInt(), 5);
    EXPECT_GT(sender["delay_ms"].toDouble(), 0);
    ASSERT_EQ(sender["displays"].toArray().size(), 2);
    for (const auto& display : sender["displays"].toArray()) {
        EXPECT_EQ(display.toObject()["shown_by"].toString(), "the swap (not told by the display)");
        EXPECT_EQ(display.toObject()["clock"].toString(), "the same host's");
        EXPECT_GT(display.toObject()["frames_shown"].toInt(), 5);
    }
    EXPECT_NE(sending_->errors().find("shown together (hold)"), std::string::npos) << sending_->errors();
    window_->interrupt();
    EXPECT_EQ(window_->exitCode(), 130);
    EXPECT_EQ(frameLock("one.json")["own"].toObject()["clock"].toString(), "the same host's");
    EXPECT_NE(window_->errors().find("this display"), std::string::npos) << window_->errors();
}

TEST_F(WindowTogether, OneThatIsKilledDoesNotHoldTheOther) {
    send("hold");
    openBoth();
    ASSERT_TRUE(goesOn(x_)) << window_->errors();
    ASSERT_TRUE(goesOn(otherX_)) << other_->errors();
    other_->kill();
    for (int round = 0; round < 20; ++round) {  // more than may have been in flight
        ASSERT_TRUE(goesOn(x_)) << round;
    }
}

TEST_F(WindowTogether, AWindowThatStaysOutIsNotWaitedFor) {
    send("hold");
    openWindow({"--frame-lock", "off", "--stats-json", file("one.json")});
    other_ = std::make_unique<Verbcast>(QStringList{"view", url()}, folder(), otherX_.display());
    ASSERT_TRUE(goesOn(x_)) << window_->errors();
    ASSERT_TRUE(goesOn(otherX_)) << other_->errors();
    ASSERT_EQ(::kill(static_cast<pid_t>(window_->processId()), SIGSTOP), 0);
    for (int round = 0; round < 20; ++round) {
        ASSERT_TRUE(goesOn(otherX_)) << round;
    }
    ASSERT_EQ(::kill(static_cast<pid_t>(window_->processId()), SIGCONT), 0);
    ASSERT_TRUE(goesOn(x_));
    window_->interrupt();
    EXPECT_EQ(window_->exitCode(), 130);
    EXPECT_TRUE(frameLock("one.json").isEmpty());
    sending_->interrupt();
    EXPECT_EQ(sending_->exitCode(), 130);
    EXPECT_EQ(frameLock("sender.json")["displays"].toArray().size(), 1);
}

TEST_F(WindowTogether, OneThatIsSlowerThanItsStreamStillAnswers) {
    sending_ = std::make_unique<Verbcast>(QStringList{"send", "pattern", "--size", "1920x1080", "--fps",
                                                      "1000", "--sync", "go", "--listen", url()},
                                          folder());
    openWindow();
    ASSERT_TRUE(goesOn(x_)) << window_->errors();
    ASSERT_TRUE(goesOn(x_)) << window_->errors();
    window_->interrupt();
    EXPECT_EQ(window_->exitCode(), 130) << window_->errors();
}

}  // namespace
}  // namespace verbcast::testing
