#include "render/picture_canvas.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/base/error.h"
#include "render/gl/picture_target.h"
#include "render/gl/plane_textures.h"

namespace verbcast {
namespace {

GlTexture makeCanvas(std::uint32_t width, std::uint32_t height, CanvasPixels pixels) {
    checkTextureSize(width, height, "the picture");
    const auto across = static_cast<GLsizei>(width), down = static_cast<GLsizei>(height);
    auto texture = pixels == CanvasPixels::TenBits
                       ? makeTexture(GL_RGB10_A2, GL_BGRA, GL_UNSIGNED_INT_2_10_10_10_REV, across, down)
                   : pixels == CanvasPixels::Rgba8
                       ? makeTexture(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, across, down)
                       : makeTexture(GL_RGBA, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, across, down);
    glBindTexture(GL_TEXTURE_2D, 0);
    return texture;
}

}  // namespace

PictureCanvas::PictureCanvas(std::uint32_t width, std::uint32_t height, CanvasPixels pixels)
    : width_(static_cast<int>(width)),
      height_(static_cast<int>(height)),
      texture_(makeCanvas(width, height, pixels)),
      framebuffer_(GlFramebuffer::create()),
      black_(UploadPath::Direct) {
    const TargetScope scope;
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_.get(), 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        throw Error(ErrorKind::Display,
                    fmt::format("the OpenGL driver cannot draw into a picture of {}x{}", width, height));
    }
    const std::array<std::byte, std::size_t{kMinDimension} * kMinDimension * 4> black{};
    black_.upload(tightFormat(kMinDimension, kMinDimension, PixelFormat::bgra), black.data());
}

void PictureCanvas::goOn() {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get());
}

void PictureCanvas::begin(const float (&colour)[3]) {
    goOn();
    clearTarget(width_, height_, colour);
}

TargetPart PictureCanvas::part(const TargetRect& area, const TargetRect& clip) const {
    return {width_, height_, area, clip, RowOrder::TopFirst, true};
}

void PictureCanvas::close(const TargetRect& clip) {
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_TRUE);
    const float none[3] = {0, 0, 0};
    fill(clip, none);
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
