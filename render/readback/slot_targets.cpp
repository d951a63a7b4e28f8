#include "render/readback/slot_targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "render/gl/picture_target.h"
#include "render/upload/dma_buf_import.h"

namespace verbcast {
namespace {

constexpr const char* kRemedy = "leave out --memory dmabuf: pictures are then read back";

}  // namespace

SlotTargets::Target SlotTargets::targetOf(const DmaBufImport& import, const VideoFormat& format,
                                          int descriptor) {
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

SlotTargets::SlotTargets(const VideoFormat& format, const FramePool& pool)
    : width_(static_cast<GLint>(format.width)), height_(static_cast<GLint>(format.height)) {
    // The buffers are this device's own, so software drivers may read them, too.
    const DmaBufImport import(SoftwareImport::Allow);
    for (const UniqueFd& buffer : pool.memory()->buffers()) {
        slots_.push_back(targetOf(import, format, buffer.get()));
    }
}

void SlotTargets::begin(GLuint framebuffer, std::uint32_t slot) {
    const TargetScope before;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, slots_[slot].framebuffer.get());
    glBlitFramebuffer(0, 0, width_, height_, 0, 0, width_, height_, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    copied_[(oldest_ + count_++) % kDepth].insert();
    glFlush();  // or the driver may start only when somebody waits
}

bool SlotTargets::finish(std::chrono::nanoseconds timeout) {
    const auto patience = static_cast<GLuint64>(std::max<std::int64_t>(0, timeout.count()));
    if (!copied_[oldest_].waitFor(patience)) {
        return false;
    }
    oldest_ = (oldest_ + 1) % kDepth;
    --count_;
    return true;
}

}  // namespace verbcast
