// The dark panel behind text over a picture, and the label of one of several pictures.
#pragma once

#include <QColor>
#include <QImage>
#include <QSize>
#include <QString>

#include "app/window/style/colours.h"

namespace verbcast {

inline constexpr int kOverlayOpacity = 235;  // of 255: lets the picture shine through, keeps text readable

/// An image of that size in device-independent pixels, transparent except for a rounded panel that fills it.
QImage overlayPanel(const QSize& size, double devicePixelRatio, const QColor& frame = theme::kOverVideo.line);

/// A small panel, no wider than that many device-independent pixels; null if the text is empty.
QImage renderPaneLabel(const QString& text, bool hasFocus, int maximumWidth, double devicePixelRatio);

}  // namespace verbcast
