// How the window starts and ends, and what it does when senders come and go.
#include <QCryptographicHash>
#include <QJsonValue>

#include "tests/support/reserved_address.h"
#include "tests/window/window_fixture.h"

namespace verbcast::testing {
namespace {

TEST_F(WindowTest, EndsAfterTheAskedNumberOfFrames) {
    const Verbcast sender({"send", "pattern:counter", "--size", "320x180", "--fps", "30", "--listen", url()},
                          folder());
    openWindow({"--frames", "5", "--stats-json", file("stats.json"), "--snapshot", file("last.png")});
    ASSERT_EQ(window_->exitCode(), 0) << window_->errors();
    const QJsonObject stats = readJson(file("stats.json"));
    for (const char* key :
         {"transport", "width", "height", "pixel_format", "frames_received", "frames_shown", "frames_dropped",
          "frames_corrupt", "bytes", "seconds", "fps", "gigabytes_per_second", "latency_us", "upload", "numa",
          "cpu_seconds", "exit_reason"}) {
        EXPECT_TRUE(stats.contains(key)) << key;
    }
    EXPECT_EQ(stats["frames_shown"].toInt(), 5);
    const QJsonObject upload = stats["upload"].toObject();
    EXPECT_EQ(upload["frames_in_place"].toInt(), 0);
    EXPECT_GE(upload["frames_uploaded"].toInt(), 5);
    EXPECT_FALSE(upload["reason"].toString().isEmpty());
    EXPECT_EQ(stats["exit_reason"].toString(), "frames");
    EXPECT_EQ(stats["transport"].toString(), "shm");
    EXPECT_EQ(stats["width"].toInt(), 320);
    EXPECT_GT(stats["latency_us"].toObject()["p50"].toDouble(), 0);
    EXPECT_EQ(QImage(file("last.png")).size(), QSize(320, 180));
    EXPECT_NE(window_->errors().find("shown 5 of "), std::string::npos) << window_->errors();
}

TEST_F(WindowTest, SnapshotIsTheFirstFrame) {
    const QImage picture = testPicture(kPictureSize, 5);
    PictureSender sender(kPictureSize, url(), folder());
    sender.show(picture);
    openWindow({"--frames", "1", "--snapshot", file("first.png"), "-q"});
    ASSERT_EQ(window_->exitCode(), 0) << window_->errors();
    EXPECT_EQ(QImage(file("first.png")).convertToFormat(QImage::Format_RGB32), picture);
    EXPECT_EQ(window_->errors(), "");
}

TEST_F(WindowTest, AMissingSnapshotDoesNotHideWhyItEnded) {
    openWindow({"--wait", "0.1", "--snapshot", file("none.png"), "--stats-json", file("stats.json")});
    EXPECT_EQ(window_->exitCode(), 4) << window_->errors();
    EXPECT_NE(window_->errors().find("none.png"), std::string::npos) << window_->errors();
    EXPECT_EQ(readJson(file("stats.json"))["exit_reason"].toString(), "no sender came");
}

TEST_F(WindowTest, ShowsTheLastFrameOfAStreamThatEnds) {
    const QImage last = testPicture(kPictureSize, 6);
    PictureSender sender(kPictureSize, url(), folder());
    openWindow({"--once", "--stats-json", file("stats.json"), "--snapshot", file("last.png")});
    sender.show(testPicture(kPictureSize, 4));
    sender.show(last);
    sender.finish();
    ASSERT_EQ(window_->exitCode(), 0) << window_->errors();
    EXPECT_EQ(readJson(file("stats.json"))["exit_reason"].toString(), "end of stream");
    EXPECT_EQ(QImage(file("last.png")).convertToFormat(QImage::Format_RGB32), last);
}

TEST_F(WindowTest, HashesEveryFrame) {
    PictureSender sender(kPictureSize, url(), folder());
    openWindow({"--once", "--frame-md5", file("frames.md5")});
    for (int seed = 0; seed < 20; ++seed) {
        sender.show(testPicture(kPictureSize, seed));
    }
    sender.finish();
    ASSERT_EQ(window_->exitCode(), 0) << window_->errors();
    QFile lines(file("frames.md5"));
    ASSERT_TRUE(lines.open(QIODevice::ReadOnly));
    int frames = 0;
    for (const QByteArray& line : lines.readAll().split('\n')) {
        if (line.isEmpty() || line.startsWith('#')) {
            continue;
        }
        const QImage sent = testPicture(kPictureSize, frames).convertToFormat(QImage::Format_RGBA8888);
        const QByteArray bytes(reinterpret_cast<const char*>(sent.constBits()), sent.sizeInBytes());
        EXPECT_EQ(line.split(',').last().trimmed(),
                  QCryptographicHash::hash(bytes, QCryptographicHash::Md5).toHex());
        ++frames;
    }
    EXPECT_EQ(frames, 20);
}

TEST_F(WindowTest, SignalLostDimsThePictureUntilASenderIsBack) {
    const QImage picture = testPicture({1280, 720}, 1);
    sender_ = std::make_unique<PictureSender>(picture.size(), url(), folder());
    openWindow();
    sender_->show(picture);
    const auto corner = [&] { return x_.screenshot().copy(0, 0, 100, 100); };
    ASSERT_TRUE(eventually([&] { return corner() == picture.copy(0, 0, 100, 100); })) << window_->errors();
    sender_->kill();
    EXPECT_TRUE(eventually([&] {
        const QColor bright = picture.pixelColor(35, 20);
        const QColor dimmed(bright.red() * 105 / 255, bright.green() * 105 / 255, bright.blue() * 105 / 255);
        return similar(corner().pixelColor(35, 20), dimmed);
    }));
    EXPECT_TRUE(window_->running());

    const QImage other = testPicture({1280, 720}, 2);
    sender_ = std::make_unique<PictureSender>(other.size(), url(), folder());
    sender_->show(other);
    EXPECT_TRUE(eventually([&] { return corner() == other.copy(0, 0, 100, 100); })) << window_->errors();
}

TEST_F(WindowTest, ALossEndsTheWindowIfToldSo) {
    ASSERT_NO_FATAL_FAILURE(
        openWithPicture(testPicture(kPictureSize, 1), {"--once", "--stats-json", file("stats.json")}));
    sender_->kill();
    EXPECT_EQ(window_->exitCode(), 4) << window_->errors();
    EXPECT_EQ(readJson(file("stats.json"))["exit_reason"].toString(), "lost");
}

TEST_F(WindowTest, AnInterruptWritesTheStatistics) {
    ASSERT_NO_FATAL_FAILURE(
        openWithPicture(testPicture(kPictureSize, 1), {"--stats-json", file("stats.json")}));
    window_->interrupt();
    EXPECT_EQ(window_->exitCode(), 130) << window_->errors();
    const QJsonObject stats = readJson(file("stats.json"));
    EXPECT_EQ(stats["exit_reason"].toString(), "interrupted");
    EXPECT_EQ(stats["frames_shown"].toInt(), 1);
}

TEST_F(WindowTest, AnInterruptEndsAWindowThatWaits) {
    openWindow({"--stats-json", file("stats.json")});
    ASSERT_TRUE(eventually([&] { return x_.screenshot().pixelColor(20, 740) != QColor(Qt::black); }));
    window_->interrupt();
    EXPECT_EQ(window_->exitCode(), 130) << window_->errors();
    EXPECT_NE(window_->errors().find("no frame arrived"), std::string::npos);
}

TEST_F(WindowTest, ConnectDialogConnects) {
    const QImage picture = testPicture(kPictureSize, 1);
    PictureSender sender(kPictureSize, url() + "-other", folder());
    sender.show(picture);
    openWindow();
    ASSERT_TRUE(eventually([&] { return x_.screenshot().pixelColor(20, 740) != QColor(Qt::black); }));
    const QImage before = x_.screenshot();
    x_.key("o");
    ASSERT_TRUE(eventually([&] {
        const QImage now = x_.screenshot();
        return now.copy(500, 200, 280, 100) != before.copy(500, 200, 280, 100);
    })) << "no dialog";
    x_.key("ctrl+a");
    x_.input({"type", "--delay", "20", url() + "-other"});
    x_.key("Return");
    ASSERT_TRUE(eventually([&] { return similar(fittedCorner(picture), picture.pixelColor(0, 0)); }))
        << window_->errors();
    x_.key("1");
    EXPECT_TRUE(eventually([&] { return shownAtOneToOne(x_.screenshot()) == picture; }));
    QFile settings(file(".config/verbcast/verbcast.conf"));
    EXPECT_TRUE(settings.open(QIODevice::ReadOnly) && settings.readAll().contains("-other"))
        << "the address is not remembered";
    // What was shown is still told of after another address has brought nothing.
    const Verbcast viewer({"view", "--headless", "--listen", url() + "-third"}, folder());
    const QImage shown = x_.screenshot();
    x_.key("o");
    ASSERT_TRUE(eventually([&] {
        return x_.screenshot().copy(500, 200, 280, 100) != shown.copy(500, 200, 280, 100);
    })) << "no dialog";
    x_.key("ctrl+a");
    x_.input({"type", "--delay", "20", url() + "-third"});
    x_.key("Return");
    EXPECT_TRUE(eventually([&] { return window_->errors().find("both sides are a") != std::string::npos; }));
    window_->interrupt();
    EXPECT_EQ(window_->exitCode(), 130);
    EXPECT_NE(window_->errors().find("-other: shown 1 of 1 frame"), std::string::npos) << window_->errors();
    EXPECT_EQ(window_->errors().find("no frame arrived"), std::string::npos) << window_->errors();
}

TEST_F(WindowTest, OpensOnTheMonitorThatWasAskedFor) {
    x_.splitMonitor("left", "right");
    const QImage picture = testPicture({XServer::kWidth / 2, XServer::kHeight}, 3);
    sender_ = std::make_unique<PictureSender>(picture.size(), url(), folder());
    const QRect left(0, 0, picture.width(), picture.height());
    QImage black(picture.size(), QImage::Format_RGB32);
    black.fill(Qt::black);

    openWindow({"--screen", "right", "--fullscreen"});
    sender_->show(picture);
    EXPECT_TRUE(eventually([&] {
        const QImage screen = x_.screenshot();
        return screen.copy(left) == black && screen.copy(left.translated(left.width(), 0)) == picture;
    })) << window_->errors();
    x_.key("q");
    EXPECT_EQ(window_->exitCode(), 0);

    openWindow({"--screen", "1"});
    EXPECT_TRUE(eventually([&] {
        const QImage screen = x_.screenshot();
        return screen.copy(left) == black && screen.copy(left.translated(left.width(), 0)) != black;
    })) << "not in a window on the right: "
        << window_->errors();
    x_.movePointer(XServer::kWidth * 3 / 4, 500);  // keys go to the window under the pointer
    x_.key("q");
    EXPECT_EQ(window_->exitCode(), 0);

    openWindow({"--screen", "nowhere"});
    EXPECT_EQ(window_->exitCode(), 2);
    EXPECT_NE(window_->errors().find("right"), std::string::npos) << window_->errors();
}

TEST_F(WindowTest, QuitsByKey) {
    ASSERT_NO_FATAL_FAILURE(openWithPicture(testPicture(kPictureSize, 1)));
    x_.key("ctrl+q");
    EXPECT_EQ(window_->exitCode(), 0) << window_->errors();
}

TEST_F(WindowTest, WhatItCannotConnectToIsSaidOnStandardErrorToo) {
    const Verbcast other({"view", "--headless", "--listen", url()}, folder());
    openWindow();
    EXPECT_TRUE(eventually([&] { return window_->errors().find("both sides are a") != std::string::npos; }))
        << window_->errors();
    EXPECT_TRUE(window_->running());
}

TEST_F(WindowTest, ASenderIsWaitedForAsLongAsAsked) {
    openWindow({"--wait", "0.5", "--stats-json", file("stats.json")});
    EXPECT_EQ(window_->exitCode(), 4) << window_->errors();
    EXPECT_NE(window_->errors().find("no sender connected within 0.5 s"), std::string::npos)
        << window_->errors();
    EXPECT_EQ(readJson(file("stats.json"))["exit_reason"].toString(), "no sender came");
}

TEST_F(WindowTest, AnAddressThatIsNotOursEndsTheProgram) {
    // 192.0.2.0/24 is reserved for documentation (RFC 5737): no machine has such an address.
    window_ = std::make_unique<Verbcast>(QStringList{"view", "--listen", "tcp://192.0.2.1:7423"}, folder(),
                                         x_.display());
    EXPECT_EQ(window_->exitCode(), 4) << window_->errors();
    EXPECT_NE(window_->errors().find("192.0.2.1"), std::string::npos) << window_->errors();
}

TEST(WithoutDisplay, TheErrorNamesTheWayOut) {
    const QTemporaryDir folder;
    Verbcast window({"view", "shm://nobody"}, folder.path());
    EXPECT_EQ(window.exitCode(), 8);
    EXPECT_NE(window.errors().find("--headless"), std::string::npos) << window.errors();
}

TEST(WithoutDisplay, ADisplayThatDoesNotAnswerIsAnErrorToo) {
    const QTemporaryDir folder;
    const ReservedAddress nobody("tcp");
    const int display = parseUrl(nobody.url()).port - 6000;  // X adds 6000 to the display number
    Verbcast window({"view", "shm://nobody"}, folder.path(), QString("127.0.0.1:%1").arg(display));
    EXPECT_EQ(window.exitCode(), 8);
    EXPECT_NE(window.errors().find("--headless"), std::string::npos) << window.errors();
}

}  // namespace
}  // namespace verbcast::testing
