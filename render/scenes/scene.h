// The scenes of `verbcast render`: thousands of lit boxes that move by themselves, and a camera that viewers
// steer.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "core/session/messages/input.h"
#include "render/scenes/orbit_camera.h"
#include "render/scenes/scene_target.h"

namespace verbcast {

/// Thread-bound like the OpenGL context (3.3 core or later) that is current when it is made. What it draws is
/// a function of its time, the camera and the number given.
class Scene {
  public:
    /// `name` is one of kSceneNames; the size is that of the picture. Throws Error{Usage} for other names,
    /// Error{Display} when the driver cannot draw it.
    Scene(const std::string& name, std::uint32_t width, std::uint32_t height);
    ~Scene();
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    void input(const ViewerInput& input);
    /// Lets time pass, for the camera always, for the boxes unless a viewer has paused them.
    void advance(std::chrono::nanoseconds time);
    /// As it is so long after its beginning, but for the camera, which is where input has put it: see
    /// OrbitCamera::showAt().
    void showAt(std::chrono::nanoseconds time);
    /// From now on draws only one of `count` equal shares of the boxes, of which there are as many on every
    /// machine, and no number in the corner: shares that are merged by depth are the whole picture.
    void setShare(std::uint32_t index, std::uint32_t count);
    /// From now on draws what that eye sees.
    void setEye(Eye eye);
    /// Draws the whole target, with `number` in a corner. Row 0 of its framebuffer is the picture's top.
    void draw(SceneTarget& target, std::uint64_t number);

    const OrbitCamera& camera() const;
    std::uint32_t boxes() const;
    /// Where OpenGL draws on the processors: keeps as many boxes as fit into that much processor time of a
    /// frame, of all threads, and no fewer than a thousand. Draws into `target` to measure; the scene's time
    /// stays. With a GPU nothing happens.
    void fitTo(SceneTarget& target, std::chrono::nanoseconds processorTime);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// Samples per pixel that suit the current context.
int sceneSamples();

}  // namespace verbcast
