#include "app/window/style/theme.h"

#include <QApplication>
#include <QEvent>
#include <QFontMetrics>
#include <QPalette>
#include <QScreen>
#include <QStyle>
#include <QWidget>
#include <array>
#include <utility>

#include "app/window/desktop/x_windows.h"
#include "app/window/style/widget_style.h"

namespace verbcast::theme {
namespace {

constexpr double kBasePointSize = 10;
constexpr int kUnscaled4kHeight = 1800;  // device-independent pixels: no desktop scaling

constexpr const char* kToneProperty = "tone";
constexpr const char* kFrameProperty = "frame";

struct ToneName {
    const char* name;
    QColor Colours::*colour;
};
// In the order of Tone and Frame.
constexpr std::array<ToneName, 8> kTones{{{"text", &Colours::text},
                                          {"muted", &Colours::muted},
                                          {"accent", &Colours::accent},
                                          {"second", &Colours::second},
                                          {"third", &Colours::third},
                                          {"warning", &Colours::warning},
                                          {"recording", &Colours::recording},
                                          {"quiet", &Colours::line}}};
constexpr std::array<const char*, 5> kFrameNames{"", "pill", "badge", "note", "card"};

const Colours* current = &kDark;

QPalette paletteOf(const Colours& colours) {
    QPalette palette;
    palette.setColor(QPalette::Window, colours.surface);
    palette.setColor(QPalette::WindowText, colours.text);
    palette.setColor(QPalette::Base, colours.raised);
    palette.setColor(QPalette::AlternateBase, colours.surface);
    palette.setColor(QPalette::Text, colours.text);
    palette.setColor(QPalette::PlaceholderText, colours.muted);
    palette.setColor(QPalette::Button, colours.raised);
    palette.setColor(QPalette::ButtonText, colours.text);
    palette.setColor(QPalette::BrightText, colours.warning);
    palette.setColor(QPalette::ToolTipBase, colours.raised);
    palette.setColor(QPalette::ToolTipText, colours.text);
    palette.setColor(QPalette::Link, colours.accent);
    palette.setColor(QPalette::Highlight, colours.selection);
    palette.setColor(QPalette::HighlightedText, colours.selectedText);
    for (const auto role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::PlaceholderText}) {
        palette.setColor(QPalette::Disabled, role, colours.disabled);
    }
    return palette;
}

QString toneRules(const Colours& colours) {
    QString rules;
    for (const ToneName& each : kTones) {
        const QString colour = (colours.*each.colour).name();
        rules +=
            QString(
                "*[tone=%1] { color: %2; }"
                "*[frame=pill][tone=%1] { border: 1px solid %2; border-radius: %3px; padding: 1px %4px; }"
                "*[frame=badge][tone=%1] { border: 1px solid %2; border-radius: %3px; }"
                "*[frame=note][tone=%1] { background: %5; border: 1px solid %2; border-left: 3px solid %2; }"
                "*[frame=card][tone=%1] { background: %5; border: 1px solid %2; border-radius: %3px; }")
                .arg(each.name, colour)
                .arg(line() / 4)
                .arg(line() / 2)
                .arg(colours.raised.name());
    }
    return rules;
}

// Fusion derives outlines from the window's colour: too dark to see on a dark background.
QString styleSheet(const Colours& colours) {
    const int dot = line() * 3 / 4;
    return QString(
               "QToolTip { color: %1; background: %2; border: 1px solid %3; padding: 4px; }"
               "QDialog { border: 1px solid %3; }"
               "QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }"
               "QRadioButton::indicator { width: %5px; height: %5px; border-radius: %6px;"
               " border: 1px solid %9; background: %2; }"
               "QRadioButton::indicator:checked { background: %7; border-color: %7; }"
               "QRadioButton::indicator:disabled { border-color: %8; }"
               "QRadioButton::indicator:checked:disabled { background: %8; }"
               "QRadioButton { spacing: %6px; }"
               "QTableWidget, QListWidget { background: %2; border: 1px solid %3; }"
               "QTableWidget:focus, QListWidget:focus { border: 1px solid %7; }"
               "QTableWidget::item { padding: 0 6px; }"
               "QHeaderView::section { background: %2; color: %4; border: none;"
               " border-bottom: 1px solid %3; padding: 3px 6px; }"
               "QMenuBar { background: %2; } QMenuBar::item:selected { background: %3; }"
               "QMenu { background: %2; border: 1px solid %3; padding: 4px; }"
               "QMenu::item { padding: 5px %5px 5px %5px; } QMenu::item:selected { background: %3; }"
               "QMenu::item:disabled { color: %8; }"
               "QMenu::separator { height: 1px; background: %3; margin: 4px; }"
               "QTabWidget::pane { border: none; border-top: 1px solid %3; }"
               "QTabBar { qproperty-drawBase: 0; }"
               "QTabBar::tab { color: %4; padding: %6px %5px; border: 1px solid transparent;"
               " border-bottom: 2px solid transparent; }"
               "QTabBar::tab:hover { color: %1; }"
               "QTabBar::tab:selected { color: %1; border-bottom-color: %7; }"
               "QTabBar::tab:focus { background: %2; border-color: %7; }")
               .arg(colours.text.name(), colours.raised.name(), colours.line.name(), colours.muted.name())
               .arg(dot)
               .arg(dot / 2 + 1)
               .arg(colours.accent.name(), colours.disabled.name(), colours.outline.name()) +
           QString(
               "QPushButton[primary=true] { background: %1; color: %2; border: 1px solid %3;"
               " border-radius: %4px; padding: 0 %5px; }"
               "QPushButton[primary=true]:hover { background: %6; }"
               "QPushButton[primary=true]:focus { background: %6; border: 2px solid %7; }"
               "QPushButton[primary=true]:disabled { background: %8; color: %9; border-color: %9; }")
               .arg(colours.primary.name(), colours.primaryText.name(), colours.accent.name())
               .arg(dot / 2 + 1)
               .arg(dot)
               .arg(colours.primaryHover.name(), colours.text.name(), colours.raised.name(),
                    colours.disabled.name()) +
           toneRules(colours);
}

QFont baseFont() {
    QFont base = QApplication::font();
    base.setPointSizeF(kBasePointSize);
    if (const QScreen* screen = QGuiApplication::primaryScreen();
        screen != nullptr && screen->size().height() >= kUnscaled4kHeight &&
        screen->logicalDotsPerInch() < 120) {
        base.setPointSizeF(kBasePointSize * 1.6);
    }
    return base;
}

/// Makes the style sheet re-evaluate its rules.
void setProperty(QWidget& widget, const char* property, const char* value) {
    if (widget.property(property) != QVariant(value)) {
        widget.setProperty(property, value);
        widget.style()->unpolish(&widget);
        widget.style()->polish(&widget);
        QEvent changed(QEvent::StyleChange);  // a label drops its cached size hint
        QApplication::sendEvent(&widget, &changed);
        widget.updateGeometry();
    }
}

}  // namespace

void apply(QApplication& application, const Colours& colours) {
    current = &colours;
    if (application.styleSheet().isEmpty()) {
        QApplication::setStyle(makeWidgetStyle());
        QApplication::setFont(baseFont());
    }
    QApplication::setPalette(paletteOf(colours));
    application.setStyleSheet(styleSheet(colours));
}

const Colours& colours() {
    return *current;
}

const QColor& colourOf(Tone tone, const Colours& of) {
    return of.*kTones.at(static_cast<std::size_t>(tone)).colour;
}

void setTone(QWidget& widget, Tone tone) {
    setProperty(widget, kToneProperty, kTones.at(static_cast<std::size_t>(tone)).name);
}

void setFrame(QWidget& widget, Frame frame) {
    setProperty(widget, kFrameProperty, kFrameNames.at(static_cast<std::size_t>(frame)));
}

QFont font(double scale, QFont::Weight weight) {
    QFont result = QApplication::font();
    result.setPointSizeF(result.pointSizeF() * scale);
    result.setWeight(weight);
    return result;
}

int line() {
    return QFontMetrics(QApplication::font()).height();
}

QSize roomForWindow() {
    const QSize available = QGuiApplication::primaryScreen()->availableSize();
    return windowManagerRuns() ? available - QSize(line(), line() * 5 / 2) : available;
}

}  // namespace verbcast::theme
