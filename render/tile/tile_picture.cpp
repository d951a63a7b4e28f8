#include "render/tile/tile_picture.h"

#include <algorithm>
#include <array>

#include "render/picture_target.h"
#include "render/shader_program.h"
#include "render/tile/tile_geometry.h"

namespace verbcast {
namespace {

constexpr float kBlack[3] = {0, 0, 0};

ShaderProgram tileProgram() {
    static constexpr std::string_view kVertex[] = {"difference.vert"};
    static constexpr std::string_view kFragment[] = {"tile.frag"};
    return {assembleShader({}, kVertex), assembleShader({}, kFragment)};
}

GLfloat single(double value) {
    return static_cast<GLfloat>(value);
}

}  // namespace

class TilePicture::Impl {
  public:
    void draw(StreamRenderer& picture, const TileCrop& crop, const TileLook& look, const TargetPart& part);

  private:
    void fill(StreamRenderer& picture, const FrameRect& crop);
    void begin(const TileCrop& crop, const TileLook& look, const TargetPart& part);

    ShaderProgram program_{tileProgram()};
    GlVertexArray vertexArray_{GlVertexArray::create()};
    PictureTarget cropped_;  // only the part
    std::uint32_t width_ = 0, height_ = 0;
    bool tenBits_ = false;
};

void TilePicture::Impl::fill(StreamRenderer& picture, const FrameRect& crop) {
    const VideoFormat& format = picture.format();
    const bool tenBits =
        pixelFormatInfo(format.pixelFormat).bitsPerComponent > 8 || !picture.colourNote().empty();
    if (!cropped_ || crop.width != width_ || crop.height != height_ || tenBits != tenBits_) {
        cropped_ = PictureTarget(crop.width, crop.height, tenBits);
        width_ = crop.width;
        height_ = crop.height;
        tenBits_ = tenBits;
    }
    const TargetScope saved;
    glBindFramebuffer(GL_FRAMEBUFFER, cropped_.framebuffer());
    picture.draw(
        {.centreX = format.width / 2.0 - crop.x, .centreY = format.height / 2.0 - crop.y, .scale = 1},
        crop.width, crop.height, kBlack);
}

void TilePicture::Impl::begin(const TileCrop& crop, const TileLook& look, const TargetPart& part) {
    const TargetRect& area = part.area;
    const int top = part.targetHeight - area.top;  // from the bottom, as in OpenGL
    glViewport(area.left, top - area.height, area.width, area.height);
    const TilePlace place = placeTile(look, crop.width, crop.height, area);
    std::array<GLfloat, 9> rows;
    std::ranges::transform(place.pictureFromTarget.rows(), rows.begin(), single);
    program_.use();
    glUniformMatrix3fv(program_.uniform("pictureFromTarget"), 1, GL_TRUE, rows.data());
    glUniform2f(program_.uniform("origin"), static_cast<GLfloat>(area.left), static_cast<GLfloat>(top));
    glUniform4f(program_.uniform("part"), single(crop.left / crop.width), single(crop.top / crop.height),
                single(crop.part.width / crop.width), single(crop.part.height / crop.height));
    glUniform4f(program_.uniform("fade"), single(look.fade.left), single(look.fade.right),
                single(look.fade.top), single(look.fade.bottom));
    glUniform1f(program_.uniform("fadeGamma"), single(look.fade.gamma));
    glUniform3f(program_.uniform("gain"), single(look.gain[0]), single(look.gain[1]), single(look.gain[2]));
    glUniform1f(program_.uniform("gamma"), single(look.gamma));
    glUniform1f(program_.uniform("black"), single(look.black));
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, cropped_ ? cropped_.texture() : 0);
    const GLint filter = place.exact ? GL_NEAREST : GL_LINEAR;
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
}

void TilePicture::Impl::draw(StreamRenderer& picture, const TileCrop& crop, const TileLook& look,
                             const TargetPart& part) {
    const bool any = picture.hasPicture() && !crop.isEmpty();
    if (any && !crop.part.isEmpty()) {
        fill(picture, crop.part);
    }
    const DrawScope scope(vertexArray_);
    const ClipScope clip(part);
    if (any) {
        begin(crop, look, part);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    } else {
        glClearColor(0, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
    }
}

TilePicture::TilePicture() : impl_(std::make_unique<Impl>()) {}

TilePicture::~TilePicture() = default;

void TilePicture::draw(StreamRenderer& picture, const TileCrop& crop, const TileLook& look,
                       const TargetPart& part) {
    impl_->draw(picture, crop, look, part);
}

}  // namespace verbcast
