// What a vc_gl is: reads textures and framebuffers directly into the slots from vc_sender_acquire().
#pragma once

#include <epoxy/gl.h>

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/os/deadline.h"
#include "render/api/verbcast_gl.h"
#include "render/gl/gl_handles.h"
#include "render/readback/pixel_readback.h"

namespace verbcast {

/// libverbcast has set vc_error() already.
struct SaidAlready {};

inline void require(bool condition, const char* what) {
    if (!condition) {
        throw Error(ErrorKind::Usage, what);
    }
}

/// Parts that must be deleted with their context current.
struct GlParts {
    GlFramebuffer framebuffer;  ///< textures are attached to it for reading
    std::unique_ptr<PixelReadback> readback;
};

}  // namespace verbcast

/// The object behind a vc_gl pointer.
struct vc_gl {
    /// Throws Error{Usage} if no OpenGL context is current, Error{Display} if it is too old or too limited.
    vc_gl(vc_sender* to, const vc_gl_options& options);
    ~vc_gl();

    vc_status sendTexture(GLuint texture, std::uint64_t inputSerial, const verbcast::Deadline& deadline);
    vc_status sendFramebuffer(GLuint framebuffer, std::uint64_t inputSerial,
                              const verbcast::Deadline& deadline);
    vc_status finish(const verbcast::Deadline& deadline);
    void requireContext() const;

    vc_sender* sender;
    const void* context;
    std::string description;

  private:
    static constexpr std::size_t kDepth = verbcast::PixelReadback::kDepth;

    vc_status send(GLuint framebuffer, std::uint64_t inputSerial, const verbcast::Deadline& deadline);
    vc_status acquire(vc_slot& slot, const verbcast::Deadline& deadline);
    vc_status submitOldest(const verbcast::Deadline& deadline);
    vc_status submitWhole();
    void attach(GLuint texture) const;
    void checkSize(GLuint texture) const;

    verbcast::VideoFormat format_;
    verbcast::GlParts gl_;
    std::array<vc_slot, kDepth> slots_{};  // of the pending pictures, in step with the readback
    std::size_t oldest_ = 0;
    std::int64_t nextPts_ = 0;
    std::optional<vc_slot> whole_;  // read, but not taken by any receiver yet
};
