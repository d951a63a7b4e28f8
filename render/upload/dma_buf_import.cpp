#include "render/upload/dma_buf_import.h"

#include <epoxy/egl.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "render/gl/egl_context.h"
#include "render/gl/gl_renderer.h"

namespace verbcast {
namespace {

/// An EGL image to create textures from, which keep its contents.
struct ImageDeleter {
    using pointer = EGLImageKHR;
    EGLDisplay display;
    void operator()(EGLImageKHR image) const { eglDestroyImageKHR(display, image); }
};
using Image = std::unique_ptr<void, ImageDeleter>;

constexpr std::uint64_t kLinear = 0;  // DRM_FORMAT_MOD_LINEAR, of libdrm's drm_fourcc.h

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
    const std::uint32_t code = textureLayout(format.pixelFormat).planes[plane].fourCc;
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
    std::vector<EGLint> attributes;
    const auto set = [&](EGLint attribute, auto value) {
        attributes.insert(attributes.end(), {attribute, static_cast<EGLint>(value)});
    };
    set(EGL_WIDTH, texelsAcross(format, plane));
    set(EGL_HEIGHT, planeRows(format, plane));
    set(EGL_LINUX_DRM_FOURCC_EXT, code);
    set(EGL_DMA_BUF_PLANE0_FD_EXT, picture.descriptor);
    set(EGL_DMA_BUF_PLANE0_OFFSET_EXT, offset);
    set(EGL_DMA_BUF_PLANE0_PITCH_EXT, format.planes[plane].stride);
    if (modifier) {
        set(EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT, *modifier);
        set(EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT, *modifier >> 32);
    }
    attributes.push_back(EGL_NONE);
    const Image image(
        eglCreateImageKHR(display_, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, nullptr, attributes.data()),
        {display_});
    if (!image) {
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
    std::array<GlTexture, kMaxPlanes> planes;
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
