#include "render/gl/offscreen_context.h"

#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/gpu/gl_sharing.h"
#include "core/gpu/gpu_devices.h"
#include "render/gl/egl_context.h"

namespace verbcast {
namespace {

constexpr EGLint kMaxDevices = 32;

EGLDisplay surfacelessDisplay() {
    return epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")
               ? eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr)
               : EGL_NO_DISPLAY;
}

std::vector<EGLDeviceEXT> eglDevices() {
    std::vector<EGLDeviceEXT> devices(kMaxDevices);
    EGLint count = 0;
    const bool enumerates = epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_device") &&
                            epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_device_enumeration");
    if (!enumerates || eglQueryDevicesEXT(kMaxDevices, devices.data(), &count) != EGL_TRUE) {
        count = 0;
    }
    devices.resize(static_cast<std::size_t>(count));
    return devices;
}

EGLDisplay displayOf(EGLDeviceEXT device) {
    return eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, device, nullptr);
}

struct Platform {
    std::string name;
    std::function<EGLDisplay()> open;
};

/// In the order in which they are tried.
std::vector<Platform> platforms() {
    const std::vector<EGLDeviceEXT> devices = eglDevices();
    if (gpuIsChosen()) {
        std::vector<Platform> all;
        for (std::size_t i = 0; i < devices.size(); ++i) {
            all.push_back({fmt::format("device {}", i), [device = devices[i]] { return displayOf(device); }});
        }
        return all;
    }
    return {{"surfaceless", surfacelessDisplay},
            {"device", [devices] { return devices.empty() ? EGL_NO_DISPLAY : displayOf(devices.front()); }},
            {"default display", [] { return eglGetDisplay(EGL_DEFAULT_DISPLAY); }}};
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
    EglContext egl;
    EGLConfig config = nullptr;
    EGLSurface surface = EGL_NO_SURFACE;

    ~State() {
        if (surface != EGL_NO_SURFACE) {
            eglDestroySurface(egl.display, surface);
        }
    }
    void chooseConfig();
    /// The following return "" or what failed.
    std::string open(const Platform& platform);
    std::string makeCurrent() { return egl.makeCurrent(surface) ? "" : eglFailure("eglMakeCurrent"); }
    /// Makes it current in place of any earlier one.
    std::string makeSurface(EGLint width, EGLint height);
};

/// Chooses framebuffer 0 like a window's: 8 bits per component, no alpha. EGL lists deeper ones first.
void OffscreenContext::State::chooseConfig() {
    const std::vector<EGLConfig> configs = egl.configs(EGL_PBUFFER_BIT);
    const auto found = std::ranges::find(
        configs, 24, [this](EGLConfig candidate) { return egl.valueOf(candidate, EGL_BUFFER_SIZE); });
    config = found != configs.end() ? *found : configs.empty() ? nullptr : configs.front();
}

std::string OffscreenContext::State::open(const Platform& platform) {
    const EGLDisplay display = platform.open();
    if (display == EGL_NO_DISPLAY) {
        return "not offered";
    }
    if (eglInitialize(display, nullptr, nullptr) != EGL_TRUE) {
        return eglFailure("eglInitialize");
    }
    egl.display = display;
    chooseConfig();
    const bool surfaceless = epoxy_has_egl_extension(display, "EGL_KHR_surfaceless_context");
    if (config == nullptr &&
        !(surfaceless && epoxy_has_egl_extension(display, "EGL_KHR_no_config_context"))) {
        return "no configuration for OpenGL";
    }
    if (!egl.make(config)) {
        return eglFailure("eglCreateContext(3.3 core)");
    }
    return surfaceless ? makeCurrent() : makeSurface(16, 16);
}

std::string OffscreenContext::State::makeSurface(EGLint width, EGLint height) {
    if (config == nullptr) {
        return "no configuration with pbuffers";
    }
    const EGLint size[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE};
    const EGLSurface made = eglCreatePbufferSurface(egl.display, config, size);
    if (made == EGL_NO_SURFACE) {
        return eglFailure("eglCreatePbufferSurface");
    }
    const EGLSurface before = std::exchange(surface, made);
    std::string problem = makeCurrent();
    if (before != EGL_NO_SURFACE) {
        eglDestroySurface(egl.display, before);
    }
    return problem;
}

OffscreenContext::OffscreenContext() {
    if (!hasEglLibrary()) {
        throw Error(ErrorKind::Display, "no off-screen OpenGL: libEGL.so.1 is not installed",
                    "apt install libegl1 libegl-mesa0 libgl1-mesa-dri");
    }
    std::vector<std::string> tried;
    for (const Platform& platform : platforms()) {
        state_ = std::make_unique<State>();
        std::string problem = state_->open(platform);
        problem = problem.empty() ? isAnotherGpu() : problem;
        if (problem.empty()) {
            return;
        }
        tried.push_back(fmt::format("{}: {}", platform.name, problem));
    }
    const std::string problems = fmt::format("{}", fmt::join(tried, "; "));
    if (gpuIsChosen()) {
        throw Error(ErrorKind::Device,
                    fmt::format("no off-screen OpenGL 3.3 context on GPU {} ({})", chosenGpu(),
                                tried.empty() ? "EGL lists no devices" : problems),
                    "leave out --gpu, or install that GPU's OpenGL driver");
    }
    throw Error(ErrorKind::Display, fmt::format("no off-screen OpenGL 3.3 context by EGL ({})", problems),
                "install a driver with EGL: apt install libegl1 libegl-mesa0 libgl1-mesa-dri");
}

OffscreenContext::~OffscreenContext() = default;

void OffscreenContext::makeFramebuffer(int width, int height) {
    if (const std::string problem = state_->makeSurface(width, height); !problem.empty()) {
        throw Error(ErrorKind::Display,
                    fmt::format("no off-screen OpenGL framebuffer of {}x{}: {}", width, height, problem));
    }
    useSurface();
}

OffscreenTarget::OffscreenTarget(OffscreenContext& context, int width, int height)
    : width_(width), height_(height) {
    context.makeFramebuffer(width, height);
}

void OffscreenTarget::bind() {
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

const std::vector<std::byte>& OffscreenTarget::read() {
    pixels_.resize(std::size_t{4} * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
    bind();
    glReadPixels(0, 0, width_, height_, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, pixels_.data());
    return pixels_;
}

void finishGl() {
    glFinish();
}

}  // namespace verbcast
