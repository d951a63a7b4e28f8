#include "render/picture_pair.h"

namespace verbcast {
namespace {

constexpr float kNothing[3] = {0, 0, 0};

void drawInto(const PictureTarget& target, const PlacedPicture& placed, int width, int height) {
    glBindFramebuffer(GL_FRAMEBUFFER, target.framebuffer());
    placed.picture.draw(placed.placement, width, height, kNothing);
}

}  // namespace

void PicturePair::fill(const PlacedPicture& first, const PlacedPicture& second, const TargetRect& area) {
    if (area.width != width_ || area.height != height_) {
        const auto width = static_cast<std::uint32_t>(area.width);
        const auto height = static_cast<std::uint32_t>(area.height);
        first_ = PictureTarget(width, height, false);
        second_ = PictureTarget(width, height, false);
        width_ = area.width;
        height_ = area.height;
    }
    const TargetScope saved;
    drawInto(first_, first, width_, height_);
    drawInto(second_, second, width_, height_);
}

void PicturePair::begin(const TargetPart& part) {
    const TargetRect& area = part.area;
    const int bottom = part.targetHeight - area.top - area.height;
    glViewport(area.left, bottom, area.width, area.height);
    program_.use();
    glUniform2i(program_.uniform("origin"), area.left, bottom);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, first_.texture());
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, second_.texture());
}

}  // namespace verbcast
