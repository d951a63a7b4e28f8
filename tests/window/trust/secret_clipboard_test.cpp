// Keys do not stay in the clipboard.
#include <QClipboard>
#include <QMimeData>

#include "app/window/trust/secret_clipboard.h"
#include "tests/window/widget_fixture.h"

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

class SecretClipboardTest : public WidgetTest {
  protected:
    static QClipboard& clipboard() { return *QGuiApplication::clipboard(); }
};

TEST_F(SecretClipboardTest, IsClearedAfterItsTime) {
    SecretClipboard secret(100ms);
    QSignalSpy cleared(&secret, &SecretClipboard::cleared);
    secret.copy("a key");
    EXPECT_EQ(clipboard().text(), "a key");
    EXPECT_EQ(clipboard().mimeData()->data("x-kde-passwordManagerHint"), "secret");
    EXPECT_TRUE(eventually([&] { return cleared.count() == 1; }));
    EXPECT_EQ(clipboard().text(), "");
}

TEST_F(SecretClipboardTest, LeavesWhatWasCopiedAfterIt) {
    SecretClipboard secret(100ms);
    QSignalSpy cleared(&secret, &SecretClipboard::cleared);
    secret.copy("a key");
    clipboard().setText("a shopping list");
    EXPECT_TRUE(eventually([&] { return cleared.count() == 1; }));
    EXPECT_EQ(clipboard().text(), "a shopping list");
}

TEST_F(SecretClipboardTest, ALaterCopyStaysForItsWholeTime) {
    SecretClipboard secret(1h);
    secret.copy("first");
    secret.copy("second");
    EXPECT_EQ(clipboard().text(), "second");
}

TEST_F(SecretClipboardTest, DoesNotOutliveTheWindow) {
    { SecretClipboard(1h).copy("a key"); }
    EXPECT_EQ(clipboard().text(), "");
}

}  // namespace
}  // namespace verbcast::testing
