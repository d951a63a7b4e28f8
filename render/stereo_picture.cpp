#include "render/stereo_picture.h"

#include "render/picture_pair.h"

namespace verbcast {
namespace {

ShaderProgram stereoProgram() {
    static constexpr std::string_view kVertex[] = {"difference.vert"};
    static constexpr std::string_view kFragment[] = {"stereo.frag"};
    return {assembleShader({}, kVertex), assembleShader({}, kFragment)};
}

}  // namespace

class StereoPicture::Impl {
  public:
    PicturePair pair{stereoProgram()};
};

StereoPicture::StereoPicture() : impl_(std::make_unique<Impl>()) {}

StereoPicture::~StereoPicture() = default;

void StereoPicture::draw(const PlacedPicture& left, const PlacedPicture& right, const TargetPart& part,
                         StereoWay way, int firstRow) {
    impl_->pair.draw(left, right, part, [&](ShaderProgram& program) {
        glUniform2i(program.uniform("size"), part.area.width, part.area.height);
        glUniform1i(program.uniform("way"), static_cast<int>(way));
        glUniform1i(program.uniform("firstRow"), firstRow & 1);
    });
}

void drawForEye(EyeBuffer eye) {
    glDrawBuffer(eye == EyeBuffer::Left ? GL_BACK_LEFT : eye == EyeBuffer::Right ? GL_BACK_RIGHT : GL_BACK);
}

}  // namespace verbcast
