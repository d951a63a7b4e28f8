#include "render/offscreen_context.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/gpu/gl_sharing.h"
#include "core/gpu/gpu_devices.h"
#include "render/egl_context.h"

namespace verbcast {
namespace {

constexpr EGLint kMostDevices = 32;

std::string eglError() {
    char text[16];
    std::snprintf(text, sizeof text, "0x%04x", static_cast<unsigned>(eglGetError()));
    return text;
}

EGLDisplay surfacelessDisplay() {
    return epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")
               ? eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr)
               : EGL_NO_DISPLAY;
}

std::vector<EGLDeviceEXT> eglDevices() {
    std::vector<EGLDeviceEXT> devices(kMostDevices);
    EGLint count = 0;
    const bool enumerates = epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device") &&
                            epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration");
    if (!enumerates || eglQueryDevicesEXT(kMostDevices, devices.data(), &count) != EGL_TRUE) {
        count = 0;
    }
    devices.resize(static_cast<std::size_t>(count));
    return devices;
}

EGLDisplay displayOf(EGLDeviceEXT device) {
    return eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, device, nullptr);
}

EGLDisplay defaultDisplay() {
    return eglGetDisplay(EGL_DEFAULT_DISPLAY);
}

struct Platform {
    std::string name;
    std::function<EGLDisplay()> open;
};

/// In the order in which they are tried.
std::vector<Platform> platforms() {
    const std::vector<EGLDeviceEXT> devices = eglDevices();
    std::vector<Platform> all;
    if (gpuIsChosen()) {
        for (std::size_t i = 0; i < devices.size(); ++i) {
            all.push_back(
                {"device " + std::to_string(i), [device = devices[i]] { return displayOf(device); }});
        }
        return all;
    }
    return {{"surfaceless", surfacelessDisplay},
            {"device", [devices] { return devices.empty() ? EGL_NO_DISPLAY : displayOf(devices.front()); }},
            {"default display", defaultDisplay}};
}

/// What is wrong with the GPU that draws for the current context; "" if it is the chosen one, or none is.
std::string isAnotherGpu() {
    try {
        if (gpuIsChosen()) {
            static_cast<void>(gpuOfGl());
        }
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace

struct OffscreenContext::State {
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLConfig config = nullptr;
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

    /// Returns "" or what failed.
    std::string open(const Platform& platform);
    /// Makes it current in place of any earlier one. Returns "" or what failed.
    std::string makeSurface(EGLint width, EGLint height);

  private:
    EGLConfig chooseConfig();
    std::string makeCurrent();
};

/// Chooses framebuffer 0 like a window's: 8 bits per component, no alpha. EGL lists deeper ones first.
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
    std::array<EGLConfig, 256> configs{};
    EGLint count = 0;
    if (eglChooseConfig(display, kAttributes, configs.data(), configs.size(), &count) != EGL_TRUE ||
        count < 1) {
        return nullptr;
    }
    const auto end = configs.begin() + count;
    const auto found = std::find_if(configs.begin(), end, [this](EGLConfig candidate) {
        EGLint bits = 0;
        eglGetConfigAttrib(display, candidate, EGL_BUFFER_SIZE, &bits);
        return bits == 24;
    });
    return found != end ? *found : configs.front();
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
    config = chooseConfig();
    const bool surfaceless = epoxy_has_egl_extension(display, "EGL_KHR_surfaceless_context");
    if (config == nullptr &&
        !(surfaceless && epoxy_has_egl_extension(display, "EGL_KHR_no_config_context"))) {
        return "no configuration for OpenGL";
    }
    context = makeEglContext(display, config);
    if (context == EGL_NO_CONTEXT) {
        return "eglCreateContext(3.3 core) " + eglError();
    }
    if (!surfaceless) {
        return makeSurface(16, 16);
    }
    return makeCurrent();
}

std::string OffscreenContext::State::makeSurface(EGLint width, EGLint height) {
    const EGLint size[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE};
    const EGLSurface made =
        config != nullptr ? eglCreatePbufferSurface(display, config, size) : EGL_NO_SURFACE;
    if (made == EGL_NO_SURFACE) {
        return config != nullptr ? "eglCreatePbufferSurface " + eglError() : "no configuration with pbuffers";
    }
    const EGLSurface before = std::exchange(surface, made);
    std::string problem = makeCurrent();
    if (before != EGL_NO_SURFACE) {
        eglDestroySurface(display, before);
    }
    return problem;
}

std::string OffscreenContext::State::makeCurrent() {
    return eglMakeCurrent(display, surface, surface, context) == EGL_TRUE ? ""
                                                                          : "eglMakeCurrent " + eglError();
}

OffscreenContext::OffscreenContext() {
    if (!hasEglLibrary()) {
        throw Error(ErrorKind::Display, "no off-screen OpenGL: libEGL.so.1 is not installed",
                    "apt install libegl1 libegl-mesa0 libgl1-mesa-dri");
    }
    std::string tried;
    for (const Platform& platform : platforms()) {
        state_ = std::make_unique<State>();
        std::string problem = state_->open(platform);
        problem = problem.empty() ? isAnotherGpu() : problem;
        if (problem.empty()) {
            return;
        }
        tried += (tried.empty() ? "" : "; ") + std::string(platform.name) + ": " + problem;
    }
    if (gpuIsChosen()) {
        throw Error(ErrorKind::Device,
                    "no off-screen OpenGL 3.3 context on GPU " + std::to_string(chosenGpu()) + " (" +
                        (tried.empty() ? "EGL lists no devices" : tried) + ")",
                    "leave out --gpu, or install that GPU's OpenGL driver");
    }
    throw Error(ErrorKind::Display, "no off-screen OpenGL 3.3 context by EGL (" + tried + ")",
                "install a driver with EGL: apt install libegl1 libegl-mesa0 libgl1-mesa-dri");
}

OffscreenContext::~OffscreenContext() = default;

void OffscreenContext::makeFramebuffer(int width, int height) {
    if (const std::string problem = state_->makeSurface(width, height); !problem.empty()) {
        throw Error(ErrorKind::Display, "no off-screen OpenGL framebuffer of " + std::to_string(width) + "x" +
                                            std::to_string(height) + ": " + problem);
    }
    // A context first made current without a surface draws nowhere until told to.
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDrawBuffer(GL_BACK);
    glReadBuffer(GL_BACK);
}

}  // namespace verbcast
