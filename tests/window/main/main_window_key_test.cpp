// Keys and padlocks in the windows, with the real programs.
#include <sys/stat.h>

#include "tests/window/main/main_window_fixture.h"

namespace verbcast::testing {
namespace {

constexpr const char* kSecret = "a secret of more than thirty-two bytes";

class KeyWindowTest : public MainWindowTest {
  protected:
    static constexpr QRgb kAccent = qRgb(0x5a, 0xc8, 0xb4);
    static constexpr QRgb kMuted = qRgb(0x93, 0x9d, 0xac);
    /// The start of the status strip's upper row; its lower row is text.
    static constexpr QRect kStripStart{0, 722, 32, 28};

    void TearDown() override {
        qunsetenv("VERBCAST_KEY");
        MainWindowTest::TearDown();
    }

    /// Waits until the page's command line is this one: a button pressed by its mnemonic takes a moment.
    bool copies(const QString& line) {
        return eventually([&] { return copied() == line; });
    }

    QString keyFile() {
        QFile key(file("wall.key"));
        EXPECT_TRUE(key.open(QIODevice::WriteOnly));
        key.write(kSecret);
        key.close();
        ::chmod(key.fileName().toUtf8().constData(), 0600);
        return key.fileName();
    }

    int view(const QStringList& more) {
        Verbcast viewer(QStringList{"view", "--headless", url(), "--frames", "3"} + more, folder());
        return viewer.exitCode();
    }
};

TEST_F(KeyWindowTest, SendsWithAKeyThatWasMadeInTheWindow) {
    const QString key = file(".config/verbcast/key");
    ASSERT_NO_FATAL_FAILURE(open());
    type("alt+a", url());
    x_.key("ctrl+3");
    x_.key("alt+n");
    ASSERT_TRUE(eventually([&] { return QFileInfo::exists(key); }));
    EXPECT_TRUE(copies("scp -p ~/.config/verbcast/key HOST:.config/verbcast/key"));
    x_.key("alt+u");
    x_.key("ctrl+1");
    EXPECT_TRUE(
        copies("verbcast send pattern:bars --listen " + url() + " --key-file ~/.config/verbcast/key"));
    x_.key("ctrl+Return");
    ASSERT_TRUE(eventually([&] { return runs("--stats-fd"); })) << window_->errors();
    QFile content(key);
    ASSERT_TRUE(content.open(QIODevice::ReadOnly));
    EXPECT_FALSE(running("--stats-fd").words.join(' ').contains(content.readAll().trimmed()));
    EXPECT_EQ(view({"--key-file", key}), 0);
    EXPECT_FALSE(tellsAProblem());
    EXPECT_EQ(view({"--once"}), 6) << "let in without the key";
    EXPECT_TRUE(eventually([&] { return tellsAProblem(); })) << "nobody is told who was refused";
    x_.key("alt+t");
    // The preview returns once the window notices that the sender has ended: then it closes without asking.
    EXPECT_TRUE(eventually([&] { return runs("latest"); }));
    close();
    // Only the path is saved.
    QFile kept(file(".config/verbcast/verbcast.conf"));
    ASSERT_TRUE(kept.open(QIODevice::ReadOnly));
    const QByteArray settings = kept.readAll();
    EXPECT_TRUE(settings.contains(key.toUtf8())) << settings.toStdString();
    content.seek(0);
    EXPECT_FALSE(settings.contains(content.readAll().trimmed()));
}

TEST_F(KeyWindowTest, AdmittingAnybodyIsShownWhileItLasts) {
    ASSERT_NO_FATAL_FAILURE(open());
    type("alt+a", url());
    EXPECT_TRUE(eventually([&] { return !tellsAProblem(); })) << "a warning with nothing to warn of";
    x_.key("alt+d");
    EXPECT_TRUE(eventually([&] { return tellsAProblem(); })) << "no warning beside the box";
    EXPECT_TRUE(copies("verbcast send pattern:bars --listen " + url() + " --open"));
    // Right of the form, above the preview.
    const QRect state(430, 40, 500, 60);
    EXPECT_EQ(pixels(state, kWarning), 0);
    x_.key("ctrl+Return");
    ASSERT_TRUE(eventually([&] { return runs("--open"); })) << window_->errors();
    EXPECT_TRUE(eventually([&] { return pixels(state, kWarning) > 50; }));
    EXPECT_EQ(view({}), 0);
    x_.key("alt+t");
    EXPECT_TRUE(eventually([&] { return pixels(state, kWarning) == 0; }));
    close();
}

TEST_F(KeyWindowTest, ABadKeyFileIsToldAtItsFieldAndNothingStarts) {
    const QString key = keyFile();
    QFile session(file("wall.verbcast"));
    ASSERT_TRUE(session.open(QIODevice::WriteOnly));
    session.write("{\"verbcast_session\": 1, \"send\": {\"key_file\": \"" + key.toUtf8() + "\"}}");
    session.close();
    ::chmod(key.toUtf8().constData(), 0644);
    ASSERT_NO_FATAL_FAILURE(open({session.fileName()}));
    const QRect form(0, 40, 400, 900);
    EXPECT_TRUE(eventually([&] { return pixels(form, kWarning) > 100; }));
    EXPECT_EQ(alarmingPixels(), pixels(form, kWarning)) << "told twice";
    x_.key("ctrl+Return");
    // Key events are handled in order: once the next one has taken effect, so has this one.
    EXPECT_TRUE(eventually([&] { return !copied().isEmpty(); }));
    EXPECT_FALSE(runs("--stats-fd"));
    ::chmod(key.toUtf8().constData(), 0600);
    EXPECT_TRUE(eventually([&] { return !tellsAProblem(); })) << "mended, and still refused";
    x_.key("ctrl+Return");
    EXPECT_TRUE(eventually([&] { return runs("--stats-fd"); })) << window_->errors();
    window_->kill();
}

TEST_F(KeyWindowTest, ThePreviewIsSeenAlsoWithAKeyInTheEnvironment) {
    qputenv("VERBCAST_KEY", kSecret);
    ASSERT_NO_FATAL_FAILURE(open());
    // 75 % yellow of the bars: 191, 191, 0.
    const QRect middle(400, 150, 1000, 200);
    EXPECT_TRUE(eventually([&] { return pixels(middle, qRgb(191, 191, 0)) > 20; })) << window_->errors();
    type("alt+a", url());
    x_.key("ctrl+Return");
    ASSERT_TRUE(eventually([&] { return runs("--stats-fd"); })) << window_->errors();
    EXPECT_EQ(view({}), 0) << "the key of the environment is meant for the viewers";
    qunsetenv("VERBCAST_KEY");
    EXPECT_EQ(view({"--once"}), 6);
    window_->kill();
}

TEST_F(KeyWindowTest, TheStripShowsWhatIsProven) {
    const QString key = keyFile();
    const QImage picture = testPicture({1280, 720}, 1);
    const auto show = [&](const QStringList& sending, const QStringList& viewing) {
        window_.reset();
        const QString size = QString("%1x%2").arg(picture.width()).arg(picture.height());
        auto sender = std::make_unique<Verbcast>(
            QStringList{"send", "pattern:zone", "--size", size, "--fps", "10", "--listen", url()} + sending,
            folder());
        openWindow(viewing);
        return sender;
    };
    auto sender = show({}, {});
    EXPECT_TRUE(eventually([&] { return pixels(kStripStart, kMuted) > 15; })) << window_->errors();
    EXPECT_EQ(pixels(kStripStart, kAccent), 0);
    sender.reset();  // before another takes its place
    sender = show({"--key-file", key}, {"--key-file", key});
    EXPECT_TRUE(eventually([&] { return pixels(kStripStart, kAccent) > 15; })) << window_->errors();
    const int half = pixels(kStripStart, kAccent);
    sender.reset();
    sender = show({"--key-file", key, "--encrypt"}, {"--key-file", key});
    EXPECT_TRUE(eventually([&] { return pixels(kStripStart, kAccent) > half + 15; })) << window_->errors();
    EXPECT_EQ(alarmingPixels(), 0);
}

TEST_F(KeyWindowTest, AnAddressThatIsTypedMayHaveAKeyOfItsOwn) {
    ASSERT_TRUE(QDir().mkpath(file(".config/verbcast")));
    const QString key = file(".config/verbcast/key");
    ASSERT_TRUE(QFile::rename(keyFile(), key));
    const Verbcast sender(
        {"send", "pattern:zone", "--size", "320x180", "--fps", "20", "--listen", url(), "--key-file", key},
        folder());
    window_ = std::make_unique<Verbcast>(QStringList{"view", url() + "-elsewhere"}, folder(), x_.display());
    ASSERT_NO_FATAL_FAILURE(turnTo("Verbcast"));
    x_.key("o");
    ASSERT_NO_FATAL_FAILURE(turnTo("Verbcast - Connect"));
    x_.key("alt+k");
    x_.key("d");  // "Default key"
    type("alt+a", url());
    x_.key("Return");
    EXPECT_TRUE(eventually([&] { return x_.hasWindow("Verbcast - .*320x180"); })) << window_->errors();
    EXPECT_TRUE(eventually([&] { return pixels(kStripStart, kAccent) > 15; })) << "no closed padlock";
}

TEST_F(KeyWindowTest, AnOpenViewerSaysSoAlsoInFullscreen) {
    window_ =
        std::make_unique<Verbcast>(QStringList{"view", "--listen", url(), "--open"}, folder(), x_.display());
    x_.movePointer(640, 360);
    const QRect strip(0, 720, 400, 60);
    EXPECT_TRUE(eventually([&] { return pixels(strip, kWarning) > 50; })) << window_->errors();
    const Verbcast sender({"send", "pattern:zone", "--size", "320x180", "--fps", "20", "--to", url()},
                          folder());
    const QRect corner(XServer::kWidth - 250, 0, 250, 60);
    x_.key("f");
    EXPECT_TRUE(eventually([&] { return pixels(corner, kWarning) > 50; })) << window_->errors();
    x_.key("Escape");
    EXPECT_TRUE(eventually([&] { return pixels(corner, kWarning) == 0 && pixels(strip, kWarning) > 50; }));
}

}  // namespace
}  // namespace verbcast::testing
