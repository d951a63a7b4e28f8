// The still picture that covers the stream's while there is no signal.
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

    /// The still as large as fits with its own aspect on black, made when the size changes. Opaque.
    const QImage& image(const QSize& pixels);

  private:
    QImage still_;
    QImage fitted_;
};

/// A PNG or JPEG, turned as its EXIF data says. Throws Error{Input}.
QImage loadStill(const std::string& path);

}  // namespace verbcast
