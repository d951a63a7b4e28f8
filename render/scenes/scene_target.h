// What a scene is drawn into: colour and depth, with samples where the hardware has them, and the framebuffer
// to read the picture from.
#pragma once

#include <cstdint>
#include <memory>

namespace verbcast {

/// Of which larger picture a target is a part, in pixels.
struct SceneCanvas {
    std::uint32_t width = 0, height = 0;
    std::uint32_t x = 0, y = 0;  ///< of the target's top left corner
    friend bool operator==(const SceneCanvas&, const SceneCanvas&) = default;
};

/// Thread-bound like the OpenGL context that is current when it is made.
class SceneTarget {
  public:
    /// `samples` of 0 or 1: no multisampling; more than the driver has: as many as it has. Throws
    /// Error{Display} when the driver cannot draw at this size.
    SceneTarget(std::uint32_t width, std::uint32_t height, int samples);
    /// A part of that canvas: all of it is drawn, and what lies in the part is kept.
    SceneTarget(std::uint32_t width, std::uint32_t height, int samples, const SceneCanvas& canvas);
    ~SceneTarget();
    SceneTarget(const SceneTarget&) = delete;
    SceneTarget& operator=(const SceneTarget&) = delete;

    std::uint32_t width() const { return width_; }
    std::uint32_t height() const { return height_; }
    const SceneCanvas& canvas() const { return canvas_; }

    /// What is drawn from now on goes here.
    void bind();
    /// The drawing is over: framebuffer() holds the picture.
    void resolve();
    /// Its name in OpenGL.
    unsigned framebuffer() const;

  private:
    struct State;
    std::uint32_t width_, height_;
    SceneCanvas canvas_;
    std::unique_ptr<State> state_;
};

}  // namespace verbcast
