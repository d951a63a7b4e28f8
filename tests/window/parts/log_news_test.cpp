// What is logged is also said by the window.
#include "app/window/parts/log_news.h"

#include <QApplication>
#include <QPlainTextEdit>
#include <QTimer>
#include <thread>

#include "core/base/log/log.h"
#include "tests/window/widget_fixture.h"

namespace verbcast::testing {
namespace {

class LogNewsTest : public WidgetTest {};

TEST_F(LogNewsTest, WarningsOfEveryThreadAreHeardInOrder) {
    LogNews news;
    QStringList heard;
    QObject::connect(&news, &LogNews::said, &news, [&](const QString& text) { heard << text; });
    std::jthread([] {
        log(LogCategory::Session).warn("{}: a caller was dropped", "10.0.0.7");
        log().info("nobody needs to know");
        log().error("the key of %1 \x1b[31m is another");
    }).join();
    EXPECT_TRUE(heard.isEmpty()) << "said by the thread that logs";
    EXPECT_TRUE(eventually([&] { return heard.size() == 2; }));
    EXPECT_EQ(heard, (QStringList{"10.0.0.7: a caller was dropped", "The key of %1 ?[31m is another"}));
}

TEST_F(LogNewsTest, TheNewestAreKeptAndShown) {
    LogNews news;
    for (int i = 0; i < 250; ++i) {
        log().warn("message {}", i);
    }
    EXPECT_TRUE(eventually([&] { return news.lines().size() == 200; }));
    QString shown;
    QTimer::singleShot(0, &news, [&] {
        const QWidget* const dialog = QApplication::activeModalWidget();
        ASSERT_NE(dialog, nullptr);
        shown = dialog->findChild<QPlainTextEdit*>()->toPlainText();
        QMetaObject::invokeMethod(const_cast<QWidget*>(dialog), "close");
    });
    news.showAll(nullptr);
    EXPECT_EQ(shown.split('\n').size(), 200);
    EXPECT_TRUE(shown.endsWith("  Message 249")) << shown.toStdString();
}

TEST_F(LogNewsTest, OneThatIsGoneHearsNothing) {
    { const LogNews gone; }
    log().warn("into the void");
    QCoreApplication::processEvents();
}

}  // namespace
}  // namespace verbcast::testing
