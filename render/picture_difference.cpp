#include "render/picture_difference.h"

#include "render/picture_target.h"
#include "render/shader_program.h"

namespace verbcast {
namespace {

constexpr float kNothing[3] = {0, 0, 0};

ShaderProgram differenceProgram() {
    static constexpr std::string_view kVertex[] = {"difference.vert"};
    static constexpr std::string_view kFragment[] = {"difference.frag"};
    return {assembleShader({}, kVertex), assembleShader({}, kFragment)};
}

void drawInto(const PictureTarget& target, const PlacedPicture& placed, int width, int height) {
    glBindFramebuffer(GL_FRAMEBUFFER, target.framebuffer());
    placed.picture.draw(placed.placement, width, height, kNothing);
}

}  // namespace

class PictureDifference::Impl {
  public:
    Impl() : program_(differenceProgram()), vertexArray_(GlVertexArray::create()) {}

    void draw(const PlacedPicture& first, const PlacedPicture& second, const TargetPart& part, float gain);

  private:
    ShaderProgram program_;
    GlVertexArray vertexArray_;
    PictureTarget first_, second_;  // as large as the part's area
    int width_ = 0, height_ = 0;
};

void PictureDifference::Impl::draw(const PlacedPicture& first, const PlacedPicture& second,
                                   const TargetPart& part, float gain) {
    const TargetRect& area = part.area;
    if (area.width != width_ || area.height != height_) {
        const auto width = static_cast<std::uint32_t>(area.width);
        const auto height = static_cast<std::uint32_t>(area.height);
        first_ = PictureTarget(width, height, false);
        second_ = PictureTarget(width, height, false);
        width_ = area.width;
        height_ = area.height;
    }
    {
        const TargetScope saved;
        drawInto(first_, first, width_, height_);
        drawInto(second_, second, width_, height_);
    }
    const DrawScope scope(vertexArray_);
    const ClipScope clip(part);
    const int bottom = part.targetHeight - area.top - area.height;
    glViewport(area.left, bottom, area.width, area.height);
    program_.use();
    glUniform2i(program_.uniform("origin"), area.left, bottom);
    glUniform1f(program_.uniform("gain"), gain);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, first_.texture());
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, second_.texture());
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

PictureDifference::PictureDifference() : impl_(std::make_unique<Impl>()) {}

PictureDifference::~PictureDifference() = default;

void PictureDifference::draw(const PlacedPicture& first, const PlacedPicture& second, const TargetPart& part,
                             float gain) {
    impl_->draw(first, second, part, gain);
}

}  // namespace verbcast
