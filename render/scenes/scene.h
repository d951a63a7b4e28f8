// The scenes of `verbcast render`: thousands of lit, moving boxes, and a camera that viewers steer.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "core/session/messages/input.h"
#include "render/scenes/orbit_camera.h"
#include "render/scenes/scene_target.h"

namespace verbcast {

/// Thread-bound to the OpenGL context (3.3 core or later) current at construction. The picture depends only
/// on its time, the camera and the given number.
class Scene {
  public:
    /// `name` is one of kSceneNames; the size is the picture's. Throws Error{Usage} for other names,
    /// Error{Display} if the driver cannot draw it.
    Scene(const std::string& name, std::uint32_t width, std::uint32_t height);
    ~Scene();
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    void input(const ViewerInput& input);
    /// Advances time: always for the camera, for the boxes unless a viewer has paused them.
    void advance(std::chrono::nanoseconds time);
    /// Shows the state that long after the beginning, except that the camera is where input has put it: see
    /// OrbitCamera::showAt().
    void showAt(std::chrono::nanoseconds time);
    /// From now on draws only one of `count` equal shares of the boxes, whose number is the same on every
    /// machine, and no number in the corner: shares merged by depth give the whole picture.
    void setShare(std::uint32_t index, std::uint32_t count);
    /// From now on draws this eye's view.
    void setEye(Eye eye);
    /// Draws the whole target, with `number` in a corner. Row 0 of its framebuffer is the picture's top.
    void draw(SceneTarget& target, std::uint64_t number);

    const OrbitCamera& camera() const;
    std::uint32_t boxes() const;
    /// If OpenGL draws on the CPU: keeps as many boxes as fit into this CPU time per frame, over all threads,
    /// but at least 256. Draws into `target` to measure; the scene's time stays. Does nothing with a GPU.
    void fitTo(SceneTarget& target, std::chrono::nanoseconds processorTime);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// The number of samples per pixel that suits the current context.
int sceneSamples();

}  // namespace verbcast
