// What a scene is drawn into: colour and depth, with samples where the hardware has them, and the framebuffer
// to read the picture from.
#pragma once

#include <cstdint>
#include <memory>

namespace verbcast {

/// Thread-bound like the OpenGL context that is current when it is made.
class SceneTarget {
  public:
    /// `samples` of 0 or 1: no multisampling; more than the driver has: as many as it has. Throws
    /// Error{Display} when the driver cannot draw at this size.
    SceneTarget(std::uint32_t width, std::uint32_t height, int samples);
    ~SceneTarget();
    SceneTarget(const SceneTarget&) = delete;
    SceneTarget& operator=(const SceneTarget&) = delete;

    std::uint32_t width() const { return width_; }
    std::uint32_t height() const { return height_; }

    /// What is drawn from now on goes here.
    void bind();
    /// The drawing is over: framebuffer() holds the picture.
    void resolve();
    /// Its name in OpenGL.
    unsigned framebuffer() const;

  private:
    struct State;
    std::uint32_t width_, height_;
    std::unique_ptr<State> state_;
};

}  // namespace verbcast
