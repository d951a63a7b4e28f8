#include "render/dma_buf_import.h"

#include <epoxy/egl.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "render/egl_context.h"
#include "render/gl_renderer.h"

namespace verbcast {
namespace {

/// An EGL image to create textures from, which keep its contents.
class ImageHandle {
  public:
    ImageHandle(EGLDisplay display, EGLImageKHR image) : display_(display), image_(image) {}
    ~ImageHandle() {
        if (image_ != EGL_NO_IMAGE_KHR) {
            eglDestroyImageKHR(display_, image_);
        }
    }
    ImageHandle(const ImageHandle&) = delete;
    ImageHandle& operator=(const ImageHandle&) = delete;
    EGLImageKHR get() const { return image_; }

  private:
    EGLDisplay display_;
    EGLImageKHR image_;
};

// From libdrm's drm_fourcc.h.
constexpr std::uint64_t kLinear = 0;  // DRM_FORMAT_MOD_LINEAR
constexpr std::uint32_t fourCc(char a, char b, char c, char d) {
    return static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b) << 8 |
           static_cast<std::uint32_t>(c) << 16 | static_cast<std::uint32_t>(d) << 24;
}

/// The DRM name of texels in the memory layout of an upload. It lists a word's highest component first.
std::uint32_t fourCcOf(const PlaneTexels& texels) {
    switch (texels.internalFormat) {
        case GL_RGBA8:
            return fourCc('A', 'B', '2', '4');
        case GL_RGBA:
            return fourCc('A', 'R', '2', '4');
        case GL_RGB8:
            return fourCc('B', 'G', '2', '4');
        case GL_RGB10_A2:
            return fourCc('A', 'B', '3', '0');
        case GL_R8:
            return fourCc('R', '8', ' ', ' ');
        case GL_RG8:
            return fourCc('G', 'R', '8', '8');
        case GL_R16:
            return fourCc('R', '1', '6', ' ');
        case GL_RG16:
            return fourCc('G', 'R', '3', '2');
        default:
            return 0;
    }
}

std::string fourCcName(std::uint32_t code) {
    std::string name;
    for (int shift = 0; shift < 32; shift += 8) {
        name += static_cast<char>(code >> shift);
    }
    return name;
}

}  // namespace

DmaBufImport::DmaBufImport(SoftwareImport software) {
    display_ = hasEglLibrary() ? eglGetCurrentDisplay() : EGL_NO_DISPLAY;
    if (display_ == EGL_NO_DISPLAY) {
        unavailable_ = "this OpenGL context is not EGL's (QT_XCB_GL_INTEGRATION=xcb_egl makes it so on X11)";
        return;
    }
    // Mesa's software drivers read with the CPU, as an upload does, and crash on buffers of other devices.
    if (software == SoftwareImport::Refuse && rendersInSoftware()) {
        unavailable_ = "OpenGL draws in software, which gains nothing by it";
        return;
    }
    if (!epoxy_has_egl_extension(display_, "EGL_EXT_image_dma_buf_import")) {
        unavailable_ = "the OpenGL driver lacks EGL_EXT_image_dma_buf_import";
        return;
    }
    modifiers_ = epoxy_has_egl_extension(display_, "EGL_EXT_image_dma_buf_import_modifiers");
    storage_ = !epoxy_has_gl_extension("GL_OES_EGL_image");
    if (storage_ && !epoxy_has_gl_extension("GL_EXT_EGL_image_storage")) {
        unavailable_ = "the OpenGL driver has neither GL_OES_EGL_image nor GL_EXT_EGL_image_storage";
    }
}

/// The modifier to tell the driver; nullopt if unlisted. Sets `problem` if it cannot read the picture.
std::optional<std::uint64_t> DmaBufImport::modifierFor(std::uint32_t code, const DmaBufPicture& picture,
                                                       std::string& problem) const {
    const std::uint64_t wanted = picture.modifier.value_or(kLinear);
    EGLint count = 0;
    if (modifiers_) {
        eglQueryDmaBufModifiersEXT(display_, static_cast<EGLint>(code), 0, nullptr, nullptr, &count);
    }
    std::vector<EGLuint64KHR> known(static_cast<std::size_t>(std::max(count, 0)));
    std::vector<EGLBoolean> external(known.size());
    if (count > 0 && eglQueryDmaBufModifiersEXT(display_, static_cast<EGLint>(code), count, known.data(),
                                                external.data(), &count) != EGL_TRUE) {
        known.clear();
    }
    const auto found = std::ranges::find(known, wanted);
    if (found != known.end()) {
        if (external[static_cast<std::size_t>(found - known.begin())] != EGL_FALSE) {
            problem = fmt::format("the driver reads {} with modifier {:#x} as an external texture only",
                                  fourCcName(code), wanted);
        }
        return wanted;
    }
    if (picture.modifier && wanted != kLinear) {
        problem = fmt::format("the driver reads no {} with modifier {:#x}", fourCcName(code), wanted);
    }
    return std::nullopt;
}

GlTexture DmaBufImport::plane(const VideoFormat& format, std::size_t plane, const DmaBufPicture& picture,
                              std::string& problem) const {
    const std::uint32_t code = fourCcOf(textureLayout(format.pixelFormat).planes[plane]);
    const std::uint64_t offset = picture.offset + format.planes[plane].offset;
    if (offset > static_cast<std::uint64_t>(std::numeric_limits<EGLint>::max())) {
        problem =
            fmt::format("plane {} begins {} bytes into the dma-buf, EGL counts to 2 GiB", plane, offset);
        return {};
    }
    const auto modifier = modifierFor(code, picture, problem);
    if (!problem.empty()) {
        return {};
    }
    std::vector<EGLint> attributes{EGL_WIDTH,
                                   texelsAcross(format, plane),
                                   EGL_HEIGHT,
                                   static_cast<EGLint>(planeRows(format, plane)),
                                   EGL_LINUX_DRM_FOURCC_EXT,
                                   static_cast<EGLint>(code),
                                   EGL_DMA_BUF_PLANE0_FD_EXT,
                                   picture.descriptor,
                                   EGL_DMA_BUF_PLANE0_OFFSET_EXT,
                                   static_cast<EGLint>(offset),
                                   EGL_DMA_BUF_PLANE0_PITCH_EXT,
                                   static_cast<EGLint>(format.planes[plane].stride)};
    if (modifier) {
        attributes.insert(attributes.end(),
                          {EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT, static_cast<EGLint>(*modifier),
                           EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT, static_cast<EGLint>(*modifier >> 32)});
    }
    attributes.push_back(EGL_NONE);
    const ImageHandle image(display_, eglCreateImageKHR(display_, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT,
                                                        nullptr, attributes.data()));
    if (image.get() == EGL_NO_IMAGE_KHR) {
        problem = fmt::format("eglCreateImage takes no {} of {} bytes a row (EGL error {:#06x})",
                              fourCcName(code), format.planes[plane].stride, eglGetError());
        return {};
    }
    auto texture = GlTexture::create();
    glBindTexture(GL_TEXTURE_2D, texture.get());
    if (storage_) {
        glEGLImageTargetTexStorageEXT(GL_TEXTURE_2D, image.get(), nullptr);
    } else {
        glEGLImageTargetTexture2DOES(GL_TEXTURE_2D, image.get());
    }
    if (const GLenum error = glGetError(); error != GL_NO_ERROR) {
        problem = fmt::format("OpenGL makes no texture of the {} (error {:#x})", fourCcName(code), error);
    }
    return texture;
}

DmaBufImport::Imported DmaBufImport::textures(const VideoFormat& format, const DmaBufPicture& picture) const {
    if (!unavailable_.empty()) {
        return {{}, unavailable_};
    }
    forgetGlErrors();
    Imported imported;
    std::array<GlTexture, 3> planes;
    for (std::size_t at = 0; at < pixelFormatInfo(format.pixelFormat).planeCount; ++at) {
        planes[at] = plane(format, at, picture, imported.problem);
        if (!imported.problem.empty()) {
            glBindTexture(GL_TEXTURE_2D, 0);
            return {{}, imported.problem};
        }
    }
    imported.textures = PlaneTextures(format, std::move(planes));
    return imported;
}

}  // namespace verbcast
