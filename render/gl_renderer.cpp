#include "render/gl_renderer.h"

#include <epoxy/gl.h>

#include <string_view>

namespace verbcast {

std::string glRendererName() {
    const auto text = [](GLenum name) {
        const auto* value = reinterpret_cast<const char*>(glGetString(name));
        return std::string(value != nullptr ? value : "unknown");
    };
    GLint profile = 0;
    const int version = epoxy_gl_version();
    if (version >= 32) {
        glGetIntegerv(GL_CONTEXT_PROFILE_MASK, &profile);
    }
    return text(GL_VENDOR) + " " + text(GL_RENDERER) + ", OpenGL " + std::to_string(version / 10) + "." +
           std::to_string(version % 10) + ((profile & GL_CONTEXT_CORE_PROFILE_BIT) != 0 ? " core" : "");
}

bool rendersInSoftware() {
    const auto* text = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    const std::string_view renderer = text != nullptr ? text : "";
    for (const std::string_view name : {"llvmpipe", "softpipe", "swrast", "Software Rasterizer", "SWR"}) {
        if (renderer.find(name) != std::string_view::npos) {
            return true;
        }
    }
    return false;
}

bool drawsOnNvidia() {
    const auto* vendor = reinterpret_cast<const char*>(glGetString(GL_VENDOR));
    return vendor != nullptr && std::string_view(vendor).find("NVIDIA") != std::string_view::npos;
}

}  // namespace verbcast
