#include "render/overlays/waveform.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "render/colour.h"
#include "render/gl/gl_renderer.h"
#include "render/gl/picture_target.h"
#include "render/gl/plane_textures.h"

namespace verbcast {
namespace {

// The panel's share of the picture's area, and its distance from the corner.
constexpr double kPanelWidth = 0.42, kPanelHeight = 0.36, kMargin = 0.025;
// Below this nothing can be read.
constexpr int kLeastWidth = 64, kLeastHeight = 32;

ShaderProgram countingProgram(PixelFormat pixelFormat) {
    return {{"vertex_inputs.glsl", textureLayout(pixelFormat).shader, "waveform_count.vert"},
            {"waveform_count.frag"},
            layoutDefines(pixelFormat)};
}

/// At the bottom right of what is seen of the picture; empty if there is no room.
TargetRect panelIn(const TargetPart& part) {
    const int left = std::max(part.area.left, part.clip.left), top = std::max(part.area.top, part.clip.top);
    const int right = std::min(part.area.left + part.area.width, part.clip.left + part.clip.width);
    const int bottom = std::min(part.area.top + part.area.height, part.clip.top + part.clip.height);
    const int margin = static_cast<int>(std::lround(kMargin * std::min(right - left, bottom - top)));
    TargetRect panel;
    panel.width = static_cast<int>(std::lround(kPanelWidth * (right - left)));
    panel.height = static_cast<int>(std::lround(kPanelHeight * (bottom - top)));
    panel.left = right - margin - panel.width;
    panel.top = bottom - margin - panel.height;
    return panel.width < kLeastWidth || panel.height < kLeastHeight ? TargetRect{} : panel;
}

}  // namespace

WaveformCounts::WaveformCounts() : vertexArray_(GlVertexArray::create()) {}

double WaveformCounts::perColumn() const {
    return double(across_) * down_ / columns_;
}

const ShaderProgram& WaveformCounts::programFor(PixelFormat format) {
    const auto found = programs_.find(format);
    return found != programs_.end() ? found->second
                                    : programs_.emplace(format, countingProgram(format)).first->second;
}

void WaveformCounts::fit(const VideoFormat& format) {
    const auto& info = pixelFormatInfo(format.pixelFormat);
    const std::uint64_t most = rendersInSoftware() ? kMostInSoftware : kMostSamples;
    step_ = 1;
    do {
        across_ = (format.width + step_ - 1) / step_;
        down_ = (format.height + step_ - 1) / step_;
    } while (std::uint64_t{across_} * down_ > most && ++step_ != 0);
    columns_ = std::min(across_, kMostColumns);
    levels_ = 1U << info.bitsPerComponent;
    components_ = info.rgb ? 3 : 1;
    texture_ = makeTexture(GL_R32F, GL_RED, GL_FLOAT, static_cast<GLsizei>(columns_),
                           static_cast<GLsizei>(levels_) * components_);
    glBindTexture(GL_TEXTURE_2D, 0);
    framebuffer_ = GlFramebuffer::create();
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture_.get(), 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        throw Error(ErrorKind::Display, "the OpenGL driver cannot draw into a texture of floats",
                    "update the graphics driver, or leave out --overlay waveform");
    }
    format_ = format;
}

void WaveformCounts::count(const ShownPicture& picture) {
    if (counted_ == picture.number) {
        return;
    }
    const TargetScope saved;
    if (format_ != picture.format) {
        fit(picture.format);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.get());
    glViewport(0, 0, static_cast<GLsizei>(columns_), static_cast<GLsizei>(levels_) * components_);
    const DrawScope scope(vertexArray_);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    const ShaderProgram& program = programFor(picture.format.pixelFormat);
    program.use();
    picture.planes.bind();
    glUniform2i(program.uniform("samples"), static_cast<GLint>(across_), static_cast<GLint>(down_));
    glUniform1i(program.uniform("sampleStep"), static_cast<GLint>(step_));
    glUniform2i(program.uniform("cells"), static_cast<GLint>(columns_), static_cast<GLint>(levels_));
    glUniform1f(program.uniform("codeOfOne"),
                static_cast<float>(textureLayout(picture.format.pixelFormat).codeOfOne));
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    glUniform1i(program.uniform("components"), components_);
    glDrawArrays(GL_POINTS, 0, static_cast<GLsizei>(across_ * down_) * components_);
    counted_ = picture.number;
}

Waveform::Waveform()
    : program_({"viewport.vert"}, {"waveform.frag"}), vertexArray_(GlVertexArray::create()) {}

void Waveform::draw(const ShownPicture& picture, const TargetPart& part) {
    const TargetRect panel = panelIn(part);
    if (panel.width == 0) {
        return;
    }
    counts_.count(picture);
    const TargetScope saved;
    const DrawScope scope(vertexArray_);
    const ClipScope clip(part);
    const int bottom = part.rowOf(panel);
    glViewport(panel.left, bottom, panel.width, panel.height);
    program_.use();
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, counts_.texture());
    const CodeRange nominal = lumaRange(picture.format.colour.fullRange,
                                        pixelFormatInfo(picture.format.pixelFormat).bitsPerComponent);
    glUniform2i(program_.uniform("origin"), panel.left, bottom);
    glUniform2i(program_.uniform("size"), panel.width, panel.height);
    glUniform2f(program_.uniform("nominal"), static_cast<float>(nominal.zero),
                static_cast<float>(nominal.zero + nominal.span));
    glUniform1f(program_.uniform("onePixel"), static_cast<float>(1 / counts_.perColumn()));
    glUniform1i(program_.uniform("components"), counts_.components());
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

}  // namespace verbcast
