// Dark and light windows: what selects them, and that texts are readable and keyboard focus is visible in
// both.
#include "app/window/style/appearance.h"

#include <QAbstractButton>
#include <QLabel>
#include <QLineEdit>
#include <QMap>
#include <QTabWidget>
#include <QTest>

#include "app/window/desktop/colour_scheme.h"
#include "app/window/main/main_window.h"
#include "app/window/main/playback_bar.h"
#include "app/window/style/theme.h"
#include "app/window/trust/pairing_dialog.h"
#include "app/window/trust/paste_key_dialog.h"
#include "app/window/viewer/connect_dialog.h"
#include "app/window/viewer/viewer_window.h"
#include "tests/window/desktop/desktop_portal.h"
#include "tests/window/style/contrast.h"
#include "tests/window/widget_fixture.h"

namespace verbcast::testing {
namespace {

class AppearanceTest : public WidgetTest {
  protected:
    ~AppearanceTest() override { chooseAppearance(Appearance::System); }

    static QColor mostCommon(const QImage& image) {
        QMap<QRgb, int> counts;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                ++counts[image.pixel(x, y)];
            }
        }
        const auto first = std::max_element(counts.begin(), counts.end());
        return first == counts.end() ? QColor() : QColor(first.key());
    }
    static QString textOf(const QWidget& widget) {
        const auto* label = qobject_cast<const QLabel*>(&widget);
        const auto* button = qobject_cast<const QAbstractButton*>(&widget);
        const auto* field = qobject_cast<const QLineEdit*>(&widget);
        return label ? label->text() : button ? button->text() : field ? field->displayText() : QString();
    }
    static QColor inkOf(const QWidget& widget) {
        return widget.palette().color(widget.isEnabled() ? QPalette::Active : QPalette::Disabled,
                                      widget.foregroundRole());
    }
    /// Checks all visible, enabled texts except HTML, which has colours of its own.
    static void expectReadable(QWidget& window) {
        const QImage image = window.grab().toImage();
        int texts = 0;
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            const QString text = textOf(*widget);
            if (!widget->isVisible() || !widget->isEnabled() || text.isEmpty() || text.startsWith('<')) {
                continue;
            }
            // Excludes the focus ring and the outline.
            const QRect area =
                QRect(widget->mapTo(&window, QPoint()), widget->size()).marginsRemoved({4, 3, 4, 3});
            const QColor ground = mostCommon(image.copy(area));
            EXPECT_GE(contrast(inkOf(*widget), ground), kReadable)
                << text.toStdString() << ": " << inkOf(*widget).name().toStdString() << " on "
                << ground.name().toStdString();
            ++texts;
        }
        EXPECT_GT(texts, 2);
    }
    /// Counts the pixels that differ by at least the contrast required of a focus ring.
    static int visiblyDifferent(const QImage& a, const QImage& b) {
        int count = 0;
        for (int y = 0; y < a.height(); ++y) {
            for (int x = 0; x < a.width(); ++x) {
                count += contrast(a.pixelColor(x, y), b.pixelColor(x, y)) >= kVisible ? 1 : 0;
            }
        }
        return count;
    }
    /// Tabs through the window until focus is back at the start: each stop must look different once focused.
    static void expectVisibleFocus() {
        const QWidget* first = QApplication::focusWidget();
        ASSERT_NE(first, nullptr);
        int stops = 0;
        do {
            QWidget* now = QApplication::focusWidget();
            QWidget* whole = now->parentWidget()->inherits("QComboBox") ? now->parentWidget() : now;
            const QImage focused = whole->grab().toImage();
            QTest::keyClick(now, Qt::Key_Tab);
            const QImage left = whole->grab().toImage();
            const int around = 2 * (whole->width() + whole->height());
            EXPECT_GE(visiblyDifferent(focused, left), std::min(around / 2, 100))
                << whole->metaObject()->className() << " " << whole->accessibleName().toStdString()
                << textOf(*whole).toStdString();
            ++stops;
        } while (QApplication::focusWidget() != first && stops < 100);
        EXPECT_GT(stops, 1);
    }
    static void showPages(MainWindow& window, const std::function<void()>& look) {
        window.resize(1500, 950);
        ASSERT_NO_FATAL_FAILURE(open(window));
        auto& pages = *window.findChild<QTabWidget*>();
        for (int page = 0; page < pages.count(); ++page) {
            SCOPED_TRACE(pages.tabText(page).toStdString());
            QTest::keyClick(&window, static_cast<Qt::Key>(Qt::Key_1 + page), Qt::ControlModifier);
            ASSERT_EQ(pages.currentIndex(), page);
            look();
        }
    }
};

TEST_F(AppearanceTest, AChoiceIsKeptAndShownAtOnce) {
    MainWindow window(Session{});
    window.resize(1500, 950);
    ASSERT_NO_FATAL_FAILURE(open(window));
    const auto shows = [](const theme::Colours& colours, const theme::Colours& others) {
        const QImage image = screen().copy(0, 0, 1500, 950);
        return pixels(image, colours.surface) > 100'000 && pixels(image, others.surface) == 0 &&
               pixels(image, others.raised) == 0 && pixels(image, others.text) == 0;
    };
    EXPECT_TRUE(eventually([&] { return shows(theme::kDark, theme::kLight); }));
    chooseAppearance(Appearance::Light);
    EXPECT_TRUE(eventually([&] { return pixels(screen(), theme::kLight.surface) > 100'000; }));
    EXPECT_EQ(pixels(screen(), theme::kDark.surface), 0);
    EXPECT_EQ(pixels(screen(), theme::kDark.raised), 0);
    EXPECT_EQ(chosenAppearance(), Appearance::Light);
    chooseAppearance(Appearance::Dark);
    EXPECT_TRUE(eventually([&] { return shows(theme::kDark, theme::kLight); }));
}

TEST_F(AppearanceTest, TheMainWindowCanBeRead) {
    for (const Appearance each : {Appearance::Dark, Appearance::Light}) {
        chooseAppearance(each);
        MainWindow window(Session{});
        showPages(window, [&] { expectReadable(window); });
    }
}

TEST_F(AppearanceTest, TheViewerCanBeRead) {
    ViewOptions options;
    options.peers.front().url = parseUrl("shm://nobody");
    for (const Appearance each : {Appearance::Dark, Appearance::Light}) {
        chooseAppearance(each);
        ViewerController controller(options);
        ViewerWindow window(controller, std::make_unique<VideoSurface>(UploadPath::Direct));
        window.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
        expectReadable(window);
    }
}

TEST_F(AppearanceTest, WhatHasTheKeyboardCanBeSeen) {
    for (const Appearance each : {Appearance::Dark, Appearance::Light}) {
        chooseAppearance(each);
        SCOPED_TRACE(each == Appearance::Dark ? "dark" : "light");
        MainWindow window(Session{});
        showPages(window, [] { expectVisibleFocus(); });
    }
}

TEST_F(AppearanceTest, DialogsCanBeReadAndWalkedThrough) {
    for (const Appearance each : {Appearance::Dark, Appearance::Light}) {
        chooseAppearance(each);
        SCOPED_TRACE(each == Appearance::Dark ? "dark" : "light");
        const auto look = [](QWidget& dialog) {
            SCOPED_TRACE(dialog.metaObject()->className());
            ASSERT_NO_FATAL_FAILURE(open(dialog));
            expectReadable(dialog);
            expectVisibleFocus();
        };
        ConnectDialog connect(SessionAddress{.url = parseUrl("tcp://wall")}, {}, nullptr);
        look(connect);
        connect.hide();
        PasteKeyDialog paste(file("key"), nullptr);
        look(paste);
        paste.hide();
        PairingDialog pairing("wall", nullptr);
        look(pairing);
        pairing.hide();
        PlaybackBar playback;
        playback.resize(900, 60);
        playback.show({.position = 1, .duration = 60, .paused = true});
        look(playback);
    }
}

TEST_F(AppearanceTest, TheDesktopsPortalIsFollowed) {
    DesktopPortal portal(qEnvironmentVariable("DBUS_SESSION_BUS_ADDRESS"), 2);
    const ColourScheme scheme(nullptr);
    EXPECT_TRUE(scheme.dark()) << "without a desktop";
    EXPECT_TRUE(eventually([&] { return !scheme.dark(); }));

    // The application's colour scheme object may predate the portal; it follows change signals.
    portal.setColourScheme(1);
    EXPECT_TRUE(eventually([&] { return scheme.dark(); }));
    portal.setColourScheme(2);
    EXPECT_TRUE(eventually([&] { return &theme::colours() == &theme::kLight; }));
    chooseAppearance(Appearance::Dark);
    EXPECT_EQ(&theme::colours(), &theme::kDark) << "the user's choice goes first";
    chooseAppearance(Appearance::System);
    EXPECT_EQ(&theme::colours(), &theme::kLight);
    portal.setColourScheme(0);
    EXPECT_TRUE(eventually([&] { return &theme::colours() == &theme::kDark; }));
}

}  // namespace
}  // namespace verbcast::testing
