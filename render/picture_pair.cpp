#include "render/picture_pair.h"

#include "render/gl/picture_target.h"
#include "render/gl/shader_program.h"

namespace verbcast {
namespace {

constexpr float kNothing[3] = {0, 0, 0};

void drawInto(const PictureTarget& target, const PlacedPicture& placed, const TargetRect& area) {
    glBindFramebuffer(GL_FRAMEBUFFER, target.framebuffer());
    placed.picture.draw(placed.placement, area.width, area.height, kNothing);
}

}  // namespace

struct PicturePair::State {
    explicit State(std::string_view fragmentShader) : program({"viewport.vert"}, {fragmentShader}) {}

    ShaderProgram program;
    GlVertexArray vertexArray = GlVertexArray::create();
    PictureTarget first, second;  // of the size of the part's area
    int width = 0, height = 0;

    void fill(const PlacedPicture& one, const PlacedPicture& other, const TargetRect& area);
    /// `setMore()` sets the program's other uniforms.
    template <typename SetMore>
    void draw(const PlacedPicture& one, const PlacedPicture& other, const TargetPart& part,
              const SetMore& setMore);
};

void PicturePair::State::fill(const PlacedPicture& one, const PlacedPicture& other, const TargetRect& area) {
    if (area.width != width || area.height != height) {
        width = area.width;
        height = area.height;
        for (PictureTarget* const target : {&first, &second}) {
            *target = PictureTarget(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height),
                                    TargetPixels::Fastest);
        }
    }
    const TargetScope saved;
    drawInto(first, one, area);
    drawInto(second, other, area);
}

template <typename SetMore>
void PicturePair::State::draw(const PlacedPicture& one, const PlacedPicture& other, const TargetPart& part,
                              const SetMore& setMore) {
    const TargetRect& area = part.area;
    fill(one, other, area);
    const DrawScope scope(vertexArray);
    const ClipScope clip(part);
    const int bottom = part.rowOf(area);
    glViewport(area.left, bottom, area.width, area.height);
    program.use();
    glUniform2i(program.uniform("origin"), area.left, bottom);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, first.texture());
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, second.texture());
    setMore();
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

PicturePair::PicturePair(std::string_view fragmentShader) : state_(std::make_unique<State>(fragmentShader)) {}

PicturePair::~PicturePair() = default;

PictureDifference::PictureDifference() : PicturePair("difference.frag") {}

void PictureDifference::draw(const PlacedPicture& first, const PlacedPicture& second, const TargetPart& part,
                             float gain) {
    state_->draw(first, second, part, [&] { glUniform1f(state_->program.uniform("gain"), gain); });
}

StereoPicture::StereoPicture() : PicturePair("stereo.frag") {}

void StereoPicture::draw(const PlacedPicture& left, const PlacedPicture& right, const TargetPart& part,
                         StereoWay way, int firstRow) {
    state_->draw(left, right, part, [&] {
        const ShaderProgram& program = state_->program;
        glUniform2i(program.uniform("size"), part.area.width, part.area.height);
        glUniform1i(program.uniform("way"), static_cast<int>(way));
        glUniform1i(program.uniform("firstRow"), firstRow & 1);
    });
}

void drawForEye(EyeBuffer eye) {
    glDrawBuffer(eye == EyeBuffer::Left ? GL_BACK_LEFT : eye == EyeBuffer::Right ? GL_BACK_RIGHT : GL_BACK);
}

}  // namespace verbcast
