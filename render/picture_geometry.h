// Computes where a picture lies on its target. No GL here.
#pragma once

#include <array>

#include "render/stream_renderer.h"

namespace verbcast {

/// Rows of the matrix from the picture's unit square (origin top left, not rotated) to OpenGL's clip space,
/// for a target of this size in pixels. A picture shown pixel for pixel is snapped to the target's grid.
std::array<float, 9> pictureToClip(const VideoFormat& format, const Placement& placement, int targetWidth,
                                   int targetHeight);

/// True if every picture pixel covers exactly one target pixel.
bool isPixelForPixel(const VideoFormat& format, const Placement& placement);

/// The area that an unrotated picture covers when shown pixel for pixel; may reach out of the target.
TargetRect targetRect(const VideoFormat& format, const Placement& placement);

/// Cosine and sine of 0, 90, 180 or 270 degrees.
std::array<double, 2> cosineAndSine(unsigned degrees);

/// A point in the stored picture: pixels from its top left corner, before rotation and pixel aspect.
struct StreamPoint {
    double x = 0, y = 0;
};
/// The picture's point under a point of the target: inverts pictureToClip(). May be outside the picture.
StreamPoint streamPointAt(const VideoFormat& format, const Placement& placement, double targetX,
                          double targetY);

}  // namespace verbcast
