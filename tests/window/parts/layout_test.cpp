// In each language, no text is cut off and no two controls share a mnemonic.
#include <QAbstractButton>
#include <QLabel>
#include <QMap>
#include <QMenuBar>
#include <QScrollBar>
#include <QTabWidget>
#include <QTableWidget>

#include "app/window/main/main_window.h"
#include "app/window/parts/help_sheet.h"
#include "app/window/style/theme.h"
#include "app/window/trust/pairing_dialog.h"
#include "app/window/trust/paste_key_dialog.h"
#include "app/window/viewer/connect_dialog.h"
#include "tests/window/widget_fixture.h"

namespace verbcast::testing {
namespace {

class LayoutTest : public WidgetTest {
  protected:
    static QString textOf(const QWidget& widget) {
        const auto* button = qobject_cast<const QAbstractButton*>(&widget);
        const auto* label = qobject_cast<const QLabel*>(&widget);
        return button != nullptr ? button->text() : label != nullptr ? label->text() : QString();
    }

    /// Whether the widget lies within all its ancestors.
    static bool isInside(const QWidget& widget) {
        for (const QWidget* outer = &widget; !outer->isWindow();) {
            outer = outer->parentWidget();
            const int left = widget.mapTo(outer, QPoint()).x();
            if (left < 0 || left + widget.width() > outer->width()) {
                return false;
            }
        }
        return true;
    }

    static void expectRoom(const QWidget& window) {
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            const QString text = textOf(*widget);
            const auto* label = qobject_cast<const QLabel*>(widget);
            const bool mayShrink = (label != nullptr && label->wordWrap()) ||
                                   widget->sizePolicy().horizontalPolicy() == QSizePolicy::Ignored;
            if (widget->isVisible() && !text.isEmpty() && !mayShrink) {
                EXPECT_TRUE(widget->width() >= widget->minimumSizeHint().width() && isInside(*widget))
                    << text.toStdString() << " is cut off";
            }
        }
    }

    /// Expects every table of what is visible to show all its columns.
    static void expectColumns(const QWidget& window) {
        for (const QTableWidget* table : window.findChildren<QTableWidget*>()) {
            if (table->isVisible()) {
                EXPECT_EQ(table->horizontalScrollBar()->maximum(), 0);
            }
        }
    }

    /// Expects unique mnemonics among controls that are visible at the same time.
    static void expectUniqueLetters(const QWidget& window, const QStringList& others = {}) {
        QMap<QString, QString> owners;
        const auto take = [&](const QString& text) {
            const QString letter = QKeySequence::mnemonic(text).toString();
            if (!letter.isEmpty()) {
                EXPECT_FALSE(owners.contains(letter)) << letter.toStdString() << ": " << text.toStdString()
                                                      << ", " << owners[letter].toStdString();
                owners[letter] = text;
            }
        };
        for (const QString& text : others) {
            take(text);
        }
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            if (widget->isVisible()) {
                take(textOf(*widget));
            }
        }
    }

    template <typename Dialog>
    static void expectSound(Dialog&& dialog) {
        dialog.show();
        expectRoom(dialog);
        expectUniqueLetters(dialog);
    }
};

TEST_F(LayoutTest, ThePagesOfTheMainWindow) {
    MainWindow window(Session{});
    window.show();
    QStringList menus;
    for (const QAction* menu : window.menuBar()->actions()) {
        menus << menu->text();
        QMap<QString, QString> letters;
        for (const QAction* action : menu->menu()->actions()) {
            const QString letter = QKeySequence::mnemonic(action->text()).toString();
            EXPECT_TRUE(action->isSeparator() || !letters.contains(letter)) << action->text().toStdString();
            letters[letter] = action->text();
        }
    }
    expectColumns(window);
    // The smallest desktop, less a frame and a title bar.
    const QSize smallest = window.minimumSizeHint();
    EXPECT_LE(smallest.width(), 1280 - theme::line());
    EXPECT_LE(smallest.height(), 720 - theme::line() * 5 / 2);
    auto* pages = window.findChild<QTabWidget*>();
    ASSERT_NE(pages, nullptr);
    for (int page = 0; page < pages->count(); ++page) {
        pages->setCurrentIndex(page);
        QCoreApplication::processEvents();
        expectRoom(window);
        expectUniqueLetters(*pages->currentWidget(), menus);
    }
    // Each kind of source has its own fields.
    pages->setCurrentIndex(0);
    auto* kind = window.findChild<SourceForm*>()->findChild<ChoiceCombo*>();
    for (int i = 0; i < kind->count(); ++i) {
        kind->setCurrentIndex(i);
        QCoreApplication::processEvents();
        expectRoom(window);
        expectUniqueLetters(*pages->currentWidget(), menus);
    }
}

TEST_F(LayoutTest, TheDialogs) {
    expectSound(ConnectDialog(SessionAddress{.url = parseUrl("tcp://wall")}, {}, nullptr));
    expectSound(PasteKeyDialog(file("key"), nullptr));
    expectSound(PairingDialog("wall", nullptr));
    expectSound(HelpSheet(HelpSheet::viewerKeys()));
}

}  // namespace
}  // namespace verbcast::testing
