#include "render/tile/tile_picture.h"

#include <algorithm>
#include <array>

#include "render/gl/picture_target.h"
#include "render/gl/shader_program.h"
#include "render/tile/tile_geometry.h"

namespace verbcast {
namespace {

constexpr float kBlack[3] = {0, 0, 0};

GLfloat single(double value) {
    return static_cast<GLfloat>(value);
}

}  // namespace

struct TilePicture::State {
    ShaderProgram program{{"viewport.vert"}, {"tile.frag"}};
    GlVertexArray vertexArray = GlVertexArray::create();
    PictureTarget cropped;  // only the part
    std::uint32_t width = 0, height = 0;
    bool tenBits = false;

    void fill(StreamRenderer& picture, const FrameRect& crop);
    void begin(const TileCrop& crop, const TileLook& look, const TargetPart& part);
};

void TilePicture::State::fill(StreamRenderer& picture, const FrameRect& crop) {
    const VideoFormat& format = picture.format();
    const bool deep =
        pixelFormatInfo(format.pixelFormat).bitsPerComponent > 8 || !picture.colourNote().empty();
    if (!cropped || crop.width != width || crop.height != height || deep != tenBits) {
        cropped =
            PictureTarget(crop.width, crop.height, deep ? TargetPixels::TenBits : TargetPixels::Fastest);
        width = crop.width;
        height = crop.height;
        tenBits = deep;
    }
    const TargetScope saved;
    glBindFramebuffer(GL_FRAMEBUFFER, cropped.framebuffer());
    picture.draw(
        {.centreX = format.width / 2.0 - crop.x, .centreY = format.height / 2.0 - crop.y, .scale = 1},
        crop.width, crop.height, kBlack);
}

void TilePicture::State::begin(const TileCrop& crop, const TileLook& look, const TargetPart& part) {
    const TargetRect& area = part.area;
    const int top = part.targetHeight - area.top;  // from the bottom, as in OpenGL
    glViewport(area.left, top - area.height, area.width, area.height);
    const TilePlace place = placeTile(look, crop.width, crop.height, area);
    std::array<GLfloat, 9> rows;
    std::ranges::transform(place.pictureFromTarget.rows(), rows.begin(), single);
    program.use();
    glUniformMatrix3fv(program.uniform("pictureFromTarget"), 1, GL_TRUE, rows.data());
    glUniform2f(program.uniform("origin"), single(area.left), single(top));
    glUniform4f(program.uniform("part"), single(crop.left / crop.width), single(crop.top / crop.height),
                single(crop.part.width / crop.width), single(crop.part.height / crop.height));
    glUniform4f(program.uniform("fade"), single(look.fade.left), single(look.fade.right),
                single(look.fade.top), single(look.fade.bottom));
    glUniform1f(program.uniform("fadeGamma"), single(look.fade.gamma));
    glUniform3f(program.uniform("gain"), single(look.gain[0]), single(look.gain[1]), single(look.gain[2]));
    glUniform1f(program.uniform("gamma"), single(look.gamma));
    glUniform1f(program.uniform("black"), single(look.black));
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, cropped ? cropped.texture() : 0);
    const GLint filter = place.exact ? GL_NEAREST : GL_LINEAR;
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
}

TilePicture::TilePicture() : state_(std::make_unique<State>()) {}

TilePicture::~TilePicture() = default;

void TilePicture::draw(StreamRenderer& picture, const TileCrop& crop, const TileLook& look,
                       const TargetPart& part) {
    const bool any = picture.hasPicture() && !crop.isEmpty();
    if (any && !crop.part.isEmpty()) {
        state_->fill(picture, crop.part);
    }
    const DrawScope scope(state_->vertexArray);
    const ClipScope clip(part);
    if (any) {
        state_->begin(crop, look, part);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    } else {
        glClearColor(0, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
    }
}

}  // namespace verbcast
