// What the windows look like: a palette, fonts, the style of widgets.
#pragma once

#include <QFont>

#include "app/window/parts/colours.h"

class QApplication;
class QWidget;

namespace verbcast::theme {

/// Fusion style, base font, palette and style sheet; again, to change the colours of all that is shown. On a
/// screen of 4K height that asks for no scaling of its own the base font grows, so that text stays readable.
/// GUI thread.
void apply(QApplication& application, const Colours& colours);

/// The palette of now, for what paints itself outside of pictures.
const Colours& colours();

/// What a text, or the frame of a widget, says by its colour.
enum class Tone { Text, Muted, Accent, Second, Third, Warning, Recording, Quiet };
const QColor& colourOf(Tone tone, const Colours& of = colours());
/// The style sheet colours the widget: it follows a change of palette.
void setTone(QWidget& widget, Tone tone);

enum class Frame {
    None,
    Pill,   ///< round a word or two
    Badge,  ///< round a layout of its own
    Note,   ///< a panel that asks to be read
    Card,   ///< a panel that holds together
};
/// A frame in the widget's tone.
void setFrame(QWidget& widget, Frame frame);

/// The application's font, `scale` times as large.
QFont font(double scale = 1.0, QFont::Weight weight = QFont::Normal);

/// Height of a line of the base font: the unit of every distance in the windows.
int line();

}  // namespace verbcast::theme
