// Accessibility for keyboard and screen reader users: every control has a name and is reachable.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAccessible>
#include <QComboBox>
#include <QLineEdit>
#include <QRadioButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSet>
#include <QTest>

#include "app/window/main/main_window.h"
#include "app/window/parts/command_bar.h"
#include "app/window/parts/help_sheet.h"
#include "app/window/parts/hint_list.h"
#include "app/window/style/theme.h"
#include "app/window/trust/pairing_dialog.h"
#include "app/window/trust/paste_key_dialog.h"
#include "app/window/viewer/connect_dialog.h"
#include "app/window/viewer/viewer_window.h"
#include "tests/window/widget_fixture.h"

namespace verbcast::testing {
namespace {

class AccessibleTest : public WidgetTest {
  protected:
    /// Parts of a composed control, which is named as a whole.
    static bool isPart(const QWidget& widget) {
        return widget.inherits("QComboBoxListView") || widget.inherits("QComboBoxPrivateContainer") ||
               widget.objectName() == "qt_menubar_ext_button" || widget.inherits("QHeaderView") ||
               widget.inherits("QTableCornerButton") || qobject_cast<const QScrollBar*>(&widget) != nullptr;
    }
    /// Tab reaches only the checked radio button; arrow keys reach the others.
    static bool isOtherChoice(const QWidget& widget) {
        const auto* radio = qobject_cast<const QRadioButton*>(&widget);
        return radio != nullptr && !radio->isChecked();
    }
    static bool isControl(const QWidget& widget) {
        return !isPart(widget) &&
               ((widget.focusPolicy() & Qt::TabFocus) != 0 || qobject_cast<const QAbstractButton*>(&widget) ||
                qobject_cast<const QComboBox*>(&widget) || qobject_cast<const QLineEdit*>(&widget) ||
                qobject_cast<const QAbstractSlider*>(&widget) ||
                qobject_cast<const QAbstractItemView*>(&widget));
    }
    static std::string describe(const QWidget& widget) {
        QString path = widget.metaObject()->className();
        for (const QWidget* each = widget.parentWidget(); each != nullptr; each = each->parentWidget()) {
            path = each->metaObject()->className() + (" > " + path);
        }
        return path.toStdString();
    }
    static void expectNames(const QWidget& window) {
        int controls = 0;
        for (QWidget* widget : window.findChildren<QWidget*>()) {
            if (!isControl(*widget)) {
                continue;
            }
            ++controls;
            QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(widget);
            ASSERT_NE(spoken, nullptr) << describe(*widget);
            EXPECT_FALSE(spoken->text(QAccessible::Name).trimmed().isEmpty()) << describe(*widget);
        }
        EXPECT_GT(controls, 0) << describe(window);
    }
    /// Texts name controls, not command line options.
    static void expectNoCommands(const QWidget& window) {
        static const QRegularExpression commands(
            "(?<![\\w-])--[a-z]|verbcast (send|view|key|devices|doctor)\\b");
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            const auto* label = qobject_cast<const QLabel*>(widget);
            const QStringList texts{widget->toolTip(), widget->whatsThis(), widget->accessibleDescription(),
                                    label != nullptr ? label->text() : QString()};
            for (const QString& text : texts) {
                EXPECT_FALSE(text.contains(commands)) << text.toStdString() << " of " << describe(*widget);
            }
        }
    }
};

TEST_F(AccessibleTest, TheMainWindow) {
    MainWindow window(Session{});
    expectNames(window);
    expectNoCommands(window);
}

TEST_F(AccessibleTest, TheViewer) {
    ViewOptions options;
    options.peers.front().url = parseUrl("shm://nobody");
    ViewerController controller(options);
    ViewerWindow window(controller, std::make_unique<VideoSurface>(UploadPath::Direct));
    expectNames(window);
    expectNoCommands(window);
}

TEST_F(AccessibleTest, TheDialogs) {
    const Url url = parseUrl("tcp://wall");
    expectNames(ConnectDialog(SessionAddress{.url = url}, {}, nullptr));
    expectNoCommands(ConnectDialog(SessionAddress{.url = url, .listen = true}, {}, nullptr));
    expectNames(PasteKeyDialog(file("key"), nullptr));
    expectNames(PairingDialog("wall", nullptr));
}

TEST_F(AccessibleTest, TheMainWindowFitsOnAScreenOf1080RowsAtTwiceTheSize) {
    const MainWindow window(Session{});
    // In lines of the base font, which are at least 15 pixels high at 96 dpi: 960x540 pixels there.
    const QSize room(theme::line() * 960 / 15, theme::line() * 540 / 15);
    EXPECT_LE(window.minimumSizeHint().height(), room.height());
    for (const QWidget* page : window.findChildren<QWidget*>()) {
        EXPECT_LE(page->minimumSizeHint().width(), room.width()) << describe(*page);
    }
}

TEST_F(AccessibleTest, AnEmptyListSaysWhatItIsFor) {
    HintList list("Streams are listed here");
    list.resize(300, 200);
    ASSERT_NO_FATAL_FAILURE(open(list));
    const auto hinted = [] { return pixels(screen().copy(0, 0, 300, 200), theme::colours().muted) > 20; };
    EXPECT_TRUE(eventually(hinted));
    list.addItem("A");
    EXPECT_TRUE(eventually([&] { return !hinted(); }));
}

TEST_F(AccessibleTest, TabReachesEveryFieldOfThePageInTheOrderOfReading) {
    MainWindow window(Session{});
    window.resize(1500, 950);
    ASSERT_NO_FATAL_FAILURE(open(window));
    QSet<const QWidget*> wanted;
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (isControl(*widget) && widget->isVisible() && widget->isEnabled() &&
            (widget->focusPolicy() & Qt::TabFocus) != 0 && widget->focusProxy() == nullptr &&
            qobject_cast<const QComboBox*>(widget->parentWidget()) == nullptr && !isOtherChoice(*widget)) {
            wanted.insert(widget);
        }
    }
    EXPECT_GT(wanted.size(), 10);
    QSet<const QWidget*> reached;
    QWidget* first = QApplication::focusWidget();
    ASSERT_NE(first, nullptr);
    do {
        const QWidget* now = QApplication::focusWidget();
        reached.insert(qobject_cast<const QComboBox*>(now->parentWidget()) ? now->parentWidget() : now);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    } while (QApplication::focusWidget() != first && reached.size() < 100);
    for (const QWidget* widget : wanted) {
        EXPECT_TRUE(reached.contains(widget))
            << describe(*widget) << " " << widget->accessibleName().toStdString();
    }
}

}  // namespace
}  // namespace verbcast::testing
