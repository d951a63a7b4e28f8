#include "render/picture_canvas.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace verbcast {

PictureCanvas::PictureCanvas(std::uint32_t width, std::uint32_t height, TargetPixels pixels)
    : width_(static_cast<int>(width)),
      height_(static_cast<int>(height)),
      target_(width, height, pixels),
      black_(UploadPath::Direct) {
    const std::array<std::byte, std::size_t{kMinDimension} * kMinDimension * 4> black{};
    black_.upload(tightFormat(kMinDimension, kMinDimension, PixelFormat::bgra), black.data());
}

void PictureCanvas::goOn() {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer());
}

void PictureCanvas::begin(const float (&colour)[3]) {
    goOn();
    clearTarget(width_, height_, colour);
}

TargetPart PictureCanvas::part(const TargetRect& area, const TargetRect& clip) const {
    return {.targetWidth = width_,
            .targetHeight = height_,
            .area = area,
            .clip = clip,
            .rows = RowOrder::TopFirst,
            .opaqueLater = true,
            .alwaysLinear = true};
}

void PictureCanvas::makeOpaque(const TargetRect& area) {
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_TRUE);
    const float none[3] = {0, 0, 0};
    fill(area, none);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

void PictureCanvas::fill(const TargetRect& area, const float (&colour)[3]) {
    const ClipScope clip(part(area, area));
    glClearColor(colour[0], colour[1], colour[2], 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
}

void PictureCanvas::frame(const TargetRect& area, int thickness, const float (&colour)[3]) {
    const int across = std::min(thickness, area.width), down = std::min(thickness, area.height);
    fill({area.left, area.top, area.width, down}, colour);
    fill({area.left, area.top + area.height - down, area.width, down}, colour);
    fill({area.left, area.top, across, area.height}, colour);
    fill({area.left + area.width - across, area.top, across, area.height}, colour);
}

void PictureCanvas::dim(const TargetRect& area, float opacity) {
    const Placement everywhere{.centreX = area.width / 2.0,
                               .centreY = area.height / 2.0,
                               .scale = std::max(area.width, area.height) / double{kMinDimension} + 1};
    black_.drawOver(everywhere, part(area, area), {.opacity = opacity});
}

}  // namespace verbcast
