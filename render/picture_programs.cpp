#include "render/picture_programs.h"

#include <string>
#include <utility>

#include "render/gl/plane_textures.h"

namespace verbcast {
namespace {

constexpr std::array<const char*, 5> kColourDefines{"COLOUR_PLAIN", "COLOUR_MATRIX", "COLOUR_WIDE_GAMUT",
                                                    "COLOUR_PQ", "COLOUR_HLG"};  // by ColourPath
constexpr std::array<std::string_view, 4> kJobFiles{"convert.frag", "draw.frag", "draw_nearest.frag",
                                                    "draw_alpha.frag"};  // by Job

std::array<std::string, 3> definesOf(PixelFormat pixelFormat, ColourPath path) {
    auto [shiftX, shiftY] = layoutDefines(pixelFormat);
    return {kColourDefines.at(static_cast<std::size_t>(path)), std::move(shiftX), std::move(shiftY)};
}

void setMatrix(GLint location, const Matrix3& rows) {
    float values[9];
    for (std::size_t i = 0; i < 9; ++i) {
        values[i] = static_cast<float>(rows[i / 3][i % 3]);
    }
    glUniformMatrix3fv(location, 1, GL_TRUE, values);
}

void setChroma(const ShaderProgram& program, const VideoFormat& format) {
    const auto& info = pixelFormatInfo(format.pixelFormat);
    const auto site = chromaSite(format);
    const double factorX = 1.0 / (1 << info.chromaShiftX);
    const double factorY = 1.0 / (1 << info.chromaShiftY);
    const auto columns = (format.width + (1u << info.chromaShiftX) - 1) >> info.chromaShiftX;
    const auto rows = (format.height + (1u << info.chromaShiftY) - 1) >> info.chromaShiftY;
    const auto f = [](double value) { return static_cast<float>(value); };
    glUniform2f(program.uniform("chromaSite"), f(site.x), f(site.y));
    glUniform2i(program.uniform("chromaLimit"), static_cast<GLint>(columns) - 1,
                static_cast<GLint>(rows) - 1);
    // Picture position p (from the edge) is (p - 0.5 - site) factor + 0.5 chroma texels from the edge.
    glUniform4f(program.uniform("chromaFromUnit"), f(format.width * factorX / columns),
                f(format.height * factorY / rows), f((0.5 - (0.5 + site.x) * factorX) / columns),
                f((0.5 - (0.5 + site.y) * factorY) / rows));
}

}  // namespace

PictureProgram::PictureProgram(PixelFormat pixelFormat, ColourPath path, Job job)
    : program_({"picture.vert"},
               {"fragment_inputs.glsl", textureLayout(pixelFormat).shader, "colour.glsl",
                kJobFiles.at(static_cast<std::size_t>(job))},
               definesOf(pixelFormat, path)) {}

void PictureProgram::use(const VideoFormat& format, const ColourPlan& plan,
                         const std::array<float, 9>& pictureToClip) const {
    program_.use();
    glUniformMatrix3fv(program_.uniform("pictureToClip"), 1, GL_TRUE, pictureToClip.data());
    glUniform2f(program_.uniform("pictureSize"), static_cast<float>(format.width),
                static_cast<float>(format.height));
    glUniform2i(program_.uniform("pictureLimit"), static_cast<GLint>(format.width) - 1,
                static_cast<GLint>(format.height) - 1);
    setChroma(program_, format);
    setMatrix(program_.uniform("signalFromComponents"), plan.signalFromComponents);
    glUniform3f(program_.uniform("signalOffset"), static_cast<float>(plan.signalOffset[0]),
                static_cast<float>(plan.signalOffset[1]), static_cast<float>(plan.signalOffset[2]));
    setMatrix(program_.uniform("screenFromPrimaries"), plan.screenFromPrimaries);
}

void PictureProgram::setOpacity(float opacity) const {
    glUniform1f(program_.uniform("opacity"), opacity);
}

const PictureProgram& PictureProgramCache::get(PixelFormat pixelFormat, ColourPath path,
                                               PictureProgram::Job job) {
    const Key key{pixelFormat, path, job};
    auto found = programs_.find(key);
    if (found == programs_.end()) {
        found = programs_.try_emplace(key, pixelFormat, path, job).first;
    }
    return found->second;
}

}  // namespace verbcast
