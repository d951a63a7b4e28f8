// The scenes of `verbcast render`: thousands of lit, moving boxes, and a camera that viewers steer.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "core/session/messages/input.h"
#include "render/gl/shader_program.h"
#include "render/scenes/frame_counter.h"
#include "render/scenes/orbit_camera.h"
#include "render/scenes/scene_backdrop.h"
#include "render/scenes/scene_target.h"

namespace verbcast {

/// What distinguishes the scenes.
struct SceneLook;

/// Thread-bound to the OpenGL context (3.3 core or later) current at construction. The picture depends only
/// on its time, the camera and the given number.
class Scene {
  public:
    /// `name` is one of kSceneNames; the size is the picture's. Throws Error{Usage} for other names,
    /// Error{Display} if the driver cannot draw it.
    Scene(const std::string& name, std::uint32_t width, std::uint32_t height);

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
    void setEye(Eye eye) { camera_.setEye(eye); }
    /// Draws the whole target, with `number` in a corner. Row 0 of its framebuffer is the picture's top.
    void draw(SceneTarget& target, std::uint64_t number);

    std::uint32_t boxes() const { return boxes_; }
    /// If OpenGL draws on the CPU: keeps as many boxes as fit into this CPU time per frame, over all threads,
    /// but at least 256. Draws into `target` to measure; the scene's time stays. Does nothing with a GPU.
    void fitTo(SceneTarget& target, std::chrono::nanoseconds processorTime);

  private:
    Scene(const SceneLook& look, std::uint32_t width, std::uint32_t height);
    void setBoxes(std::uint32_t count);
    double processorSeconds(SceneTarget& target);
    void drawBoxes(const CameraView& view);

    struct Share {
        std::uint32_t index = 0, count = 1;
    };

    std::optional<Share> share_;
    OrbitCamera camera_;
    std::uint64_t resets_ = 0;
    double seconds_ = 0;
    std::uint32_t boxes_ = 0;
    ShaderProgram boxProgram_;
    GlVertexArray boxArray_ = GlVertexArray::create();
    GlBuffer triangles_ = GlBuffer::create();
    SceneBackdrop backdrop_;
    FrameCounter counter_;
    GLint clipFromWorld_, eye_, cycle_, firstBox_;
};

/// The number of samples per pixel that suits the current context.
int sceneSamples();

}  // namespace verbcast
