#include "render/kms/gbm_context.h"

#include <fmt/format.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#include <drm_fourcc.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr std::uint32_t kPixels = GBM_FORMAT_XRGB8888;
constexpr const char* kDriverRemedy =
    "install the card's OpenGL driver: apt install libegl-mesa0 libgl1-mesa-dri";

[[noreturn]] void throwEgl(const std::string& call) {
    throw Error(ErrorKind::Display, "no OpenGL on the graphics card: " + eglFailure(call), kDriverRemedy);
}

/// The kernel's framebuffer for a buffer, owned by that buffer.
struct Framebuffer {
    int card;
    std::uint32_t id;
};

void removeFramebuffer(gbm_bo* /*buffer*/, void* data) {
    const std::unique_ptr<Framebuffer> framebuffer(static_cast<Framebuffer*>(data));
    drmModeRmFB(framebuffer->card, framebuffer->id);
}

std::uint32_t addFramebuffer(int card, gbm_bo* buffer) {
    std::uint32_t handles[4] = {}, strides[4] = {}, offsets[4] = {};
    std::uint64_t modifiers[4] = {};
    const int planes = gbm_bo_get_plane_count(buffer);
    const std::uint64_t modifier = gbm_bo_get_modifier(buffer);
    for (int i = 0; i < planes && i < 4; ++i) {
        handles[i] = gbm_bo_get_handle_for_plane(buffer, i).u32;
        strides[i] = gbm_bo_get_stride_for_plane(buffer, i);
        offsets[i] = gbm_bo_get_offset(buffer, i);
        modifiers[i] = modifier;
    }
    const std::uint32_t width = gbm_bo_get_width(buffer), height = gbm_bo_get_height(buffer);
    std::uint64_t takesModifiers = 0;
    std::uint32_t id = 0;
    if (modifier != DRM_FORMAT_MOD_INVALID &&
        drmGetCap(card, DRM_CAP_ADDFB2_MODIFIERS, &takesModifiers) == 0 && takesModifiers != 0 &&
        drmModeAddFB2WithModifiers(card, width, height, kPixels, handles, strides, offsets, modifiers, &id,
                                   DRM_MODE_FB_MODIFIERS) == 0) {
        return id;
    }
    if (drmModeAddFB2(card, width, height, kPixels, handles, strides, offsets, &id, 0) != 0) {
        throwErrno(ErrorKind::Display, "drmModeAddFB2", fmt::format("{}x{}", width, height), errno);
    }
    return id;
}

}  // namespace

GbmContext::GbmContext(int card) : card_(card) {
    if (!hasEglLibrary()) {
        throw Error(ErrorKind::Display, "no OpenGL on the graphics card: libEGL.so.1 is not installed",
                    kDriverRemedy);
    }
    device_.reset(gbm_create_device(card));
    if (!device_) {
        throwErrno(ErrorKind::Display, "gbm_create_device", "the graphics card", errno, kDriverRemedy);
    }
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_KHR_platform_gbm") &&
        !epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_gbm")) {
        throw Error(ErrorKind::Display, "no OpenGL on the graphics card: EGL knows no GBM", kDriverRemedy);
    }
    const EGLDisplay display = eglGetPlatformDisplayEXT(EGL_PLATFORM_GBM_KHR, device_.get(), nullptr);
    if (display == EGL_NO_DISPLAY || eglInitialize(display, nullptr, nullptr) != EGL_TRUE) {
        throwEgl("eglInitialize");
    }
    egl_.display = display;
    // The surface's buffers must have the pixel format that the display is told.
    const std::vector<EGLConfig> configs = egl_.configs(EGL_WINDOW_BIT);
    const auto found = std::ranges::find(configs, static_cast<EGLint>(kPixels), [this](EGLConfig candidate) {
        return egl_.valueOf(candidate, EGL_NATIVE_VISUAL_ID);
    });
    if (found == configs.end()) {
        throwEgl("eglChooseConfig(XRGB8888)");
    }
    config_ = *found;
    if (!egl_.make(config_)) {
        throwEgl("eglCreateContext(3.3 core)");
    }
    makeCurrent(EGL_NO_SURFACE);
}

void GbmContext::makeCurrent(EGLSurface surface) {
    if (!egl_.makeCurrent(surface)) {
        throwEgl("eglMakeCurrent");
    }
    if (surface != EGL_NO_SURFACE) {
        useSurface();
    }
}

GbmSurface::GbmSurface(GbmContext& context, std::uint32_t width, std::uint32_t height)
    : context_(context),
      surface_(gbm_surface_create(context.device(), width, height, kPixels,
                                  GBM_BO_USE_SCANOUT | GBM_BO_USE_RENDERING)) {
    if (!surface_) {
        throwErrno(ErrorKind::Display, "gbm_surface_create", fmt::format("{}x{}", width, height), errno,
                   "take a smaller mode: --mode WIDTHxHEIGHT");
    }
    window_ = eglCreatePlatformWindowSurfaceEXT(context.display(), context.config(), surface_.get(), nullptr);
    if (window_ == EGL_NO_SURFACE) {
        throwEgl("eglCreateWindowSurface");
    }
}

GbmSurface::~GbmSurface() {
    eglMakeCurrent(context_.display(), EGL_NO_SURFACE, EGL_NO_SURFACE, eglGetCurrentContext());
    release(next_);
    release(onScreen_);
    eglDestroySurface(context_.display(), window_);
}

void GbmSurface::release(gbm_bo*& buffer) {
    if (gbm_bo* const gone = std::exchange(buffer, nullptr)) {
        gbm_surface_release_buffer(surface_.get(), gone);
    }
}

void GbmSurface::makeCurrent() {
    context_.makeCurrent(window_);
}

std::uint32_t GbmSurface::finish() {
    makeCurrent();  // another surface may have been drawn since
    if (eglSwapBuffers(context_.display(), window_) != EGL_TRUE) {
        throwEgl("eglSwapBuffers");
    }
    next_ = gbm_surface_lock_front_buffer(surface_.get());
    if (next_ == nullptr) {
        throwErrno(ErrorKind::Display, "gbm_surface_lock_front_buffer", "the picture", errno);
    }
    const auto* known = static_cast<const Framebuffer*>(gbm_bo_get_user_data(next_));
    if (known == nullptr) {
        auto made = std::make_unique<Framebuffer>(
            Framebuffer{context_.card(), addFramebuffer(context_.card(), next_)});
        known = made.get();
        gbm_bo_set_user_data(next_, made.release(), removeFramebuffer);
    }
    return known->id;
}

void GbmSurface::shown() {
    release(onScreen_);
    onScreen_ = std::exchange(next_, nullptr);
}

void GbmSurface::discard() {
    release(next_);
}

}  // namespace verbcast
