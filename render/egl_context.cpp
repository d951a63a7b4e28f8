#include "render/egl_context.h"

#include <dlfcn.h>

#include <vector>

namespace verbcast {

bool hasEglLibrary() {
    static void* const library = dlopen("libEGL.so.1", RTLD_LAZY | RTLD_LOCAL);
    return library != nullptr;
}

EGLContext makeEglContext(EGLDisplay display, EGLConfig config) {
    if (eglBindAPI(EGL_OPENGL_API) != EGL_TRUE) {
        return EGL_NO_CONTEXT;
    }
    const auto make = [&](std::vector<EGLint> attributes) {
        attributes.insert(attributes.end(),
                          {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
                           EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE});
        return eglCreateContext(display, config, EGL_NO_CONTEXT, attributes.data());
    };
    if (epoxy_has_egl_extension(display, "EGL_IMG_context_priority")) {
        const EGLContext first = make({EGL_CONTEXT_PRIORITY_LEVEL_IMG, EGL_CONTEXT_PRIORITY_HIGH_IMG});
        if (first != EGL_NO_CONTEXT) {
            return first;  // otherwise the user may not have it
        }
    }
    return make({});
}

}  // namespace verbcast
