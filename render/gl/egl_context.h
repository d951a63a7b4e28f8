// OpenGL contexts made with EGL: off-screen, and on a graphics card.
#pragma once

#include <epoxy/egl.h>

#include <string>
#include <vector>

namespace verbcast {

/// Whether libEGL.so.1 can be loaded. To be asked before any other call of EGL's: libepoxy ends a process
/// that calls into a library which it does not find.
bool hasEglLibrary();

/// "eglInitialize 0x3001": the call that has just failed, and EGL's error.
std::string eglFailure(const std::string& call);

/// An initialised display, and a context on it that is current on the thread that makes and destroys this.
struct EglContext {
    EglContext() = default;
    EglContext(const EglContext&) = delete;
    EglContext& operator=(const EglContext&) = delete;
    ~EglContext();

    /// Configurations for OpenGL with 8 bits or more per component and this kind of surface (EGL_*_BIT), in
    /// EGL's order.
    std::vector<EGLConfig> configs(EGLint surfaces) const;
    EGLint valueOf(EGLConfig config, EGLint attribute) const;
    /// Makes a context: OpenGL 3.3 core or later, served before other programs' contexts where the driver
    /// offers that (EGL_IMG_context_priority): GPUs are shared by time slices, and a frame is waiting. False,
    /// with EGL's error, if it cannot be made.
    bool make(EGLConfig config);
    /// With EGL_NO_SURFACE there is no framebuffer 0. False, with EGL's error, if that fails.
    bool makeCurrent(EGLSurface surface) const {
        return eglMakeCurrent(display, surface, surface, context) == EGL_TRUE;
    }

    EGLDisplay display = EGL_NO_DISPLAY;
    EGLContext context = EGL_NO_CONTEXT;
};

/// Directs drawing and reading to the surface that is current. A context first made current without one draws
/// nowhere until told to.
void useSurface();

}  // namespace verbcast
