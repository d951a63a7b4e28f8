// The still picture that covers the stream while there is no signal.
#pragma once

#include <QImage>
#include <QSize>

#include "app/view/curtain_fade.h"

namespace verbcast {

/// See CurtainFade.
class Curtain : public CurtainFade {
  public:
    /// A null `still` is a black curtain.
    explicit Curtain(QImage still = {});

    /// The still scaled to fit, keeping its aspect ratio, on black. Opaque. Cached until the size changes.
    const QImage& image(const QSize& pixels);

  private:
    QImage still_;
    QImage fitted_;
};

/// Loads a PNG or JPEG, rotated as its EXIF data says. Throws Error{Input}.
QImage loadStill(const std::string& path);

}  // namespace verbcast
