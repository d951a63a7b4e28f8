#include "app/window/theme.h"

#include <QApplication>
#include <QFontMetrics>
#include <QPalette>
#include <QScreen>
#include <QStyleFactory>

namespace verbcast::theme {
namespace {

constexpr double kBasePointSize = 10;
constexpr int kUnscaled4kHeight = 1800;  // device-independent pixels: no desktop scaling is in effect

QPalette darkPalette() {
    QPalette palette;
    palette.setColor(QPalette::Window, kSurface);
    palette.setColor(QPalette::WindowText, kText);
    palette.setColor(QPalette::Base, kRaised);
    palette.setColor(QPalette::AlternateBase, kSurface);
    palette.setColor(QPalette::Text, kText);
    palette.setColor(QPalette::PlaceholderText, kMuted);
    palette.setColor(QPalette::Button, kRaised);
    palette.setColor(QPalette::ButtonText, kText);
    palette.setColor(QPalette::BrightText, kWarning);
    palette.setColor(QPalette::ToolTipBase, kRaised);
    palette.setColor(QPalette::ToolTipText, kText);
    palette.setColor(QPalette::Link, kAccent);
    palette.setColor(QPalette::Highlight, kAccent.darker(180));
    palette.setColor(QPalette::HighlightedText, kText);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, kMuted.darker(160));
    }
    return palette;
}

// Fusion derives outlines from the window's colour, too dark to be seen here.
QString styleSheet() {
    const int dot = line() * 3 / 4;
    return QString(
               "QToolTip { color: %1; background: %2; border: 1px solid %3; padding: 4px; }"
               "QDialog { border: 1px solid %3; }"
               "QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }"
               "QRadioButton::indicator { width: %5px; height: %5px; border-radius: %6px;"
               " border: 1px solid %4; background: %2; }"
               "QRadioButton::indicator:checked { background: %7; border-color: %7; }"
               "QRadioButton { spacing: %6px; }"
               "QPushButton[primary=true] { background: %8; color: %1; border: 1px solid %7;"
               " border-radius: %6px; padding: 0 %5px; }"
               "QPushButton[primary=true]:hover, QPushButton[primary=true]:focus { background: %9; }"
               "QPushButton[primary=true]:disabled { background: %2; color: %4; border-color: %3; }"
               "QTableWidget, QListWidget { background: %2; border: 1px solid %3; }"
               "QTableWidget::item { padding: 0 6px; }"
               "QHeaderView::section { background: %2; color: %4; border: none;"
               " border-bottom: 1px solid %3; padding: 3px 6px; }"
               "QMenuBar { background: %2; } QMenuBar::item:selected { background: %3; }"
               "QMenu { background: %2; border: 1px solid %3; padding: 4px; }"
               "QMenu::item { padding: 5px %5px 5px %5px; } QMenu::item:selected { background: %3; }"
               "QMenu::item:disabled { color: %4; }"
               "QMenu::separator { height: 1px; background: %3; margin: 4px; }"
               "QTabWidget::pane { border: none; border-top: 1px solid %3; }"
               "QTabBar { qproperty-drawBase: 0; }"
               "QTabBar::tab { color: %4; padding: %6px %5px; border: none; border-bottom: 2px solid "
               "transparent; }"
               "QTabBar::tab:hover { color: %1; }"
               "QTabBar::tab:selected { color: %1; border-bottom: 2px solid %7; }"
               "QTabBar::tab:focus { background: %2; }")
        .arg(kText.name(), kRaised.name(), kLine.name(), kMuted.name())
        .arg(dot)
        .arg(dot / 2 + 1)
        .arg(kAccent.name())
        .arg(kAccent.darker(320).name(), kAccent.darker(240).name());
}

}  // namespace

void apply(QApplication& application) {
    QApplication::setStyle(QStyleFactory::create("Fusion"));
    QApplication::setPalette(darkPalette());
    QFont base = QApplication::font();
    base.setPointSizeF(kBasePointSize);
    if (const QScreen* screen = QGuiApplication::primaryScreen();
        screen != nullptr && screen->size().height() >= kUnscaled4kHeight &&
        screen->logicalDotsPerInch() < 120) {
        base.setPointSizeF(kBasePointSize * 1.6);
    }
    application.setFont(base);
    application.setStyleSheet(styleSheet());
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

}  // namespace verbcast::theme
