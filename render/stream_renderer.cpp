#include "render/stream_renderer.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/error.h"
#include "render/colour.h"
#include "render/gl/picture_target.h"
#include "render/picture_geometry.h"
#include "render/picture_programs.h"
#include "render/upload/uploaded_picture.h"

namespace verbcast {
namespace {

constexpr int kOldestVersion = 33;
constexpr double kNearestFromScale = 2.0;

/// The most target pixels that the picture can cover.
double coveredPixels(const VideoFormat& format, const Placement& placement, int targetWidth,
                     int targetHeight) {
    const auto size = displaySize(format);
    return std::min(size.width * placement.scale, double(targetWidth)) *
           std::min(size.height * placement.scale, double(targetHeight));
}

// Conversion costs per converted pixel. So a picture that covers fewer target pixels than it has (a 4K stream
// in a smaller window, or zoomed in) is converted while drawn, again at each repaint, and its planes are
// interpolated before the conversion. A picture that covers more is converted once as a whole, and repaints
// reuse that. 4K yuv420p in 1280x720 on llvmpipe: 12 ms of CPU per frame instead of 160.
bool convertsFirst(const VideoFormat& format, const Placement& placement, int targetWidth, int targetHeight) {
    return coveredPixels(format, placement, targetWidth, targetHeight) >
           static_cast<double>(format.width) * format.height;
}

constexpr std::array<float, 9> kWholeTarget{2,  0, -1, 0, 2,
                                            -1, 0, 0,  1};  // row 0 of the picture is row 0 there

/// Whether the bound target stores alpha. A window with alpha may be see-through.
bool targetHasAlpha() {
    GLint bound = 0, bits = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
    glGetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER,
                                          bound == 0 ? GL_BACK_LEFT : GL_COLOR_ATTACHMENT0,
                                          GL_FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE, &bits);
    return bits > 0;
}

bool isNearest(const Placement& placement, const TargetPart& part) {
    return !part.alwaysLinear && placement.scale >= kNearestFromScale;
}

void setFilter(GLint filter) {
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
}

void drawQuad() {
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

}  // namespace

struct StreamRenderer::State {
    State(UploadPath path, SoftwareImport software) : picture(path, software) {}

    UploadedPicture picture;
    GlVertexArray vertexArray = GlVertexArray::create();
    PictureProgramCache programs;
    std::uint64_t number = 0;  // of the picture
    VideoFormat format;        // the picture's, as is plan
    ColourPlan plan;
    PictureTarget converted;
    bool isConverted = false;

    bool follow(const VideoFormat& newFormat, const std::optional<PictureChanges>& changes);
    void convertInto(const PictureTarget& target);
    void convertOnce();
    bool copiesPixels(const Placement& placement, const TargetPart& part);
    void copyPicture(const TargetRect& place, const TargetPart& part);
    bool drawsConverted(const Placement& placement, const TargetRect& area) const;
    void drawPicture(const Placement& placement, const TargetPart& part);
    void drawWithAlpha(const Placement& placement, const TargetPart& part, float opacity);
    std::array<float, 9> toClip(const Placement& placement, const TargetPart& part) const;
};

/// Notes what has changed in the picture shown; false if none was taken.
bool StreamRenderer::State::follow(const VideoFormat& newFormat,
                                   const std::optional<PictureChanges>& changes) {
    if (!changes) {
        return false;
    }
    if (newFormat != format) {
        converted = {};
        plan = planColour(newFormat, textureLayout(newFormat.pixelFormat).codeOfOne);
        format = newFormat;
    }
    isConverted = isConverted && changes->isNone();
    ++number;
    return true;
}

void StreamRenderer::State::convertInto(const PictureTarget& target) {
    glBindFramebuffer(GL_FRAMEBUFFER, target.framebuffer());
    glViewport(0, 0, static_cast<GLsizei>(format.width), static_cast<GLsizei>(format.height));
    programs.get(format.pixelFormat, plan.path, PictureProgram::Job::Convert).use(format, plan, kWholeTarget);
    picture.textures().bind();
    drawQuad();
}

void StreamRenderer::State::convertOnce() {
    if (isConverted) {
        return;
    }
    if (!converted) {
        const bool tenBits =
            pixelFormatInfo(format.pixelFormat).bitsPerComponent > 8 || plan.path != ColourPath::Matrix;
        converted = PictureTarget(format.width, format.height,
                                  tenBits ? TargetPixels::TenBits : TargetPixels::Fastest);
    }
    const TargetScope target;
    convertInto(converted);
    isConverted = true;
}

/// pictureToClip() for the whole target, whose rows may be upside down: of a picture that is cropped, the
/// area may be larger than a viewport can be.
std::array<float, 9> StreamRenderer::State::toClip(const Placement& placement, const TargetPart& part) const {
    Placement inTarget = placement;
    inTarget.centreX += part.area.left;
    inTarget.centreY += part.area.top;
    auto matrix = pictureToClip(format, inTarget, part.targetWidth, part.targetHeight);
    if (part.rows == RowOrder::TopFirst) {
        for (const std::size_t of : {3, 4, 5}) {
            matrix.at(of) = -matrix.at(of);
        }
    }
    return matrix;
}

void StreamRenderer::State::drawWithAlpha(const Placement& placement, const TargetPart& part, float opacity) {
    const PictureProgram& program =
        programs.get(format.pixelFormat, plan.path, PictureProgram::Job::DrawAlpha);
    program.use(format, plan, toClip(placement, part));
    program.setOpacity(opacity);
    picture.textures().bind();
    const bool exact = isNearest(placement, part) || isPixelForPixel(format, placement);
    setFilter(exact ? GL_NEAREST : GL_LINEAR);
    drawQuad();
    setFilter(GL_LINEAR);
}

// Where no pixel has to change, they are copied. 1080p on llvmpipe: 0.6 ms on one core, not 4.5 ms on each.
bool StreamRenderer::State::copiesPixels(const Placement& placement, const TargetPart& part) {
    const bool packed = format.pixelFormat == PixelFormat::bgra || format.pixelFormat == PixelFormat::rgba ||
                        format.pixelFormat == PixelFormat::rgb24;
    return plan.path == ColourPath::Plain && packed && format.rotation == 0 &&
           picture.textures().holdColoursInOrder() && isPixelForPixel(format, placement) &&
           (part.opaqueLater || !targetHasAlpha()) && picture.firstPlane() != 0;
}

void StreamRenderer::State::copyPicture(const TargetRect& place, const TargetPart& part) {
    const TargetScope saved;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, picture.firstPlane());
    // The texture's row 0 is the picture's top.
    const TargetRect into{part.area.left + place.left, part.area.top + place.top, place.width, place.height};
    const int lowest = part.rowOf(into), highest = lowest + into.height;
    const bool turned = part.rows == RowOrder::BottomFirst;
    glBlitFramebuffer(0, 0, place.width, place.height, into.left, turned ? highest : lowest,
                      into.left + into.width, turned ? lowest : highest, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

/// Whether to draw from the texture that convertOnce() fills, not from the planes.
bool StreamRenderer::State::drawsConverted(const Placement& placement, const TargetRect& area) const {
    return plan.path != ColourPath::Plain && convertsFirst(format, placement, area.width, area.height);
}

void StreamRenderer::State::drawPicture(const Placement& placement, const TargetPart& part) {
    using Job = PictureProgram::Job;
    const auto transform = toClip(placement, part);
    const bool nearest = isNearest(placement, part);
    const bool plain = plan.path == ColourPath::Plain;
    if (!plain && !drawsConverted(placement, part.area)) {
        const auto job = nearest ? Job::DrawNearest : Job::Draw;
        programs.get(format.pixelFormat, plan.path, job).use(format, plan, transform);
        picture.textures().bind();
    } else {
        programs.get(PixelFormat::rgba, ColourPath::Plain, Job::Draw).use(format, plan, transform);
        glActiveTexture(GL_TEXTURE0);
        glBindTexture(GL_TEXTURE_2D, plain ? picture.textures().texture(0) : converted.texture());
        setFilter(nearest || isPixelForPixel(format, placement) ? GL_NEAREST : GL_LINEAR);
    }
    drawQuad();
    if (plain) {
        setFilter(GL_LINEAR);  // as its next colours expect, which may be others
    }
}

StreamRenderer::StreamRenderer(UploadPath path, SoftwareImport software) {
    if (const int version = epoxy_gl_version(); version < kOldestVersion) {
        throw Error(ErrorKind::Display,
                    fmt::format("OpenGL is version {}.{}, 3.3 is needed", version / 10, version % 10),
                    "update the graphics driver, or run with LIBGL_ALWAYS_SOFTWARE=1");
    }
    state_ = std::make_unique<State>(path, software);
}

StreamRenderer::~StreamRenderer() = default;

void StreamRenderer::upload(const VideoFormat& format, const std::byte* payload,
                            const PictureChanges& changed) {
    state_->follow(format, state_->picture.upload(format, {payload}, changed));
}

bool StreamRenderer::uploadIf(const VideoFormat& format, const std::byte* payload,
                              const PictureChanges& changed, const std::function<bool()>& whole) {
    return state_->follow(format, state_->picture.uploadIf(format, {payload}, changed, whole));
}

bool StreamRenderer::adopt(const VideoFormat& format, const FrameLease& lease) {
    return state_->picture.adopt(format, lease) && state_->follow(format, PictureChanges::all());
}

bool StreamRenderer::take(const VideoFormat& format, const FrameLease& lease, const PictureChanges& changed,
                          const std::function<bool()>& whole) {
    return state_->follow(format, state_->picture.take(format, lease, changed, whole));
}

bool StreamRenderer::hasPicture() const {
    return state_->picture.any();
}

const VideoFormat& StreamRenderer::format() const {
    return state_->picture.format();
}

ShownPicture StreamRenderer::picture() const {
    return {state_->picture.format(), state_->picture.textures(), state_->number};
}

void StreamRenderer::draw(const Placement& placement, int targetWidth, int targetHeight,
                          const float (&clear)[3]) {
    const TargetRect whole{0, 0, targetWidth, targetHeight};
    draw(placement, {targetWidth, targetHeight, whole, whole}, clear);
}

bool StreamRenderer::draw(const Placement& placement, const TargetPart& part, const float (&clear)[3]) {
    const DrawScope scope(state_->vertexArray);
    const TargetRect& area = part.area;
    const bool copies = hasPicture() && state_->copiesPixels(placement, part);
    if (hasPicture() && !copies && state_->drawsConverted(placement, area)) {
        state_->convertOnce();
    }
    const ClipScope clip(part);
    glViewport(0, 0, part.targetWidth, part.targetHeight);
    const auto place = copies ? targetRect(state_->format, placement) : TargetRect{};
    if (!copies || !place.covers(area.width, area.height)) {
        glClearColor(clear[0], clear[1], clear[2], 1.0f);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    if (copies) {
        state_->copyPicture(place, part);
    } else if (hasPicture()) {
        state_->drawPicture(placement, part);
    }
    return copies && hasAlpha(state_->format.pixelFormat);
}

void StreamRenderer::drawOver(const Placement& placement, const TargetPart& part, const Blend& blend) {
    if (!hasPicture()) {
        return;
    }
    const DrawScope scope(state_->vertexArray);
    const TargetRect& area = part.area;
    const bool alpha = blend.alpha && hasAlpha(state_->format.pixelFormat);
    if (!alpha && state_->drawsConverted(placement, area)) {
        state_->convertOnce();
    }
    const ClipScope clip(part);
    glViewport(0, 0, part.targetWidth, part.targetHeight);
    glEnable(GL_BLEND);
    glBlendColor(0, 0, 0, blend.opacity);
    if (alpha) {
        glBlendFuncSeparate(blend.premultiplied ? GL_CONSTANT_ALPHA : GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA,
                            GL_ZERO, GL_ONE);
        state_->drawWithAlpha(placement, part, blend.opacity);
    } else {
        glBlendFuncSeparate(GL_CONSTANT_ALPHA, GL_ONE_MINUS_CONSTANT_ALPHA, GL_ZERO, GL_ONE);
        state_->drawPicture(placement, part);
    }
    glBlendColor(0, 0, 0, 0);
}

RgbaImage StreamRenderer::readPicture() {
    if (!hasPicture()) {
        return {};
    }
    RgbaImage image{format().width, format().height, {}};
    image.pixels.resize(std::size_t{4} * image.width * image.height);
    const PictureTarget target(image.width, image.height, TargetPixels::Fastest);
    const TargetScope saved;
    const DrawScope scope(state_->vertexArray);
    state_->convertInto(target);
    glReadPixels(0, 0, static_cast<GLsizei>(image.width), static_cast<GLsizei>(image.height), GL_RGBA,
                 GL_UNSIGNED_BYTE, image.pixels.data());
    return image;
}

UploadReport StreamRenderer::uploadReport() const {
    return state_->picture.report();
}

std::string StreamRenderer::colourNote() const {
    return hasPicture() ? describe(state_->plan.path) : std::string();
}

void clearTarget(int targetWidth, int targetHeight, const float (&clear)[3]) {
    glViewport(0, 0, targetWidth, targetHeight);
    glDisable(GL_SCISSOR_TEST);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glClearColor(clear[0], clear[1], clear[2], 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
}

}  // namespace verbcast
