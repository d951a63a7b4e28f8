#include "render/gl/gl_renderer.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/error.h"
#include "core/base/log/log.h"
#include "core/gpu/gl_sharing.h"
#include "core/gpu/gpu_memory.h"

namespace verbcast {
namespace {

std::string_view textOf(GLenum name) {
    const auto* text = reinterpret_cast<const char*>(glGetString(name));
    return text != nullptr ? text : "unknown";
}

}  // namespace

std::string glRendererName() {
    GLint profile = 0;
    const int version = epoxy_gl_version();
    if (version >= 32) {
        glGetIntegerv(GL_CONTEXT_PROFILE_MASK, &profile);
    }
    return fmt::format("{} {}, OpenGL {}.{}{}", textOf(GL_VENDOR), textOf(GL_RENDERER), version / 10,
                       version % 10, (profile & GL_CONTEXT_CORE_PROFILE_BIT) != 0 ? " core" : "");
}

bool rendersInSoftware() {
    static constexpr std::array<std::string_view, 5> kNames{"llvmpipe", "softpipe", "swrast",
                                                            "Software Rasterizer", "SWR"};
    const std::string_view renderer = textOf(GL_RENDERER);
    return std::ranges::any_of(
        kNames, [&](std::string_view name) { return renderer.find(name) != std::string_view::npos; });
}

bool drawsOnNvidia() {
    return textOf(GL_VENDOR).find("NVIDIA") != std::string_view::npos;
}

std::shared_ptr<const DeviceAllocator> memoryOfDrawingGpu(bool must) {
    if (!must && !drawsOnNvidia()) {  // only then is CUDA worth loading
        return nullptr;
    }
    try {
        return gpuAllocator(gpuOfGl());
    } catch (const Error& error) {
        if (must) {
            throw;
        }
        log(LogCategory::Render).info("frames are received in main memory: {}", error.what());
        return nullptr;
    }
}

}  // namespace verbcast
