// Pairing from the windows, with real programs on two hosts.
#include <QRegularExpression>

#include "tests/window/main/main_window_fixture.h"
#include "tests/window/trust/two_hosts.h"

namespace verbcast::testing {
namespace {

using Host = TwoHosts::Host;

/// The window runs on this host; its peer runs on the other.
class PairingWindowTest : public MainWindowTest {
  protected:
    static constexpr QRgb kSecond = qRgb(0xe3, 0xb3, 0x6a);

    void SetUp() override {
        if (!hosts_.problem().isEmpty()) {
            GTEST_SKIP() << hosts_.problem().toStdString();
        }
        through_ = hosts_.on(Host::Here);
        ASSERT_TRUE(QDir().mkpath(file("there")));
    }

    static QString address(Host host) { return "tcp://" + TwoHosts::address(host); }
    std::unique_ptr<Verbcast> there(const QStringList& arguments) const {
        return std::make_unique<Verbcast>(arguments, file("there"), QString(), hosts_.on(Host::There));
    }
    /// Views this host's stream from the other host; returns the exit code.
    int viewFromThere() const {
        return there({"view", "--headless", "--frames", "3", address(Host::Here)})->exitCode();
    }
    int pairFromThere(const QString& code) const {
        const auto pairing = there({"key", "pair", address(Host::Here)});
        pairing->write(code.toUtf8() + '\n');
        pairing->closeInput();
        return pairing->exitCode();
    }

    /// The code in a program's output; empty if there is none.
    static QString codeIn(const std::string& text) {
        static const QRegularExpression code("([0-9A-Z]{4}-){5}[0-9A-Z]{4}");
        return code.match(QString::fromStdString(text)).captured();
    }
    QString codeOf(Verbcast& program) {
        EXPECT_TRUE(eventually([&] { return !codeIn(program.errors()).isEmpty(); })) << program.errors();
        return codeIn(program.errors());
    }
    /// The code that the banner copies by its shortcut.
    QString copiedCode() {
        x_.key("ctrl+alt+c");
        EXPECT_TRUE(eventually([&] { return !codeIn(x_.clipboard().toStdString()).isEmpty(); }));
        return x_.clipboard();
    }
    bool showsBanner() const { return pixels({0, 0, XServer::kWidth, 160}, kSecond) > 500; }

    void pairBy(const QString& code) {
        ASSERT_NO_FATAL_FAILURE(turnTo("Verbcast - Pair"));
        x_.input({"type", "--delay", "5", code});
        x_.key("Return");
        EXPECT_TRUE(eventually([&] { return !x_.hasWindow("Verbcast - Pair"); }));
    }

    TwoHosts hosts_;
};

TEST_F(PairingWindowTest, TheSendersWindowShowsTheCodeUntilItHasServed) {
    ASSERT_NO_FATAL_FAILURE(open());
    x_.key("ctrl+Return");
    ASSERT_TRUE(eventually([&] { return runs("--stats-fd"); })) << window_->errors();
    EXPECT_FALSE(showsBanner());
    ASSERT_TRUE(eventually([&] { return viewFromThere() == 6; })) << "a stranger was let in";
    EXPECT_TRUE(eventually([&] { return showsBanner(); })) << "the window shows no code";
    EXPECT_EQ(pairFromThere(copiedCode()), 0);
    EXPECT_TRUE(eventually([&] { return !showsBanner(); })) << "the code stays when it has served";
    EXPECT_EQ(viewFromThere(), 0) << "the paired host is not served";
    window_->kill();
}

TEST_F(PairingWindowTest, AViewerThatListensShowsTheCodeUntilItHasServed) {
    window_ = std::make_unique<Verbcast>(QStringList{"view", "--listen"}, folder(), x_.display(), through_);
    ASSERT_NO_FATAL_FAILURE(turnTo("Verbcast"));
    const QStringList sending{"send", "pattern:zone", "--size", "320x180", "--to", address(Host::Here)};
    ASSERT_TRUE(eventually([&] { return there(sending)->exitCode() == 6; }));
    EXPECT_TRUE(eventually([&] { return showsBanner(); })) << window_->errors();
    EXPECT_EQ(pairFromThere(copiedCode()), 0);
    EXPECT_TRUE(eventually([&] { return !showsBanner(); })) << "the code stays when it has served";
    const auto sender = there(sending);
    EXPECT_TRUE(eventually([&] { return x_.hasWindow("Verbcast - .*320x180"); })) << sender->errors();
}

TEST_F(PairingWindowTest, AViewerAsksForTheCodeAndGoesOnByItself) {
    const auto sender = there({"send", "pattern:zone", "--size", "320x180", "--fps", "20", "--listen"});
    window_ = std::make_unique<Verbcast>(QStringList{"view", address(Host::There)}, folder(), x_.display(),
                                         through_);
    const QString code = codeOf(*sender);
    ASSERT_NO_FATAL_FAILURE(turnTo("Verbcast - Pair"));
    x_.input({"type", "--delay", "5", "ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ"});
    x_.key("Return");
    EXPECT_TRUE(eventually([&] { return sender->errors().find("different keys") != std::string::npos; }));
    ASSERT_NO_FATAL_FAILURE(pairBy(code));  // replaces the wrong one
    EXPECT_TRUE(eventually([&] { return x_.hasWindow("Verbcast - .*320x180"); })) << window_->errors();
    EXPECT_TRUE(window_->running());
}

TEST_F(PairingWindowTest, TheSendersWindowAsksForTheCodeAndGoesOnByItselfOverRails) {
    const auto viewer =
        there({"view", "--headless", "--frames", "20", "--listen", "--stats-json", file("stats.json")});
    const QStringList secondAddress =
        hosts_.on(Host::There) + QStringList{"ip", "addr", "add", "10.9.0.3/24", "dev", "vb"};
    ASSERT_EQ(QProcess::execute(secondAddress.front(), secondAddress.mid(1)), 0);
    QFile session(file("there.verbcast"));
    ASSERT_TRUE(session.open(QIODevice::WriteOnly));
    session.write(R"({"verbcast_session": 1, "send": {"listen": false, "peer": ")" +
                  address(Host::There).toUtf8() + R"(,tcp://10.9.0.3"}})");
    session.close();
    ASSERT_NO_FATAL_FAILURE(open({session.fileName()}));
    x_.key("alt+s");
    ASSERT_NO_FATAL_FAILURE(pairBy(codeOf(*viewer)));
    EXPECT_EQ(viewer->exitCode(), 0) << viewer->errors();
    EXPECT_FALSE(tellsAProblem());
    EXPECT_GE(readJson(file("stats.json"))["frames_received"].toInt(), 20);
    window_->kill();
}

}  // namespace
}  // namespace verbcast::testing
