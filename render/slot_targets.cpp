#include "render/slot_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "render/dma_buf_import.h"
#include "render/gl_handles.h"
#include "render/picture_target.h"

namespace verbcast {
namespace {

constexpr const char* kRemedy = "leave out --memory dmabuf: pictures are then read back";

/// A slot as OpenGL sees it.
struct Target {
    PlaneTextures texture;
    GlFramebuffer framebuffer;
};

Target targetOf(const DmaBufImport& import, const VideoFormat& format, int descriptor) {
    DmaBufImport::Imported imported = import.textures(format, {.descriptor = descriptor, .offset = 0});
    if (!imported.problem.empty()) {
        throw Error(ErrorKind::Device,
                    fmt::format("OpenGL cannot draw into dma-bufs of {}x{} {}, {} bytes a row: {}",
                                format.width, format.height, pixelFormatName(format.pixelFormat),
                                format.planes[0].stride, imported.problem),
                    kRemedy);
    }
    Target target{std::move(imported.textures), GlFramebuffer::create()};
    glBindTexture(GL_TEXTURE_2D, 0);
    const TargetScope before;
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target.framebuffer.get());
    glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D,
                           target.texture.texture(0), 0);
    if (const GLenum status = glCheckFramebufferStatus(GL_DRAW_FRAMEBUFFER);
        status != GL_FRAMEBUFFER_COMPLETE) {
        throw Error(ErrorKind::Device,
                    fmt::format("OpenGL reads dma-bufs of {} pixels, but does not draw into them "
                                "(glCheckFramebufferStatus {:#06x})",
                                pixelFormatName(format.pixelFormat), status),
                    kRemedy);
    }
    return target;
}

}  // namespace

struct SlotTargets::State {
    GLint width = 0, height = 0;
    std::vector<Target> slots;
    std::array<GlFence, kDepth> copied;  // of the copies under way, from `oldest` on
    std::size_t oldest = 0, count = 0;
};

SlotTargets::SlotTargets(const VideoFormat& format, const FramePool& pool)
    : state_(std::make_unique<State>()) {
    // The buffers are this device's own, so software drivers may read them, too.
    const DmaBufImport import(SoftwareImport::Allow);
    state_->width = static_cast<GLint>(format.width);
    state_->height = static_cast<GLint>(format.height);
    for (const UniqueFd& buffer : pool.memory()->buffers()) {
        state_->slots.push_back(targetOf(import, format, buffer.get()));
    }
}

SlotTargets::~SlotTargets() = default;

void SlotTargets::begin(unsigned framebuffer, std::uint32_t slot) {
    const TargetScope before;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, state_->slots[slot].framebuffer.get());
    glBlitFramebuffer(0, 0, state_->width, state_->height, 0, 0, state_->width, state_->height,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    state_->copied[(state_->oldest + state_->count++) % kDepth].insert();
    glFlush();  // or the driver may start only when somebody waits
}

bool SlotTargets::finish(std::chrono::nanoseconds timeout) {
    const auto patience = static_cast<GLuint64>(std::max<std::int64_t>(0, timeout.count()));
    if (!state_->copied[state_->oldest].waitFor(patience)) {
        return false;
    }
    state_->oldest = (state_->oldest + 1) % kDepth;
    --state_->count;
    return true;
}

}  // namespace verbcast
