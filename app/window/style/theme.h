// Appearance of the windows: palette, fonts and widget style.
#pragma once

#include <QFont>
#include <QSize>

#include "app/window/style/colours.h"

class QApplication;
class QWidget;

namespace verbcast::theme {

/// Sets Fusion style, base font, palette and style sheet; call again to change the colours of everything
/// shown. On a 4K-high screen without scaling of its own, the base font grows so that text stays readable.
/// GUI thread.
void apply(QApplication& application, const Colours& colours);

/// The current palette, for custom painting outside pictures.
const Colours& colours();

/// What the colour of a text or of a widget's frame means.
enum class Tone { Text, Muted, Accent, Second, Third, Warning, Recording, Quiet };
const QColor& colourOf(Tone tone, const Colours& of = colours());
/// Sets the colour through the style sheet, so that it follows palette changes.
void setTone(QWidget& widget, Tone tone);

enum class Frame {
    None,
    Pill,   ///< around a word or two
    Badge,  ///< around a layout
    Note,   ///< a panel that asks to be read
    Card,   ///< a panel that groups things
};
/// Frames the widget in its tone.
void setFrame(QWidget& widget, Frame frame);

/// The application's font, `scale` times as large.
QFont font(double scale = 1.0, QFont::Weight weight = QFont::Normal);

/// Line height of the base font: the unit of all distances in the windows.
int line();
/// How large a window's contents can be on the primary screen: without panels, and without the frame and
/// title bar that a window manager adds, which are estimated.
QSize roomForWindow();

}  // namespace verbcast::theme
