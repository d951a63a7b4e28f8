// Owners of OpenGL objects. Destroy each with the context current that created it.
#pragma once

#include <epoxy/gl.h>

#include <utility>

namespace verbcast {

/// Move-only owner of one GL object; 0 means none. Traits provide create() and destroy(name).
template <typename Traits>
class GlHandle {
  public:
    GlHandle() = default;
    explicit GlHandle(GLuint name) : name_(name) {}
    GlHandle(GlHandle&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
    GlHandle& operator=(GlHandle&& other) noexcept {
        if (this != &other) {
            reset();
            name_ = std::exchange(other.name_, 0);
        }
        return *this;
    }
    ~GlHandle() { reset(); }

    static GlHandle create() { return GlHandle(Traits::create()); }
    GLuint get() const { return name_; }
    explicit operator bool() const { return name_ != 0; }
    void reset() {
        if (name_ != 0) {
            Traits::destroy(std::exchange(name_, 0));
        }
    }

  private:
    GLuint name_ = 0;
};

/// Objects that OpenGL creates and deletes in arrays, with these two functions.
template <auto& Generate, auto& Delete>
struct GlNames {
    static GLuint create() {
        GLuint name = 0;
        Generate(1, &name);
        return name;
    }
    static void destroy(GLuint name) { Delete(1, &name); }
};
using GlTexture = GlHandle<GlNames<glGenTextures, glDeleteTextures>>;
using GlBuffer = GlHandle<GlNames<glGenBuffers, glDeleteBuffers>>;
using GlFramebuffer = GlHandle<GlNames<glGenFramebuffers, glDeleteFramebuffers>>;
using GlRenderbuffer = GlHandle<GlNames<glGenRenderbuffers, glDeleteRenderbuffers>>;
using GlVertexArray = GlHandle<GlNames<glGenVertexArrays, glDeleteVertexArrays>>;

struct GlProgramTraits {
    static GLuint create() { return glCreateProgram(); }
    static void destroy(GLuint name) { glDeleteProgram(name); }
};
using GlProgram = GlHandle<GlProgramTraits>;

struct GlShaderTraits {
    static void destroy(GLuint name) { glDeleteShader(name); }
};
using GlShader = GlHandle<GlShaderTraits>;

/// A point in the command stream to wait for.
class GlFence {
  public:
    GlFence() = default;
    GlFence(const GlFence&) = delete;
    GlFence& operator=(const GlFence&) = delete;
    ~GlFence() { reset(); }

    void insert() {
        reset();
        sync_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    }
    /// Blocks until the commands before insert() are done; returns at once without a fence.
    void wait() {
        constexpr GLuint64 kOneSecondNs = 1'000'000'000;
        while (!waitFor(kOneSecondNs)) {
        }
    }
    /// Likewise, up to a timeout; false if they are not done yet.
    bool waitFor(GLuint64 nanoseconds) {
        if (sync_ != nullptr &&
            glClientWaitSync(sync_, GL_SYNC_FLUSH_COMMANDS_BIT, nanoseconds) == GL_TIMEOUT_EXPIRED) {
            return false;
        }
        reset();
        return true;
    }

  private:
    void reset() {
        if (sync_ != nullptr) {
            glDeleteSync(std::exchange(sync_, nullptr));
        }
    }
    GLsync sync_ = nullptr;
};

/// Clears errors of earlier code, which are not ours to report. Bounded: a lost context reports them forever.
inline void forgetGlErrors() {
    for (int i = 0; i < 16 && glGetError() != GL_NO_ERROR; ++i) {
    }
}

}  // namespace verbcast
