#include "render/gl/egl_context.h"

#include <dlfcn.h>
#include <epoxy/gl.h>
#include <fmt/format.h>

namespace verbcast {

bool hasEglLibrary() {
    static void* const library = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
    return library != nullptr;
}

std::string eglFailure(const std::string& call) {
    return fmt::format("{} 0x{:04x}", call, eglGetError());
}

EglContext::~EglContext() {
    if (display == EGL_NO_DISPLAY) {
        return;
    }
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context != EGL_NO_CONTEXT) {
        eglDestroyContext(display, context);
    }
    eglTerminate(display);
}

std::vector<EGLConfig> EglContext::configs(EGLint surfaces) const {
    const EGLint wanted[][2] = {{EGL_SURFACE_TYPE, surfaces},
                                {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT},
                                {EGL_RED_SIZE, 8},
                                {EGL_GREEN_SIZE, 8},
                                {EGL_BLUE_SIZE, 8},
                                {EGL_NONE}};
    std::vector<EGLConfig> found(256);
    EGLint count = 0;
    if (eglChooseConfig(display, wanted[0], found.data(), static_cast<EGLint>(found.size()), &count) !=
        EGL_TRUE) {
        count = 0;
    }
    found.resize(static_cast<std::size_t>(count));
    return found;
}

EGLint EglContext::valueOf(EGLConfig config, EGLint attribute) const {
    EGLint value = 0;
    eglGetConfigAttrib(display, config, attribute, &value);
    return value;
}

bool EglContext::make(EGLConfig config) {
    if (eglBindAPI(EGL_OPENGL_API) != EGL_TRUE) {
        return false;
    }
    const auto create = [&](std::vector<EGLint> attributes) {
        attributes.insert(attributes.end(),
                          {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
                           EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE});
        context = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes.data());
        return context != EGL_NO_CONTEXT;
    };
    return (epoxy_has_egl_extension(display, "EGL_IMG_context_priority") &&
            create({EGL_CONTEXT_PRIORITY_LEVEL_IMG, EGL_CONTEXT_PRIORITY_HIGH_IMG})) ||
           create({});  // the user may not have the priority
}

void useSurface() {
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDrawBuffer(GL_BACK);
    glReadBuffer(GL_BACK);
}

}  // namespace verbcast
