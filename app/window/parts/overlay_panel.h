// The dark panel behind text over a picture.
#pragma once

#include <QColor>
#include <QImage>
#include <QSize>

#include "app/window/style/colours.h"

namespace verbcast {

inline constexpr int kOverlayOpacity = 235;  // of 255: lets the picture shine through, keeps text readable

/// An image of that size in device-independent pixels, transparent except for a rounded panel that fills it.
QImage overlayPanel(const QSize& size, double devicePixelRatio, const QColor& frame = theme::kOverVideo.line);

}  // namespace verbcast
