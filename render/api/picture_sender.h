// What a vc_gl is: reads textures and framebuffers directly into the slots from vc_frame_acquire().
#pragma once

#include <epoxy/gl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/os/clock.h"
#include "render/api/current_context.h"
#include "render/api/verbcast_gl.h"
#include "render/gl_handles.h"
#include "render/pixel_readback.h"

namespace verbcast {

/// libverbcast has set vc_error() already.
struct SaidAlready {};

inline void require(bool condition, const char* what) {
    if (!condition) {
        throw Error(ErrorKind::Usage, what);
    }
}

/// The time until which a call may wait.
class CallDeadline {
  public:
    explicit CallDeadline(int milliseconds)
        : endless_(milliseconds < 0), at_(nowNs() + std::int64_t{std::max(0, milliseconds)} * 1'000'000) {}
    std::chrono::nanoseconds left() const {
        return std::chrono::nanoseconds(endless_ ? kLongNs : std::max<std::int64_t>(0, at_ - nowNs()));
    }
    int leftMs() const { return endless_ ? -1 : static_cast<int>((left().count() + 999'999) / 1'000'000); }

  private:
    static constexpr std::int64_t kLongNs = 3'600'000'000'000;
    bool endless_;
    std::int64_t at_;
};

/// Parts that must be deleted with their context current.
struct GlParts {
    GlFramebuffer framebuffer;  ///< textures are attached to it for reading
    std::unique_ptr<PixelReadback> readback;
};

}  // namespace verbcast

/// The object behind a vc_gl pointer.
struct vc_gl {
    vc_gl(vc_sender* to, const vc_gl_options& options);
    ~vc_gl();
    vc_gl(const vc_gl&) = delete;
    vc_gl& operator=(const vc_gl&) = delete;

    vc_status sendTexture(GLuint texture, std::uint64_t inputSerial, const verbcast::CallDeadline& deadline);
    vc_status sendFramebuffer(GLuint framebuffer, std::uint64_t inputSerial,
                              const verbcast::CallDeadline& deadline);
    vc_status finish(const verbcast::CallDeadline& deadline);
    void requireContext() const {
        verbcast::require(verbcast::currentContext() == context,
                          "the OpenGL context of vc_gl_open() is not current");
    }

    vc_sender* sender;
    const void* context;
    std::string description;

  private:
    static constexpr std::size_t kDepth = verbcast::PixelReadback::kDepth;

    vc_status send(GLuint framebuffer, std::uint64_t inputSerial, const verbcast::CallDeadline& deadline);
    vc_status acquire(vc_frame& frame, const verbcast::CallDeadline& deadline);
    vc_status submitOldest(const verbcast::CallDeadline& deadline);
    vc_status submitWhole();
    void attach(GLuint texture) const;
    void checkSize(GLuint texture) const;

    verbcast::VideoFormat format_;
    verbcast::GlParts gl_;
    std::array<vc_frame, kDepth> frames_{};  // frames of the pending pictures, in step with the readback
    std::size_t oldest_ = 0;
    std::int64_t nextPts_ = 0;
    std::optional<vc_frame> whole_;  // read, but not taken by any receiver yet
};
