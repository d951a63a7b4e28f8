#include "render/picture_geometry.h"

#include <algorithm>
#include <cmath>

namespace verbcast {
namespace {

/// With pixel aspect, without rotation.
DisplaySize uprightSize(const VideoFormat& format) {
    const double aspect = format.pixelAspect.value() > 0 ? format.pixelAspect.value() : 1.0;
    return {format.width * std::max(aspect, 1.0), format.height / std::min(aspect, 1.0)};
}

bool swapsSides(const VideoFormat& format) {
    return format.rotation == 90 || format.rotation == 270;
}

/// The centre that pictureToClip() uses: on the target's pixel grid if shown pixel for pixel.
std::array<double, 2> centreOnGrid(const VideoFormat& format, const Placement& placement) {
    if (!isPixelForPixel(format, placement)) {
        return {placement.centreX, placement.centreY};
    }
    const auto shown = displaySize(format);
    return {std::floor(placement.centreX - shown.width / 2 + 0.5) + shown.width / 2,
            std::floor(placement.centreY - shown.height / 2 + 0.5) + shown.height / 2};
}

}  // namespace

std::array<double, 2> cosineAndSine(unsigned degrees) {
    static constexpr std::array<std::array<double, 2>, 4> kQuarters{{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
    return kQuarters[degrees / 90 % 4];
}

DisplaySize displaySize(const VideoFormat& format) {
    const auto size = uprightSize(format);
    return swapsSides(format) ? DisplaySize{size.height, size.width} : size;
}

Placement fitPlacement(const VideoFormat& format, int targetWidth, int targetHeight) {
    const auto size = displaySize(format);
    return {targetWidth / 2.0, targetHeight / 2.0,
            std::min(targetWidth / size.width, targetHeight / size.height)};
}

bool isPixelForPixel(const VideoFormat& format, const Placement& placement) {
    const auto size = uprightSize(format);
    return placement.scale == 1.0 && size.width == format.width && size.height == format.height;
}

TargetRect targetRect(const VideoFormat& format, const Placement& placement) {
    const auto [centreX, centreY] = centreOnGrid(format, placement);
    return {static_cast<int>(centreX - format.width / 2.0), static_cast<int>(centreY - format.height / 2.0),
            static_cast<int>(format.width), static_cast<int>(format.height)};
}

StreamPoint streamPointAt(const VideoFormat& format, const Placement& placement, double targetX,
                          double targetY) {
    const auto upright = uprightSize(format);
    const auto [centreX, centreY] = centreOnGrid(format, placement);
    const auto [cosine, sine] = cosineAndSine(format.rotation);
    const double dx = (targetX - centreX) / placement.scale;
    const double dy = (targetY - centreY) / placement.scale;
    return {((cosine * dx + sine * dy) / upright.width + 0.5) * format.width,
            ((cosine * dy - sine * dx) / upright.height + 0.5) * format.height};
}

std::array<float, 9> pictureToClip(const VideoFormat& format, const Placement& placement, int targetWidth,
                                   int targetHeight) {
    const auto upright = uprightSize(format);
    const auto [centreX, centreY] = centreOnGrid(format, placement);
    // Target pixels from the top left: turns ((u - 0.5) width, (v - 0.5) height) clockwise, then adds the
    // centre.
    const auto [cosine, sine] = cosineAndSine(format.rotation);
    const double width = upright.width * placement.scale;
    const double height = upright.height * placement.scale;
    const double xFromU = cosine * width, xFromV = -sine * height;
    const double yFromU = sine * width, yFromV = cosine * height;
    const double x0 = centreX - (xFromU + xFromV) / 2;
    const double y0 = centreY - (yFromU + yFromV) / 2;
    const double toClipX = 2.0 / targetWidth, toClipY = -2.0 / targetHeight;
    const auto f = [](double value) { return static_cast<float>(value); };
    return {f(xFromU * toClipX),
            f(xFromV * toClipX),
            f(x0 * toClipX - 1),
            f(yFromU * toClipY),
            f(yFromV * toClipY),
            f(y0 * toClipY + 1),
            0,
            0,
            1};
}

}  // namespace verbcast
