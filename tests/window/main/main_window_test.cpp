// The window that plain `verbcast` opens, driven by real keys and clicks.
#include <QUrl>
#include <algorithm>
#include <csignal>

#include "tests/window/drag_source.h"
#include "tests/window/main/main_window_fixture.h"

namespace verbcast::testing {
namespace {

/// Whether the signal was sent to the process, which has not taken it yet.
bool awaits(qint64 process, int signal) {
    QFile status(QString("/proc/%1/status").arg(process));
    if (!status.open(QIODevice::ReadOnly)) {
        return false;
    }
    const QByteArray text = status.readAll();
    const qsizetype at = text.indexOf("ShdPnd:") + 7;
    return (text.mid(at, text.indexOf('\n', at) - at).trimmed().toULongLong(nullptr, 16) >> (signal - 1)) & 1;
}

TEST_F(MainWindowTest, SendsByKeyboardAndStops) {
    ASSERT_NO_FATAL_FAILURE(open());
    x_.key("alt+p");
    x_.key("c");  // "Counter"
    type("alt+z", "320x180");
    type("alt+r", "50");
    type("alt+a", url());
    x_.key("alt+s");
    ASSERT_TRUE(eventually([&] { return runs("--stats-fd"); })) << window_->errors();
    EXPECT_TRUE(runs("pattern:counter"));
    Verbcast viewer({"view", "--headless", url(), "--frames", "20", "--stats-json", file("stats.json")},
                    folder());
    EXPECT_EQ(viewer.exitCode(), 0) << viewer.errors();
    EXPECT_EQ(readJson(file("stats.json"))["width"].toInt(), 320);
    EXPECT_EQ(readJson(file("stats.json"))["frames_shown"].toInt(), 20);

    x_.key("alt+t");
    EXPECT_TRUE(eventually([&] { return !runs("--stats-fd"); })) << "the sender goes on";
    EXPECT_TRUE(eventually([&] { return runs("pattern:counter"); })) << "the preview does not come back";
    close();
}

TEST_F(MainWindowTest, SaysWhetherSomebodyTakesWhatIsSent) {
    constexpr QRect kState(360, 50, 220, 34);
    constexpr QRgb kAccent = qRgb(0x5a, 0xc8, 0xb4);
    ASSERT_NO_FATAL_FAILURE(open());
    type("alt+a", url());
    x_.key("alt+s");
    ASSERT_TRUE(eventually([&] { return runs("--stats-fd"); })) << window_->errors();
    auto viewer = std::make_unique<Verbcast>(QStringList{"view", "--headless", url()}, folder());
    EXPECT_TRUE(eventually([&] { return pixels(kState, kAccent) > 30; })) << "Sending";
    viewer.reset();
    EXPECT_TRUE(eventually([&] { return pixels(kState, kAccent) == 0; })) << "Waiting for a viewer";
    EXPECT_TRUE(runs("--stats-fd"));
    window_->kill();
}

TEST_F(MainWindowTest, CopiesTheCommandLineThatRuns) {
    ASSERT_NO_FATAL_FAILURE(open());
    x_.key("alt+p");
    x_.key("z");
    type("alt+z", "640x360");
    type("alt+a", url());
    x_.key("ctrl+Return");
    ASSERT_TRUE(eventually([&] { return runs("--stats-fd"); })) << window_->errors();
    const QStringList words = running("--stats-fd").words;
    QString line;
    ASSERT_TRUE(eventually([&] { return !(line = copied()).isEmpty(); }));
    EXPECT_EQ(line, "verbcast send pattern:zone --size 640x360 --listen " + url());
    EXPECT_EQ(words.mid(1, 6), line.split(' ').mid(1));
    EXPECT_EQ(words.size(), 11) << words.join(' ').toStdString() << ": more than options to watch it";
    EXPECT_EQ(words[7], "--stats-fd");
    EXPECT_EQ(words[9], "--preview");

    // Closing asks first because it would end sending: cancel, then confirm.
    x_.key("ctrl+q");
    ASSERT_NO_FATAL_FAILURE(turnTo("Verbcast - Close"));
    x_.key("Escape");
    ASSERT_NO_FATAL_FAILURE(returnFrom("Verbcast - Close"));
    EXPECT_TRUE(runs("--stats-fd"));
    x_.key("ctrl+q");
    ASSERT_NO_FATAL_FAILURE(turnTo("Verbcast - Close"));
    x_.key("alt+c");
    EXPECT_EQ(window_->exitCode(), 0) << window_->errors();
}

TEST_F(MainWindowTest, ShowsThePreviewOfWhatWouldBeSent) {
    ASSERT_NO_FATAL_FAILURE(open());
    // 75 % yellow of the bars: 191, 191, 0.
    const auto yellow = [&] {
        const QImage screen = x_.screenshot();
        int count = 0;
        for (int x = 0; x < screen.width(); x += 2) {
            count += similar(screen.pixelColor(x, 250), QColor(191, 191, 0), 8) ? 1 : 0;
        }
        return count;
    };
    EXPECT_TRUE(eventually([&] { return yellow() > 20; }));
    x_.key("alt+v");
    EXPECT_TRUE(eventually([&] { return childrenOf(window_->processId()).isEmpty(); }))
        << "switched off, the source is still open";
    close();
}

TEST_F(MainWindowTest, TellsWhatIsWrongAndWhatTheProgramSays) {
    ASSERT_NO_FATAL_FAILURE(open());
    EXPECT_FALSE(tellsAProblem());
    type("alt+z", "12");
    EXPECT_TRUE(eventually([&] { return tellsAProblem(); }));
    x_.key("ctrl+Return");  // at once: the button takes a moment to be pressed
    type("alt+z", "320x180");
    EXPECT_TRUE(eventually([&] { return !tellsAProblem(); }));
    EXPECT_FALSE(runs("--stats-fd")) << "started with settings that make no sense";
    // Only the program finds out that the file does not exist.
    x_.key("alt+v");
    x_.key("alt+o");
    x_.key("f");
    // No problem yet. The page has followed the choice once the old command line is gone.
    EXPECT_TRUE(eventually([&] { return copied() != "verbcast send pattern:bars --size 320x180"; }));
    EXPECT_FALSE(tellsAProblem()) << "no file was chosen yet, which is no mistake";
    type("alt+p", "/nonexistent.mp4");
    EXPECT_TRUE(eventually([&] { return copied().contains("/nonexistent.mp4"); }));
    x_.key("alt+s");
    EXPECT_TRUE(eventually([&] { return tellsAProblem(); }));
    EXPECT_TRUE(window_->running());
    close();
}

TEST_F(MainWindowTest, PausesStepsAndSeeksAFileThatIsSent) {
    // Twelve single-colour pictures at one per second.
    const auto colour = [](int picture) { return QColor(20 * picture, 250 - 20 * picture, 60); };
    QFile raw(file("pictures.raw"));
    ASSERT_TRUE(raw.open(QIODevice::WriteOnly));
    for (int i = 0; i < 12; ++i) {
        QImage picture(320, 180, QImage::Format_RGBA8888);
        picture.fill(colour(i));
        raw.write(reinterpret_cast<const char*>(picture.constBits()), picture.sizeInBytes());
    }
    raw.close();
    QProcess ffmpeg;
    ffmpeg.start("ffmpeg", {"-nostdin", "-v", "error", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", "320x180",
                            "-r", "1", "-i", raw.fileName(), "-c:v", "rawvideo", file("clip.nut")});
    ASSERT_TRUE(ffmpeg.waitForFinished() && ffmpeg.exitCode() == 0)
        << ffmpeg.readAllStandardError().toStdString();

    ASSERT_NO_FATAL_FAILURE(open());
    x_.key("alt+o");
    x_.key("f");
    type("alt+p", file("clip.nut"));
    x_.key("alt+g");  // loop
    type("alt+a", url());
    x_.key("ctrl+Return");
    ASSERT_TRUE(eventually([&] { return runs("--control"); })) << window_->errors();
    const Verbcast viewer({"view", "--headless", url()}, folder());
    const auto shows = [&](int picture) {
        const QImage screen = x_.screenshot();
        int count = 0;
        for (int x = 0; x < screen.width(); x += 4) {
            count += similar(screen.pixelColor(x, 300), colour(picture), 8) ? 1 : 0;
        }
        return count > 40;
    };
    const auto comesTo = [&](int picture) { return eventually([&] { return shows(picture); }); };
    ASSERT_TRUE(comesTo(2)) << "not played: " << window_->errors();
    x_.key("ctrl+shift+Left");  // also pauses
    EXPECT_TRUE(eventually([&] {
        x_.key("ctrl+Left");
        return shows(0);
    })) << "no seek to the beginning";
    x_.key("ctrl+shift+Right");
    EXPECT_TRUE(comesTo(1)) << "no step on";
    x_.key("ctrl+shift+Right");
    EXPECT_TRUE(comesTo(2)) << "no step on";
    x_.key("ctrl+shift+Left");
    EXPECT_TRUE(comesTo(1)) << "no step back";
    x_.key("ctrl+Right");
    EXPECT_TRUE(comesTo(6)) << "no seek by five seconds";
    x_.key("ctrl+space");
    EXPECT_TRUE(comesTo(8)) << "it does not go on";
    x_.key("ctrl+Return");
    EXPECT_TRUE(eventually([&] { return !runs("--control"); }));
    close();
}

TEST_F(MainWindowTest, WhatIsDroppedIsSentOrViewed) {
    ASSERT_NO_FATAL_FAILURE(open());
    const QString film = file("a film.png");
    ASSERT_TRUE(QImage(64, 64, QImage::Format_RGB32).save(film));
    ASSERT_TRUE(dragAndDrop(x_.display(), {640, 600}, "text/uri-list",
                            QUrl::fromLocalFile(film).toEncoded() + "\r\n"));
    EXPECT_TRUE(eventually([&] { return runs(film); })) << "it is not previewed: " << window_->errors();
    ASSERT_TRUE(dragAndDrop(x_.display(), {640, 600}, "text/plain", url().toUtf8()));
    x_.key("alt+o");  // opens the stream of the page to view
    EXPECT_TRUE(eventually([&] { return runs(url()) && runs("view"); })) << window_->errors();
    window_->kill();
}

TEST_F(MainWindowTest, SavesASessionAndBeginsWithIt) {
    ASSERT_NO_FATAL_FAILURE(open());
    type("alt+z", "640x360");
    type("alt+r", "25");
    type("alt+a", url());
    x_.key("ctrl+shift+s");
    ASSERT_NO_FATAL_FAILURE(turnTo("Verbcast - Save the session"));
    x_.input({"type", "--delay", "5", file("wall")});
    x_.key("Return");
    ASSERT_TRUE(eventually([&] { return QFileInfo::exists(file("wall.verbcast")); }))
        << "the suffix is missing";
    const QJsonObject send = readJson(file("wall.verbcast"))["send"].toObject();
    EXPECT_EQ(send["size"].toString(), "640x360");
    EXPECT_EQ(send["source"].toString(), "pattern");
    ASSERT_NO_FATAL_FAILURE(returnFrom("Verbcast - Save the session"));
    type("alt+z", "320x180");
    close();

    ASSERT_NO_FATAL_FAILURE(open({"--session", file("wall.verbcast")}));
    EXPECT_TRUE(eventually(
        [&] { return copied() == "verbcast send pattern:bars --size 640x360 --fps 25 --listen " + url(); }));
    close();
    // Started without a file: restores the previous settings.
    ASSERT_NO_FATAL_FAILURE(open());
    EXPECT_TRUE(eventually(
        [&] { return copied() == "verbcast send pattern:bars --size 640x360 --fps 25 --listen " + url(); }));
    // Opens the file from within the window.
    type("alt+z", "320x180");
    x_.key("ctrl+o");
    ASSERT_NO_FATAL_FAILURE(turnTo("Verbcast - Open a session"));
    x_.input({"type", "--delay", "5", file("wall.verbcast")});
    x_.key("Return");
    ASSERT_NO_FATAL_FAILURE(returnFrom("Verbcast - Open a session"));
    EXPECT_TRUE(eventually([&] { return copied().contains("640x360"); }));
    close();
}

TEST_F(MainWindowTest, SettingsThatCannotBeUsedAreToldOf) {
    ASSERT_TRUE(QDir(folder()).mkpath(".config/verbcast"));
    QFile kept(file(".config/verbcast/verbcast.conf"));
    ASSERT_TRUE(kept.open(QIODevice::WriteOnly));
    kept.write("[window]\nsession=from another version\n");
    kept.close();
    window_ = std::make_unique<Verbcast>(QStringList(), folder(), x_.display());
    ASSERT_NO_FATAL_FAILURE(turnTo("Verbcast - Session"));
    x_.key("Return");
    ASSERT_NO_FATAL_FAILURE(returnFrom("Verbcast - Session"));
    close();
}

TEST_F(MainWindowTest, ViewsAnAddressAndRemembersIt) {
    const QImage picture = testPicture(kPictureSize, 4);
    sender_ = std::make_unique<PictureSender>(picture.size(), url(), folder());
    sender_->show(picture);
    ASSERT_NO_FATAL_FAILURE(open());
    x_.key("ctrl+2");
    type("alt+a", url());
    EXPECT_TRUE(eventually([&] { return copied() == "verbcast view " + url(); }));
    x_.key("Return");
    ASSERT_TRUE(eventually([&] { return runs("view"); })) << window_->errors();
    EXPECT_TRUE(runsWith({"view", url()}));
    ASSERT_TRUE(eventually([&] { return similar(fittedCorner(picture), picture.pixelColor(0, 0)); }));
    const QString viewer = "Verbcast - .*200x150";
    ASSERT_NO_FATAL_FAILURE(turnTo(viewer));
    x_.key("q");
    EXPECT_TRUE(eventually([&] { return !runs("view"); }));
    ASSERT_NO_FATAL_FAILURE(returnFrom(viewer));
    close();

    ASSERT_NO_FATAL_FAILURE(open());
    x_.key("ctrl+2");
    x_.key("alt+r");
    x_.input({"key", "Return", "Return"});
    const auto viewers = [&] {
        QList<Child> all = childrenOf(window_->processId());
        all.removeIf([&](const Child& child) { return child.words.mid(1) != QStringList{"view", url()}; });
        return all;
    };
    ASSERT_TRUE(eventually([&] { return viewers().size() == 2; })) << "the address was forgotten";

    // At the end all are told before one is waited for, which here would be in vain.
    const QList<Child> both = viewers();
    const auto signalBoth = [&](int signal) {
        for (const Child& each : both) {
            ::kill(static_cast<pid_t>(each.id), signal);
        }
    };
    signalBoth(SIGSTOP);
    window_->interrupt();
    EXPECT_TRUE(eventually([&] {
        return std::ranges::all_of(both, [](const Child& each) { return awaits(each.id, SIGTERM); });
    }));
    signalBoth(SIGCONT);
    EXPECT_EQ(window_->exitCode(), 130) << window_->errors();
}

TEST_F(MainWindowTest, RemembersThatAStreamWasWaitedFor) {
    ASSERT_NO_FATAL_FAILURE(open());
    x_.key("ctrl+2");
    x_.key("alt+w");
    ASSERT_TRUE(eventually([&] { return copied() == "verbcast view --listen"; }));
    type("alt+a", url());
    x_.key("Return");
    ASSERT_TRUE(eventually([&] { return runs("view"); })) << window_->errors();
    window_->interrupt();  // also ends the stream, without asking
    EXPECT_EQ(window_->exitCode(), 130);

    QFile session(file("none.verbcast"));
    ASSERT_TRUE(session.open(QIODevice::WriteOnly));
    session.write(R"({"verbcast_session": 1})");
    session.close();
    ASSERT_NO_FATAL_FAILURE(open({session.fileName()}));
    x_.key("ctrl+2");
    ASSERT_TRUE(eventually([&] { return copied() == "verbcast view"; })) << "the session's own";
    x_.key("alt+r");
    x_.key("Return");
    ASSERT_TRUE(eventually([&] { return runs("view"); })) << "the address was forgotten";
    EXPECT_TRUE(runsWith({"view", "--listen", url()}));
    window_->kill();
}

TEST_F(MainWindowTest, AViewersFailureIsToldInTheWindow) {
    ASSERT_NO_FATAL_FAILURE(open());
    x_.key("ctrl+2");
    type("alt+a", "tcp://no-such-host.invalid");
    // Half of an address is a problem, too.
    EXPECT_TRUE(eventually([&] { return copied() == "verbcast view tcp://no-such-host.invalid"; }));
    EXPECT_TRUE(eventually([&] { return !tellsAProblem(); }));
    x_.key("Return");
    EXPECT_TRUE(eventually([&] { return tellsAProblem(); }));
    close();
}

TEST_F(MainWindowTest, TakesItsProgramsWithIt) {
    ASSERT_NO_FATAL_FAILURE(open());
    type("alt+a", url());
    x_.key("alt+s");
    ASSERT_TRUE(eventually([&] { return runs("--stats-fd"); }));
    const qint64 sender = running("--stats-fd").id;
    window_->kill();
    EXPECT_TRUE(eventually([&] { return !isAlive(sender); })) << "nobody watches it any more";
}

/// What a session names outside this machine's files waits for a click that names it.
TEST_F(MainWindowTest, RunsAndOpensWhatASessionNamesOnlyWithConsent) {
    const auto openSession = [&](const QString& settings) {
        QFile session(file("foreign.verbcast"));
        ASSERT_TRUE(session.open(QIODevice::WriteOnly));
        session.write(QString(R"({"verbcast_session": 1, "send": {%1, "listen_address": "%2"}})")
                          .arg(settings, url())
                          .toUtf8());
        session.close();
        window_ = std::make_unique<Verbcast>(QStringList{session.fileName()}, folder(), x_.display());
        x_.movePointer(640, 600);
        ASSERT_NO_FATAL_FAILURE(turnTo("Verbcast"));
        ASSERT_TRUE(eventually([&] { return copied().contains("--listen " + url()); }));
        x_.key("ctrl+Return");
        ASSERT_NO_FATAL_FAILURE(turnTo("Verbcast - Send"));
        EXPECT_TRUE(childrenOf(window_->processId()).isEmpty()) << "opened for a preview, or sent unasked";
        x_.key("Return");  // what the dialog proposes is no
        ASSERT_NO_FATAL_FAILURE(returnFrom("Verbcast - Send"));
        EXPECT_TRUE(childrenOf(window_->processId()).isEmpty());
    };
    ASSERT_NO_FATAL_FAILURE(openSession(R"("source": "file", "file": "http://127.0.0.1:9/clip.mp4")"));
    close();
    ASSERT_NO_FATAL_FAILURE(openSession(R"("source": "program", "program": "sleep 60")"));
    x_.key("ctrl+Return");
    ASSERT_NO_FATAL_FAILURE(turnTo("Verbcast - Send"));
    x_.key("alt+r");
    EXPECT_TRUE(eventually([&] { return runs("--stats-fd"); })) << window_->errors();
    window_->kill();
}

TEST_F(MainWindowTest, WithoutADisplaySaysSo) {
    Verbcast program({}, folder());
    EXPECT_EQ(program.exitCode(), 8);
    EXPECT_NE(program.errors().find("no display"), std::string::npos) << program.errors();
    EXPECT_NE(program.errors().find("verbcast --help"), std::string::npos) << program.errors();
}

TEST_F(MainWindowTest, ABadSessionFileIsRefusedWithItsPlace) {
    QFile session(file("bad.verbcast"));
    ASSERT_TRUE(session.open(QIODevice::WriteOnly));
    session.write("{\"verbcast_session\": 1,\n\"send\": {\"size\": 7}}");
    session.close();
    Verbcast program({session.fileName()}, folder(), x_.display());
    EXPECT_EQ(program.exitCode(), 3);
    EXPECT_NE(program.errors().find("send.size"), std::string::npos) << program.errors();
}

}  // namespace
}  // namespace verbcast::testing
