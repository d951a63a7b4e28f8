// How the picture is placed in the window: fitted, 1:1, zoomed and panned. Pure arithmetic, in device pixels.
#pragma once

#include "render/stream_renderer.h"

namespace verbcast {

/// Zooming keeps the point under the cursor in place; panning stops at the picture's edges, and a side
/// shorter than the window stays centred.
class PictureView {
  public:
    static constexpr double kMaxScale = 32;

    void setTarget(int width, int height);
    /// A new size fits the picture again.
    void setPicture(DisplaySize size);

    void fit();
    void oneToOne();
    /// Scales by `factor` around a point of the target. A step across 100 % stops there.
    void zoomAt(double x, double y, double factor);
    void panBy(double dx, double dy);

    bool fitted() const { return fitted_; }
    /// True if the picture is larger than the target.
    bool canPan() const;
    double scale() const;
    double zoomPercent() const { return scale() * 100; }

    /// From 100 % on, the picture's corner is on a whole target pixel, so that 1:1 is exact.
    Placement placement() const;

  private:
    double fitScale() const;
    void clamp();

    DisplaySize picture_;
    int targetWidth_ = 1;
    int targetHeight_ = 1;
    bool fitted_ = true;
    double scale_ = 1;
    double centreX_ = 0;  // of the picture, in target pixels; unused while fitted
    double centreY_ = 0;
};

}  // namespace verbcast
