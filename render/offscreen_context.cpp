#include "render/offscreen_context.h"

#include <dlfcn.h>
#include <epoxy/egl.h>

#include <array>
#include <cstdio>
#include <string>

#include "core/base/error.h"

namespace verbcast {
namespace {

constexpr EGLint kContextAttributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                         3,
                                         EGL_CONTEXT_MINOR_VERSION,
                                         3,
                                         EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                         EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                         EGL_NONE};

std::string eglError() {
    char text[16];
    std::snprintf(text, sizeof text, "0x%04x", static_cast<unsigned>(eglGetError()));
    return text;
}

// libepoxy ends the process when it does not find the library that a call needs.
void requireEglLibrary() {
    static void* const library = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) {
        throw Error(ErrorKind::Display, "no off-screen OpenGL: libEGL.so.1 is not installed",
                    "apt install libegl1 libegl-mesa0 libgl1-mesa-dri");
    }
}

EGLDisplay surfacelessDisplay() {
    return epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")
               ? eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr)
               : EGL_NO_DISPLAY;
}

EGLDisplay firstDeviceDisplay() {
    EGLDeviceEXT device = nullptr;
    EGLint count = 0;
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device") ||
        !epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration") ||
        eglQueryDevicesEXT(1, &device, &count) != EGL_TRUE || count < 1) {
        return EGL_NO_DISPLAY;
    }
    return eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, device, nullptr);
}

EGLDisplay defaultDisplay() {
    return eglGetDisplay(EGL_DEFAULT_DISPLAY);
}

struct Platform {
    const char* name;
    EGLDisplay (*open)();
};
constexpr std::array<Platform, 3> kPlatforms{{{"surfaceless", surfacelessDisplay},
                                              {"device", firstDeviceDisplay},
                                              {"default display", defaultDisplay}}};

}  // namespace

struct OffscreenContext::State {
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLSurface surface = EGL_NO_SURFACE;
    EGLContext context = EGL_NO_CONTEXT;

    ~State() {
        if (display == EGL_NO_DISPLAY) {
            return;
        }
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (context != EGL_NO_CONTEXT) {
            eglDestroyContext(display, context);
        }
        if (surface != EGL_NO_SURFACE) {
            eglDestroySurface(display, surface);
        }
        eglTerminate(display);
    }

    /// "" or what failed.
    std::string open(const Platform& platform);

  private:
    EGLConfig chooseConfig();
};

EGLConfig OffscreenContext::State::chooseConfig() {
    static constexpr EGLint kAttributes[] = {EGL_SURFACE_TYPE,
                                             EGL_PBUFFER_BIT,
                                             EGL_RENDERABLE_TYPE,
                                             EGL_OPENGL_BIT,
                                             EGL_RED_SIZE,
                                             8,
                                             EGL_GREEN_SIZE,
                                             8,
                                             EGL_BLUE_SIZE,
                                             8,
                                             EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    return eglChooseConfig(display, kAttributes, &config, 1, &count) == EGL_TRUE && count > 0 ? config
                                                                                              : nullptr;
}

std::string OffscreenContext::State::open(const Platform& platform) {
    display = platform.open();
    if (display == EGL_NO_DISPLAY) {
        return "not offered";
    }
    if (eglInitialize(display, nullptr, nullptr) != EGL_TRUE) {
        const auto error = eglError();
        display = EGL_NO_DISPLAY;
        return "eglInitialize " + error;
    }
    if (eglBindAPI(EGL_OPENGL_API) != EGL_TRUE) {
        return "eglBindAPI(OpenGL) " + eglError();
    }
    const EGLConfig config = chooseConfig();
    const bool surfaceless = epoxy_has_egl_extension(display, "EGL_KHR_surfaceless_context");
    if (config == nullptr &&
        !(surfaceless && epoxy_has_egl_extension(display, "EGL_KHR_no_config_context"))) {
        return "no configuration for OpenGL";
    }
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, kContextAttributes);
    if (context == EGL_NO_CONTEXT) {
        return "eglCreateContext(3.3 core) " + eglError();
    }
    if (!surfaceless) {
        static constexpr EGLint kSize[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
        surface = eglCreatePbufferSurface(display, config, kSize);
    }
    if (eglMakeCurrent(display, surface, surface, context) != EGL_TRUE) {
        return "eglMakeCurrent " + eglError();
    }
    return "";
}

OffscreenContext::OffscreenContext() {
    requireEglLibrary();
    std::string tried;
    for (const auto& platform : kPlatforms) {
        state_ = std::make_unique<State>();
        const auto problem = state_->open(platform);
        if (problem.empty()) {
            return;
        }
        tried += (tried.empty() ? "" : "; ") + std::string(platform.name) + ": " + problem;
    }
    throw Error(ErrorKind::Display, "no off-screen OpenGL 3.3 context by EGL (" + tried + ")",
                "install a driver with EGL: apt install libegl1 libegl-mesa0 libgl1-mesa-dri");
}

OffscreenContext::~OffscreenContext() = default;

}  // namespace verbcast
