// The page to send and its preview, without the programs that they start.
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>

#include "app/commands/key/key_file.h"
#include "app/window/main/send_page.h"
#include "core/base/error.h"
#include "tests/window/widget_fixture.h"

namespace verbcast::testing {
namespace {

class SendPageTest : public WidgetTest {};

TEST_F(SendPageTest, AKeyThatIsChosenMeanwhileIsForTheNextStart) {
    const QString key = file("key");
    writeNewKey(key.toStdString());
    SendPage page;
    page.setSettings({.listenAddress = "shm://send-page-test"});
    page.toggle();
    ASSERT_TRUE(page.sending());
    page.useKey(key);
    EXPECT_EQ(page.settings().trust.keyFile, "") << "these settings run";
    page.toggle();
    ASSERT_TRUE(eventually([&] { return !page.sending(); }));
    EXPECT_EQ(page.settings().trust.keyFile, key.toStdString());
    page.copyCommand();
    EXPECT_TRUE(QGuiApplication::clipboard()->text().contains("--key-file"));
}

TEST_F(SendPageTest, APreviewThatCannotBeDrawnSaysWhy) {
    PreviewPane pane;
    pane.watch("shm://send-page-test-nobody");
    for (QWindow* window : QGuiApplication::allWindows()) {
        if (auto* video = qobject_cast<VideoSurface*>(window)) {
            Q_EMIT video->paneFailed(
                0, std::make_exception_ptr(Error(ErrorKind::Display, "larger than a texture may be")));
        }
    }
    EXPECT_TRUE(eventually(
        [&] { return pane.findChild<QLabel*>()->text().contains("Larger than a texture may be"); }));
}

}  // namespace
}  // namespace verbcast::testing
