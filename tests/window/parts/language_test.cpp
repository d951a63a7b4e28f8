// Windows in the user's language.
#include <QAbstractButton>
#include <QMenu>
#include <QTabWidget>
#include <clocale>

#include "app/window/main/main_window.h"
#include "app/window/parts/core_words.h"
#include "app/window/parts/window_words.h"
#include "app/window/settings/command_composer.h"
#include "app/window/stats/status_strip.h"
#include "tests/window/widget_fixture.h"

namespace verbcast::testing {
namespace {

/// The program must be run with --language=de.
class GermanTest : public WidgetTest {
  protected:
    void SetUp() override {
        if (qgetenv("LANGUAGE") != "de") {
            GTEST_SKIP() << "run with --language=de";
        }
    }
};

TEST_F(GermanTest, NamesAndTexts) {
    const MainWindow window(Session{});
    EXPECT_EQ(window.findChild<QTabWidget*>()->tabText(0), "Senden");
    QStringList names;
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        names << widget->accessibleName() << widget->toolTip()
              << (button != nullptr ? button->text() : QString());
    }
    for (const char* name : {"Befehlszeile", "Größe", "Bildrate", "&Senden starten", "Was gesendet wird"}) {
        EXPECT_TRUE(names.contains(name)) << name;
    }
}

TEST_F(GermanTest, TheChoiceOfColours) {
    const MainWindow window(Session{});
    QStringList texts;
    for (const QMenu* menu : window.findChildren<QMenu*>()) {
        texts << menu->title();
        for (const QAction* action : menu->actions()) {
            texts << action->text();
        }
    }
    for (const char* text : {"&Darstellung", "&System", "&Dunkel", "&Hell"}) {
        EXPECT_TRUE(texts.contains(text)) << text;
    }
}

TEST_F(GermanTest, WhatIsCountedAsHelpDefinesIt) {
    const StatusStrip strip;
    QStringList tips;
    for (const QWidget* widget : strip.findChildren<QWidget*>()) {
        tips << widget->toolTip();
    }
    for (const char* word :
         {"Ein Bild gilt als verworfen", "Ein Bild gilt als ausgelassen", "Ein angehaltener Empfänger"}) {
        EXPECT_FALSE(tips.filter(word).isEmpty()) << word;
    }
}

TEST_F(GermanTest, WhatTheCoreSays) {
    EXPECT_EQ(inWindowLanguage("connecting to tcp://wall"), "verbinden mit tcp://wall");
    EXPECT_EQ(inWindowLanguage("end of stream"), "Ende des Streams");
    EXPECT_EQ(inWindowLanguage("the end of it"), "the end of it");
    EXPECT_EQ(inWindowWords(QString("--encrypt needs a key")),
              "Bilder zu verschlüsseln erfordert einen Schlüssel");
    EXPECT_EQ(inWindowWords(QString("--size 12")), "Größe 12") << "the field is called so";
}

TEST_F(GermanTest, OptionsKeepTheirPoints) {
    EXPECT_STREQ(std::setlocale(LC_NUMERIC, nullptr), "C");
    EXPECT_NO_THROW(checkCommand({"send", "pattern", "--fps", "59.94"}));
}

}  // namespace
}  // namespace verbcast::testing
