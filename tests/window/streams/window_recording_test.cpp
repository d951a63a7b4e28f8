// Watching and recording at once: what is in the file, and what the window tells of it.
#include <sys/stat.h>

#include <QRegularExpression>

#include "tests/window/window_fixture.h"

namespace verbcast::testing {
namespace {

class RecordingTest : public WindowTest {
  protected:
    static constexpr QRgb kMark = qRgb(0xff, 0x4d, 0x4d);
    static constexpr QRect kStrip{0, 720, 1280, 80};

    Verbcast counterSender(const QStringList& more = {}) const {
        return Verbcast(QStringList{"send", "pattern:counter", "--size", "320x180", "--format", "rgba",
                                    "--policy", "lossless", "--listen", url()} +
                            more,
                        folder());
    }
    QString makePipe() const {
        const QString pipe = file("pipe");
        EXPECT_EQ(::mkfifo(pipe.toUtf8().constData(), 0600), 0);
        return pipe;
    }
    bool showsMark() {
        return eventually([&] { return pixels(kStrip, kMark) > 50; });
    }
    /// The MD5 of each picture in the file, by FFmpeg; empty when it finds a fault.
    QStringList sumsIn(const QString& name) const {
        QProcess ffmpeg;
        ffmpeg.start("ffmpeg", {"-nostdin", "-v", "error", "-i", file(name), "-pix_fmt", "rgba", "-f",
                                "framemd5", "-"});
        EXPECT_TRUE(ffmpeg.waitForFinished());
        EXPECT_EQ(ffmpeg.readAllStandardError().toStdString(), "");
        return sumsOf(ffmpeg.readAllStandardOutput());
    }
    static QStringList sumsOf(const QByteArray& lines) {
        QStringList sums;
        for (const QByteArray& line : lines.split('\n')) {
            if (!line.isEmpty() && !line.startsWith('#')) {
                sums << QString::fromUtf8(line.split(',').last().trimmed());
            }
        }
        return sums;
    }
    QStringList sentSums() const {
        QFile lines(file("sent.md5"));
        return lines.open(QIODevice::ReadOnly) ? sumsOf(lines.readAll()) : QStringList();
    }
    qsizetype framesTold() {
        static const QRegularExpression kTold("recorded (\\d+) frames? in ");
        return kTold.match(QString::fromStdString(window_->errors())).captured(1).toLongLong();
    }
};

TEST_F(RecordingTest, TheFileHoldsEveryFrameThatWasSent) {
    Verbcast sender = counterSender({"--frames", "90", "--fps", "60", "--frame-md5", file("sent.md5")});
    openWindow({"--once", "--output", "take.nut", "--stats-json", file("stats.json")});
    ASSERT_EQ(window_->exitCode(), 0) << window_->errors();
    EXPECT_EQ(sender.exitCode(), 0) << sender.errors();
    EXPECT_EQ(sentSums().size(), 90);
    EXPECT_EQ(sumsIn("take.nut"), sentSums());
    EXPECT_EQ(framesTold(), 90) << window_->errors();
    EXPECT_GT(readJson(file("stats.json"))["frames_shown"].toInt(), 0) << "recorded, but not shown";
}

TEST_F(RecordingTest, AsManyFramesAsWereAskedFor) {
    Verbcast sender = counterSender({"--fps", "60", "--frame-md5", file("sent.md5"), "--once"});
    openWindow({"--frames", "20", "--output", "take.nut"});
    ASSERT_EQ(window_->exitCode(), 0) << window_->errors();
    sender.exitCode();
    EXPECT_EQ(sumsIn("take.nut"), sentSums().mid(0, 20));
    EXPECT_EQ(window_->errors().find("missing"), std::string::npos) << window_->errors();
}

TEST_F(RecordingTest, AnInterruptAndAClosedWindowLeaveAWholeFile) {
    for (const bool byKey : {false, true}) {
        SCOPED_TRACE(byKey ? "closed by a key" : "interrupted");
        Verbcast sender = counterSender({"--fps", "60"});
        openWindow({"--output", "take.nut", "--force"});
        ASSERT_TRUE(showsMark()) << window_->errors();
        if (byKey) {
            x_.key("q");
        } else {
            window_->interrupt();
        }
        EXPECT_EQ(window_->exitCode(), byKey ? 0 : 130) << window_->errors();
        EXPECT_GT(framesTold(), 0) << window_->errors();
        EXPECT_EQ(sumsIn("take.nut").size(), framesTold());
    }
}

/// Ctrl+R: every frame from then on is in a file of the user's folder for videos, until it is pressed again,
/// and until the window is closed.
TEST_F(RecordingTest, IsStartedAndStoppedInTheWindow) {
    Verbcast sender = counterSender({"--fps", "60", "--name", "cam A/1", "--frame-md5", file("sent.md5")});
    openWindow();
    const auto takes = [this] { return QDir(file("Videos")).entryList(QDir::Files, QDir::Name); };
    const auto grown = [&](int files, qint64 bytes) {
        return eventually([&] {
            return takes().size() == files &&
                   QFileInfo(QDir(file("Videos")).filePath(takes().last())).size() > bytes;
        });
    };
    ASSERT_TRUE(eventually([&] { return pixels(kPictureArea, qRgb(255, 255, 255)) > 1000; }));
    x_.key("ctrl+r");
    ASSERT_TRUE(eventually([&] { return takes().size() == 1; })) << window_->errors();
    ASSERT_TRUE(showsMark()) << window_->errors();
    ASSERT_TRUE(grown(1, 10 * 320 * 180 * 4)) << window_->errors();
    x_.key("ctrl+r");
    ASSERT_TRUE(eventually([&] { return pixels(kStrip, kMark) == 0; })) << "it goes on";
    x_.key("ctrl+r");
    ASSERT_TRUE(grown(2, 10 * 320 * 180 * 4)) << window_->errors();
    x_.key("q");
    EXPECT_EQ(window_->exitCode(), 0) << window_->errors();
    EXPECT_NE(window_->errors().find("recorded"), std::string::npos) << window_->errors();
    sender.interrupt();
    EXPECT_EQ(sender.exitCode(), 130) << sender.errors();
    const QStringList sent = sentSums();
    for (const QString& take : takes()) {
        EXPECT_TRUE(take.startsWith("cam-A-1-20")) << take.toStdString();
        const QStringList got = sumsIn("Videos/" + take);
        ASSERT_GE(got.size(), 10);
        const qsizetype first = sent.indexOf(got.first());
        ASSERT_GE(first, 0);
        EXPECT_EQ(got, sent.mid(first, got.size())) << take.toStdString();
    }
}

TEST_F(RecordingTest, AFullDiskEndsTheRecordingAndNotTheWindow) {
    const Verbcast sender = counterSender({"--fps", "60"});
    openWindow({"--output", "/dev/full"});
    ASSERT_TRUE(showsMark()) << window_->errors();
    EXPECT_TRUE(window_->running());
    x_.key("q");
    EXPECT_EQ(window_->exitCode(), 5);
    EXPECT_NE(window_->errors().find("/dev/full"), std::string::npos) << window_->errors();
}

TEST_F(RecordingTest, TheReaderOfThePipeMayLeave) {
    const QString pipe = makePipe();
    QProcess reader;
    reader.start("head", {"-c", "500000", pipe});
    const Verbcast sender = counterSender({"--fps", "60"});
    openWindow({"--output", pipe});
    ASSERT_TRUE(showsMark()) << window_->errors();
    ASSERT_TRUE(reader.waitForFinished());
    const QRect note(200, 600, 880, 110);
    // What of the letters has their full colour: how much depends on the name of the pipe.
    EXPECT_TRUE(eventually([&] { return pixels(note, qRgb(0xe2, 0xe6, 0xec)) > 30; }))
        << "it does not say that recording has stopped";
    EXPECT_TRUE(window_->running());
    x_.key("q");
    EXPECT_EQ(window_->exitCode(), 5);
    EXPECT_NE(window_->errors().find("nobody reads"), std::string::npos) << window_->errors();
}

TEST_F(RecordingTest, AClosedWindowLeavesAWholeStreamInAPipe) {
    const QString pipe = makePipe();
    QProcess reader;  // slower than the sender, so that a frame is always being written
    reader.start("dd", {"if=" + pipe, "of=" + file("take.nut"), "bs=16", "status=none"});
    const Verbcast sender = counterSender({"--fps", "120"});
    openWindow({"--output", pipe});
    ASSERT_TRUE(showsMark()) << window_->errors();
    x_.key("q");
    EXPECT_EQ(window_->exitCode(), 0) << window_->errors();
    ASSERT_TRUE(reader.waitForFinished());
    EXPECT_GT(framesTold(), 0) << window_->errors();
    EXPECT_EQ(sumsIn("take.nut").size(), framesTold());
}

TEST_F(RecordingTest, APipeThatNobodyReadsLetsTheWindowOpenAndEnd) {
    const QString pipe = makePipe();
    const Verbcast sender = counterSender({"--fps", "60"});
    openWindow({"--output", pipe});
    ASSERT_TRUE(eventually([&] { return pixels(kStrip, qRgb(0x17, 0x1a, 0x1f)) > 1000; }));
    EXPECT_EQ(pixels(kStrip, kMark), 0) << "nothing is recorded yet";
    window_->interrupt();
    EXPECT_EQ(window_->exitCode(), 130) << window_->errors();
}

TEST_F(RecordingTest, AsManyFramesAsWereAskedForAreShownWhenWritingFails) {
    const Verbcast sender = counterSender({"--fps", "60"});
    openWindow({"--frames", "20", "--output", "/dev/full"});
    EXPECT_EQ(window_->exitCode(), 5) << window_->errors();
    EXPECT_NE(window_->errors().find("/dev/full"), std::string::npos) << window_->errors();
}

TEST_F(RecordingTest, WithoutOutputThereIsNoMark) {
    ASSERT_NO_FATAL_FAILURE(openWithPicture(testPicture(kPictureSize, 1)));
    EXPECT_EQ(pixels(kStrip, kMark), 0);
}

}  // namespace
}  // namespace verbcast::testing
