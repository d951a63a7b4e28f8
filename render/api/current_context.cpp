#include "render/api/current_context.h"

#include <dlfcn.h>
#include <epoxy/gl.h>
#include <fmt/format.h>

#include "core/base/error.h"

namespace verbcast {

const void* currentContext() {
    struct Source {
        const char* library;
        const char* function;
    };
    static constexpr Source kSources[] = {{"libEGL.so.1", "eglGetCurrentContext"},
                                          {"libGLX.so.0", "glXGetCurrentContext"},
                                          {"libGL.so.1", "glXGetCurrentContext"}};
    for (const Source& source : kSources) {
        void* library = dlopen(source.library, RTLD_LAZY | RTLD_NOLOAD);
        if (library == nullptr) {
            continue;
        }
        using Function = void* (*)();
        const auto function = reinterpret_cast<Function>(dlsym(library, source.function));
        const void* context = function != nullptr ? function() : nullptr;
        dlclose(library);  // it was loaded before and stays loaded
        if (context != nullptr) {
            return context;
        }
    }
    return nullptr;
}

void requireOpenGl() {
    if (currentContext() == nullptr) {
        throw Error(ErrorKind::Usage, "no OpenGL context is current on this thread");
    }
    const int version = epoxy_gl_version();
    if (version < (epoxy_is_desktop_gl() ? 32 : 30)) {
        throw Error(ErrorKind::Display,
                    fmt::format("OpenGL{} {}.{} is current: 3.2, or OpenGL ES 3.0, is needed",
                                epoxy_is_desktop_gl() ? "" : " ES", version / 10, version % 10));
    }
}

}  // namespace verbcast
