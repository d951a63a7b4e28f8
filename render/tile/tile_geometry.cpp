#include "render/tile/tile_geometry.h"

#include <algorithm>
#include <cmath>

#include "render/picture_geometry.h"

namespace verbcast {
namespace {

/// Maps the unit square as shown on the screen to the picture's, which is turned clockwise for display.
Homography turnBack(std::uint16_t rotation) {
    const auto [cosine, sine] = cosineAndSine(rotation);  // around the middle
    return Homography(
        {cosine, sine, (1 - cosine - sine) / 2, -sine, cosine, (1 - cosine + sine) / 2, 0, 0, 1});
}

TilePoint middleOf(const std::array<TilePoint, 4>& corners) {
    TilePoint middle;
    for (const TilePoint& corner : corners) {
        middle.x += corner.x / 4;
        middle.y += corner.y / 4;
    }
    return middle;
}

}  // namespace

// P. Heckbert, "Fundamentals of Texture Mapping and Image Warping" (1989), 2.2.3.
Homography Homography::toCorners(const std::array<TilePoint, 4>& corners) {
    const auto& [p0, p1, p2, p3] = corners;
    const double sx = p0.x - p1.x + p2.x - p3.x, sy = p0.y - p1.y + p2.y - p3.y;
    const double dx1 = p1.x - p2.x, dy1 = p1.y - p2.y;
    const double dx2 = p3.x - p2.x, dy2 = p3.y - p2.y;
    const double determinant = dx1 * dy2 - dx2 * dy1;
    const double g = (sx * dy2 - dx2 * sy) / determinant;
    const double h = (dx1 * sy - sx * dy1) / determinant;
    return Homography({p1.x - p0.x + g * p1.x, p3.x - p0.x + h * p3.x, p0.x,  //
                       p1.y - p0.y + g * p1.y, p3.y - p0.y + h * p3.y, p0.y,  //
                       g, h, 1});
}

Homography Homography::inverse(const TilePoint& inside) const {
    const auto& [a, b, c, d, e, f, g, h, i] = rows_;
    std::array<double, 9> adjugate{e * i - f * h, c * h - b * i, b * f - c * e,  //
                                   f * g - d * i, a * i - c * g, c * d - a * f,  //
                                   d * h - e * g, b * g - a * h, a * e - b * d};
    const double scale = adjugate[6] * inside.x + adjugate[7] * inside.y + adjugate[8];
    for (double& value : adjugate) {
        value /= scale;
    }
    return Homography(adjugate);
}

Homography Homography::after(const Homography& first) const {
    std::array<double, 9> product{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            for (std::size_t k = 0; k < 3; ++k) {
                product[row * 3 + column] += rows_[row * 3 + k] * first.rows_[k * 3 + column];
            }
        }
    }
    return Homography(product);
}

TilePoint Homography::map(const TilePoint& point) const {
    const double w = rows_[6] * point.x + rows_[7] * point.y + rows_[8];
    return {(rows_[0] * point.x + rows_[1] * point.y + rows_[2]) / w,
            (rows_[3] * point.x + rows_[4] * point.y + rows_[5]) / w};
}

TilePlace placeTile(const TileLook& look, double width, double height, const TargetRect& area) {
    std::array<TilePoint, 4> corners;
    bool exact = false;
    if (look.corners) {
        corners = *look.corners;
        for (TilePoint& corner : corners) {
            corner = {corner.x * area.width, corner.y * area.height};
        }
    } else {
        const bool swaps = look.rotation % 180 != 0;
        const double across = width * look.pixelAspect;
        const double shownWidth = swaps ? height : across, shownHeight = swaps ? across : height;
        const double scale = std::min(area.width / shownWidth, area.height / shownHeight);
        const double left = std::floor((area.width - shownWidth * scale) / 2);
        const double top = std::floor((area.height - shownHeight * scale) / 2);
        const double right = left + shownWidth * scale, bottom = top + shownHeight * scale;
        corners = {{{left, top}, {right, top}, {right, bottom}, {left, bottom}}};
        exact = scale == 1 && look.pixelAspect == 1;
    }
    const Homography back = Homography::toCorners(corners).inverse(middleOf(corners));
    return {turnBack(look.rotation).after(back), exact};
}

}  // namespace verbcast
