// Slots of a ring that OpenGL itself writes: each is a dma-buf, imported as a texture to draw into.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/memory/frame_pool.h"
#include "core/video/video_format.h"
#include "render/upload/dma_buf_import.h"

namespace verbcast {

/// Thread-bound to the OpenGL context current at construction, which is EGL's. Pictures are copied into slots
/// by whatever draws, without the processor; a fence tells when one is there. Leaves framebuffer bindings as
/// they were.
class SlotTargets {
  public:
    /// The most copies under way.
    static constexpr std::size_t kDepth = 3;

    /// `pool` consists of dma-bufs (FramePool::onBuffers()), whose pixels lie as `format` says: rgba or bgra,
    /// without depths. Throws Error{Device} if OpenGL cannot draw into them.
    SlotTargets(const VideoFormat& format, const FramePool& pool);

    /// Begins to copy what was drawn into `framebuffer`, row 0 first, into a slot that is held and that
    /// nobody else reads. Returns at once. Call with fewer than kDepth copies under way.
    void begin(GLuint framebuffer, std::uint32_t slot);
    /// Whether the oldest copy under way is done, which then is no longer under way; waits up to the timeout.
    /// Call with a copy under way.
    bool finish(std::chrono::nanoseconds timeout);

  private:
    /// A slot as OpenGL sees it.
    struct Target {
        PlaneTextures texture;
        GlFramebuffer framebuffer;
    };
    static Target targetOf(const DmaBufImport& import, const VideoFormat& format, int descriptor);

    GLint width_, height_;
    std::vector<Target> slots_;
    std::array<GlFence, kDepth> copied_;  // of the copies under way, from `oldest_` on
    std::size_t oldest_ = 0, count_ = 0;
};

}  // namespace verbcast
