// The still picture that covers the stream's while there is no signal.
#pragma once

#include <QImage>
#include <QSize>
#include <chrono>

#include "core/base/clock.h"

namespace verbcast {

/// Closed at first. open() and close() start a fade from wherever the present one stands; the caller paints
/// as long as moving() says so. Time is given, so that what a paint shows and whether another must follow
/// agree.
class Curtain {
  public:
    static constexpr std::chrono::milliseconds kFade{500};

    /// A null `still` is a black curtain.
    explicit Curtain(QImage still = {});

    void open(TimestampNs now) { moveTo(0, now); }
    void close(TimestampNs now) { moveTo(1, now); }
    bool opening() const { return end_ == 0; }

    /// 1: nothing but the still is seen; 0: it is not seen at all.
    double opacity(TimestampNs now) const;
    bool moving(TimestampNs now) const { return opacity(now) != end_; }

    /// The still as large as fits with its own aspect on black, made when the size changes. Opaque.
    const QImage& image(const QSize& pixels);

  private:
    void moveTo(double end, TimestampNs now);

    QImage still_;
    QImage fitted_;
    double begin_ = 1;
    double end_ = 1;
    TimestampNs beganAt_ = 0;
};

/// A PNG or JPEG, turned as its EXIF data says. Throws Error{Input}.
QImage loadStill(const std::string& path);

}  // namespace verbcast
