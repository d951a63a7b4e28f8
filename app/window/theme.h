// Colours, fonts and palette of the windows: dark and quiet, so that the picture is what one sees.
#pragma once

#include <QColor>
#include <QFont>

class QApplication;

namespace verbcast::theme {

inline const QColor kCanvas{0x0e, 0x10, 0x13};   // around the picture
inline const QColor kSurface{0x17, 0x1a, 0x1f};  // strip and dialogs
inline const QColor kRaised{0x22, 0x27, 0x2e};   // fields and buttons
inline const QColor kLine{0x33, 0x3a, 0x44};
inline const QColor kText{0xe2, 0xe6, 0xec};
inline const QColor kMuted{0x93, 0x9d, 0xac};
inline const QColor kAccent{0x5a, 0xc8, 0xb4};  // throughput, focus
inline const QColor kSecond{0xe3, 0xb3, 0x6a};  // frame rate
inline const QColor kWarning{0xee, 0x78, 0x6c};

/// Fusion style, palette, base font and style sheet. On a screen of 4K height that asks for no scaling of its
/// own the base font grows, so that text stays readable.
void apply(QApplication& application);

/// The application's font, `steps` sizes smaller (negative) or larger, with digits of equal width.
QFont font(double scale = 1.0, QFont::Weight weight = QFont::Normal);

/// Height of a line of the base font: the unit of every distance in the windows.
int line();

}  // namespace verbcast::theme
