#include "render/stream_renderer.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "render/colour.h"
#include "render/picture_geometry.h"
#include "render/picture_programs.h"
#include "render/picture_target.h"
#include "render/plane_textures.h"
#include "render/texture_upload.h"

namespace verbcast {
namespace {

constexpr int kOldestVersion = 33;
constexpr double kNearestFromScale = 2.0;

/// Target pixels that the picture covers at most.
double coveredPixels(const VideoFormat& format, const Placement& placement, int targetWidth,
                     int targetHeight) {
    const auto size = displaySize(format);
    return std::min(size.width * placement.scale, double(targetWidth)) *
           std::min(size.height * placement.scale, double(targetHeight));
}

// Converting costs per pixel converted. So a picture that covers fewer pixels of the target than it has (a 4K
// stream in a smaller window, or zoomed in) is converted while it is drawn, and again when it is repainted;
// its planes are then interpolated before the conversion. One that covers more is converted once, whole, and
// repaints reuse that. 4K yuv420p in 1280x720 on llvmpipe: 12 ms of CPU a frame against 160.
bool convertsFirst(const VideoFormat& format, const Placement& placement, int targetWidth, int targetHeight) {
    return coveredPixels(format, placement, targetWidth, targetHeight) >
           static_cast<double>(format.width) * format.height;
}

constexpr std::array<float, 9> kWholeTarget{2,  0, -1, 0, 2,
                                            -1, 0, 0,  1};  // row 0 of the picture is row 0 there

/// Whether what is written to the bound target keeps an alpha component. A window's may be seen through then.
bool targetHasAlpha() {
    GLint bound = 0, bits = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
    glGetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER,
                                          bound == 0 ? GL_BACK_LEFT : GL_COLOR_ATTACHMENT0,
                                          GL_FRAMEBUFFER_ATTACHMENT_ALPHA_SIZE, &bits);
    return bits > 0;
}

void setFilter(GLint filter) {
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
}

void drawQuad() {
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

}  // namespace

class StreamRenderer::Impl {
  public:
    explicit Impl(UploadPath path) : uploader_(path), vertexArray_(GlVertexArray::create()) {}

    void upload(const VideoFormat& format, const std::byte* payload, const PictureChanges& changed);
    void draw(const Placement& placement, const TargetPart& part, const float (&clear)[3]);
    RgbaImage readPicture();

    bool hasPicture() const { return hasPicture_; }
    const VideoFormat& format() const { return format_; }
    UploadReport uploadReport() const { return uploader_.report(); }
    std::string colourNote() const { return hasPicture_ ? describe(plan_.path) : std::string(); }

  private:
    void changeFormat(const VideoFormat& format);
    void convertInto(const PictureTarget& target);
    void convertOnce();
    bool copiesPixels(const Placement& placement);
    bool firstPlaneReadable();
    void copyPicture(const TargetRect& place, const TargetPart& part);
    bool drawsConverted(const Placement& placement, const TargetRect& area) const;
    void drawPicture(const Placement& placement, const TargetRect& area);

    TextureUploader uploader_;
    GlVertexArray vertexArray_;
    PictureProgramCache programs_;
    VideoFormat format_;
    ColourPlan plan_;
    PlaneTextures planes_;
    GlFramebuffer firstPlane_;  // to copy from
    bool firstPlaneReadable_ = false;
    PictureTarget converted_;
    bool isConverted_ = false;
    bool hasPicture_ = false;
};

void StreamRenderer::Impl::changeFormat(const VideoFormat& format) {
    const bool sameTextures = hasPicture_ && format.width == format_.width &&
                              format.height == format_.height && format.pixelFormat == format_.pixelFormat;
    if (!sameTextures) {
        hasPicture_ = false;
        planes_ = {};
        planes_ = PlaneTextures(format);
        firstPlane_.reset();
        uploader_.reset();
    }
    converted_ = {};
    plan_ = planColour(format, textureLayout(format.pixelFormat).codeOfOne);
    format_ = format;
}

void StreamRenderer::Impl::upload(const VideoFormat& format, const std::byte* payload,
                                  const PictureChanges& changed) {
    const bool follows = hasPicture_ && format == format_;
    if (!follows) {
        changeFormat(format);
    }
    uploader_.upload(format_, planes_, payload, follows ? changed : PictureChanges::all());
    isConverted_ = isConverted_ && follows && changed.isNone();
    hasPicture_ = true;
}

void StreamRenderer::Impl::convertInto(const PictureTarget& target) {
    glBindFramebuffer(GL_FRAMEBUFFER, target.framebuffer());
    glViewport(0, 0, static_cast<GLsizei>(format_.width), static_cast<GLsizei>(format_.height));
    programs_.get(format_.pixelFormat, plan_.path, PictureProgram::Job::Convert)
        .use(format_, plan_, kWholeTarget);
    planes_.bind();
    drawQuad();
}

void StreamRenderer::Impl::convertOnce() {
    if (isConverted_) {
        return;
    }
    if (!converted_) {
        const bool tenBits =
            pixelFormatInfo(format_.pixelFormat).bitsPerComponent > 8 || plan_.path != ColourPath::Matrix;
        converted_ = PictureTarget(format_.width, format_.height, tenBits);
    }
    const TargetScope target;
    convertInto(converted_);
    isConverted_ = true;
}

void StreamRenderer::Impl::draw(const Placement& placement, const TargetPart& part, const float (&clear)[3]) {
    const DrawScope scope(vertexArray_);
    const TargetRect& area = part.area;
    const bool copies = hasPicture_ && copiesPixels(placement);
    if (hasPicture_ && !copies && drawsConverted(placement, area)) {
        convertOnce();
    }
    const ClipScope clip(part);
    glViewport(area.left, part.targetHeight - area.top - area.height, area.width, area.height);
    const auto place = copies ? targetRect(format_, placement) : TargetRect{};
    if (!copies || !place.covers(area.width, area.height)) {
        glClearColor(clear[0], clear[1], clear[2], 1.0f);
        glClear(GL_COLOR_BUFFER_BIT);
    }
    if (copies) {
        copyPicture(place, part);
    } else if (hasPicture_) {
        drawPicture(placement, area);
    }
}

// Where no pixel has to change, they are copied. 1080p on llvmpipe: 0.6 ms of one processor instead of 4.5 of
// each.
bool StreamRenderer::Impl::copiesPixels(const Placement& placement) {
    const bool packed = format_.pixelFormat == PixelFormat::bgra ||
                        format_.pixelFormat == PixelFormat::rgba || format_.pixelFormat == PixelFormat::rgb24;
    return plan_.path == ColourPath::Plain && packed && format_.rotation == 0 &&
           isPixelForPixel(format_, placement) && !targetHasAlpha() && firstPlaneReadable();
}

/// Drivers need not be able to copy from each kind of texture.
bool StreamRenderer::Impl::firstPlaneReadable() {
    if (!firstPlane_) {
        const TargetScope saved;
        firstPlane_ = GlFramebuffer::create();
        glBindFramebuffer(GL_READ_FRAMEBUFFER, firstPlane_.get());
        glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, planes_.texture(0),
                               0);
        firstPlaneReadable_ = glCheckFramebufferStatus(GL_READ_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    }
    return firstPlaneReadable_;
}

void StreamRenderer::Impl::copyPicture(const TargetRect& place, const TargetPart& part) {
    const TargetScope saved;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, firstPlane_.get());
    // OpenGL counts a target's rows from the bottom; the texture's row 0 is the picture's top.
    const int left = part.area.left + place.left;
    const int top = part.targetHeight - part.area.top - place.top;
    glBlitFramebuffer(0, 0, place.width, place.height, left, top, left + place.width, top - place.height,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

/// From the texture that convertOnce() fills, and not from the planes.
bool StreamRenderer::Impl::drawsConverted(const Placement& placement, const TargetRect& area) const {
    return plan_.path != ColourPath::Plain && convertsFirst(format_, placement, area.width, area.height);
}

void StreamRenderer::Impl::drawPicture(const Placement& placement, const TargetRect& area) {
    using Job = PictureProgram::Job;
    const auto transform = pictureToClip(format_, placement, area.width, area.height);
    const bool nearest = placement.scale >= kNearestFromScale;
    const bool plain = plan_.path == ColourPath::Plain;
    if (!plain && !drawsConverted(placement, area)) {
        const auto job = nearest ? Job::DrawNearest : Job::Draw;
        programs_.get(format_.pixelFormat, plan_.path, job).use(format_, plan_, transform);
        planes_.bind();
    } else {
        programs_.get(PixelFormat::rgba, ColourPath::Plain, Job::Draw).use(format_, plan_, transform);
        glActiveTexture(GL_TEXTURE0);
        glBindTexture(GL_TEXTURE_2D, plain ? planes_.texture(0) : converted_.texture());
        setFilter(nearest || isPixelForPixel(format_, placement) ? GL_NEAREST : GL_LINEAR);
    }
    drawQuad();
}

RgbaImage StreamRenderer::Impl::readPicture() {
    if (!hasPicture_) {
        return {};
    }
    RgbaImage image{format_.width, format_.height, {}};
    image.pixels.resize(std::size_t{4} * image.width * image.height);
    const PictureTarget target(format_.width, format_.height, false);
    const TargetScope saved;
    const DrawScope scope(vertexArray_);
    convertInto(target);
    glReadPixels(0, 0, static_cast<GLsizei>(image.width), static_cast<GLsizei>(image.height), GL_RGBA,
                 GL_UNSIGNED_BYTE, image.pixels.data());
    return image;
}

StreamRenderer::StreamRenderer(UploadPath path) {
    if (epoxy_gl_version() < kOldestVersion) {
        throw Error(ErrorKind::Display,
                    "OpenGL is version " + std::to_string(epoxy_gl_version() / 10) + "." +
                        std::to_string(epoxy_gl_version() % 10) + ", 3.3 is needed",
                    "update the graphics driver, or run with LIBGL_ALWAYS_SOFTWARE=1");
    }
    impl_ = std::make_unique<Impl>(path);
}

StreamRenderer::~StreamRenderer() = default;

void StreamRenderer::upload(const VideoFormat& format, const std::byte* payload,
                            const PictureChanges& changed) {
    impl_->upload(format, payload, changed);
}

bool StreamRenderer::hasPicture() const {
    return impl_->hasPicture();
}

const VideoFormat& StreamRenderer::format() const {
    return impl_->format();
}

void StreamRenderer::draw(const Placement& placement, int targetWidth, int targetHeight,
                          const float (&clear)[3]) {
    const TargetRect whole{0, 0, targetWidth, targetHeight};
    impl_->draw(placement, {targetWidth, targetHeight, whole, whole}, clear);
}

void StreamRenderer::draw(const Placement& placement, const TargetPart& part, const float (&clear)[3]) {
    impl_->draw(placement, part, clear);
}

RgbaImage StreamRenderer::readPicture() {
    return impl_->readPicture();
}

UploadReport StreamRenderer::uploadReport() const {
    return impl_->uploadReport();
}

std::string StreamRenderer::colourNote() const {
    return impl_->colourNote();
}

void clearTarget(int targetWidth, int targetHeight, const float (&clear)[3]) {
    glViewport(0, 0, targetWidth, targetHeight);
    glDisable(GL_SCISSOR_TEST);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glClearColor(clear[0], clear[1], clear[2], 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
}

}  // namespace verbcast
