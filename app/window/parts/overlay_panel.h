// The dark panel under whatever is written over a picture.
#pragma once

#include <QColor>
#include <QImage>
#include <QSize>

#include "app/window/parts/colours.h"

namespace verbcast {

inline constexpr int kOverlayOpacity = 235;  // of 255: the picture shines through, text stays readable

/// An image of that size in device-independent pixels, transparent but for a rounded panel that fills it.
QImage overlayPanel(const QSize& size, double devicePixelRatio, const QColor& frame = theme::kOverVideo.line);

}  // namespace verbcast
