#include "render/picture_difference.h"

#include "render/picture_pair.h"

namespace verbcast {
namespace {

ShaderProgram differenceProgram() {
    static constexpr std::string_view kVertex[] = {"difference.vert"};
    static constexpr std::string_view kFragment[] = {"difference.frag"};
    return {assembleShader({}, kVertex), assembleShader({}, kFragment)};
}

}  // namespace

class PictureDifference::Impl {
  public:
    PicturePair pair{differenceProgram()};
};

PictureDifference::PictureDifference() : impl_(std::make_unique<Impl>()) {}

PictureDifference::~PictureDifference() = default;

void PictureDifference::draw(const PlacedPicture& first, const PlacedPicture& second, const TargetPart& part,
                             float gain) {
    impl_->pair.draw(first, second, part,
                     [&](ShaderProgram& program) { glUniform1f(program.uniform("gain"), gain); });
}

}  // namespace verbcast
