#include "render/scenes/scene.h"
#include "render/gl_renderer.h"

#include <epoxy/gl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "core/base/error.h"
#include "core/base/os/clock.h"
#include "render/gl_handles.h"
#include "render/scenes/frame_counter.h"
#include "render/scenes/scene_backdrop.h"
#include "render/scenes/scene_names.h"
#include "render/shader_program.h"

namespace verbcast {
namespace {

constexpr double kCycleSeconds = 240;

// Software OpenGL spends its time on triangles, hardware hardly any. Squares, because "waves" is a grid.
constexpr std::array<std::uint32_t, 9> kBoxesInSoftware{48 * 48, 44 * 44, 40 * 40, 36 * 36, 32 * 32,
                                                        28 * 28, 24 * 24, 20 * 20, 16 * 16};
constexpr std::uint32_t kBoxesInHardware = 160 * 160;
constexpr int kSamplesInHardware = 4;

/// What distinguishes the scenes besides their shaders.
struct Look {
    std::string_view name, shader;
    CameraPose start;
    Light haze, deep;  // linear light
    float hazeFrom, hazeTo;
};
constexpr std::array<Look, 2> kLooks{{{"waves",
                                       "scene_waves.glsl",
                                       {.yaw = 0.6, .pitch = 0.54, .distance = 20.5},
                                       {0.0045f, 0.0110f, 0.0240f},
                                       {0.0003f, 0.0005f, 0.0013f},
                                       17.0f,
                                       35.0f},
                                      {"swarm",
                                       "scene_swarm.glsl",
                                       {.yaw = 0.3, .pitch = 0.42, .distance = 19.0},
                                       {0.0090f, 0.0040f, 0.0120f},
                                       {0.0003f, 0.0003f, 0.0012f},
                                       16.0f,
                                       36.0f}}};

const Look& lookOf(const std::string& name) {
    for (const Look& look : kLooks) {
        if (look.name == name) {
            return look;
        }
    }
    std::string names;
    for (const SceneName& scene : kSceneNames) {
        names += (names.empty() ? "" : ", ") + std::string(scene.name);
    }
    throw Error(ErrorKind::Usage, fmt::format("there is no scene \"{}\"", name), "scenes are: " + names);
}

// Corner n of a box is at x = bit 0, y = bit 1, z = bit 2. The last corner of both triangles of a face is the
// one to which scene_box.vert gives the face's light: 5 right, 2 left, 3 top, 4 bottom, 6 front, 1 back.
constexpr std::array<std::uint8_t, 36> kBoxTriangles{1, 3, 5, 3, 7, 5, 0, 4, 2, 4, 6, 2, 2, 6, 3, 6, 7, 3,
                                                     0, 1, 4, 1, 5, 4, 4, 5, 6, 5, 7, 6, 0, 2, 1, 2, 3, 1};

ShaderProgram boxProgram(const Look& look) {
    const std::string_view vertex[] = {"scene_tone.glsl", "scene_boxes.glsl", look.shader, "scene_box.vert"};
    static constexpr std::string_view kFragment[] = {"scene_box.frag"};
    return {assembleShader({}, vertex), assembleShader({}, kFragment)};
}

}  // namespace

class Scene::Impl {
  public:
    Impl(const std::string& name, std::uint32_t width, std::uint32_t height);

    void input(const ViewerInput& input);
    void advance(std::chrono::nanoseconds time);
    void showAt(std::chrono::nanoseconds time);
    void setShare(std::uint32_t index, std::uint32_t count);
    void setEye(Eye eye) { camera_.setEye(eye); }
    void draw(SceneTarget& target, std::uint64_t number);
    const OrbitCamera& camera() const { return camera_; }
    std::uint32_t boxes() const { return boxes_; }
    void fitTo(SceneTarget& target, std::chrono::nanoseconds processorTime);

  private:
    void setBoxes(std::uint32_t boxes);
    double processorSeconds(SceneTarget& target);
    void drawBoxes(const CameraView& view);

    struct Share {
        std::uint32_t index = 0, count = 1;
    };

    const Look& look_;
    std::optional<Share> share_;
    OrbitCamera camera_;
    std::uint64_t resets_ = 0;
    double seconds_ = 0;
    std::uint32_t boxes_;
    ShaderProgram boxProgram_;
    GlVertexArray boxArray_;
    GlBuffer triangles_;
    SceneBackdrop backdrop_;
    FrameCounter counter_;
    GLint clipFromWorld_, eye_, cycle_, firstBox_;
};

Scene::Impl::Impl(const std::string& name, std::uint32_t width, std::uint32_t height)
    : look_(lookOf(name)),
      camera_(look_.start, width, height),
      boxes_(rendersInSoftware() ? kBoxesInSoftware.front() : kBoxesInHardware),
      boxProgram_(boxProgram(look_)),
      boxArray_(GlVertexArray::create()),
      triangles_(GlBuffer::create()),
      backdrop_(look_.haze, look_.deep, rendersInSoftware()),
      clipFromWorld_(boxProgram_.uniform("clipFromWorld")),
      eye_(boxProgram_.uniform("eye")),
      cycle_(boxProgram_.uniform("cycle")),
      firstBox_(boxProgram_.uniform("firstBox")) {
    glBindVertexArray(boxArray_.get());
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, triangles_.get());
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, kBoxTriangles.size(), kBoxTriangles.data(), GL_STATIC_DRAW);
    glBindVertexArray(0);
    boxProgram_.use();
    glUniform2f(boxProgram_.uniform("hazeRange"), look_.hazeFrom, 1 / (look_.hazeTo - look_.hazeFrom));
    glUniform3fv(boxProgram_.uniform("hazeColour"), 1, look_.haze.data());
    setBoxes(boxes_);
}

void Scene::Impl::setBoxes(std::uint32_t boxes) {
    boxes_ = boxes;
    boxProgram_.use();
    glUniform1i(boxProgram_.uniform("boxCount"), static_cast<GLint>(boxes));
    glUseProgram(0);
}

/// The CPU time of the cheapest of a few frames: other load only adds.
double Scene::Impl::processorSeconds(SceneTarget& target) {
    constexpr int kFrames = 4;  // the first one compiles shaders
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kFrames; ++i) {
        const double before = processCpuSeconds();
        draw(target, 0);
        glFinish();
        least = std::min(least, processCpuSeconds() - before);
    }
    return least;
}

void Scene::Impl::fitTo(SceneTarget& target, std::chrono::nanoseconds processorTime) {
    if (!rendersInSoftware()) {
        return;
    }
    const double limit = std::chrono::duration<double>(processorTime).count();
    // Finds the most boxes that fit, by bisection; the last entry is used unmeasured.
    std::size_t first = 0, last = kBoxesInSoftware.size() - 1;
    while (first < last) {
        const std::size_t middle = (first + last) / 2;
        setBoxes(kBoxesInSoftware[middle]);
        if (processorSeconds(target) <= limit) {
            last = middle;
        } else {
            first = middle + 1;
        }
    }
    setBoxes(kBoxesInSoftware[first]);
}

void Scene::Impl::input(const ViewerInput& input) {
    camera_.input(input);
    if (camera_.resets() != resets_) {
        resets_ = camera_.resets();
        seconds_ = 0;
    }
}

void Scene::Impl::advance(std::chrono::nanoseconds time) {
    camera_.advance(time);
    if (!camera_.paused()) {
        seconds_ = std::fmod(seconds_ + std::chrono::duration<double>(time).count(), kCycleSeconds);
    }
}

void Scene::Impl::showAt(std::chrono::nanoseconds time) {
    camera_.showAt(time);
    seconds_ = std::fmod(std::chrono::duration<double>(time).count(), kCycleSeconds);
}

void Scene::Impl::setShare(std::uint32_t index, std::uint32_t count) {
    share_ = {index, count};
    setBoxes(kBoxesInSoftware.front());
}

void Scene::Impl::draw(SceneTarget& target, std::uint64_t number) {
    const CameraView view = camera_.view();
    backdrop_.draw(target, view.horizon);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    drawBoxes(view);
    if (!share_) {
        counter_.draw(number, target.width(), target.height());
    }
    target.resolve();
}

void Scene::Impl::drawBoxes(const CameraView& view) {
    glDepthFunc(GL_LESS);
    glEnable(GL_CULL_FACE);
    glFrontFace(GL_CW);  // upside down, counter-clockwise becomes clockwise
    boxProgram_.use();
    glUniformMatrix4fv(clipFromWorld_, 1, GL_TRUE, view.clipFromWorld.data());
    glUniform3fv(eye_, 1, view.eye.data());
    glUniform1f(cycle_, static_cast<float>(2 * std::numbers::pi * seconds_ / kCycleSeconds));
    const Share share = share_.value_or(Share{});
    const auto bound = [&](std::uint32_t index) {
        return static_cast<GLint>(std::uint64_t{boxes_} * index / share.count);
    };
    const GLint first = bound(share.index);
    glUniform1i(firstBox_, first);
    glBindVertexArray(boxArray_.get());
    glDrawElementsInstanced(GL_TRIANGLES, kBoxTriangles.size(), GL_UNSIGNED_BYTE, nullptr,
                            bound(share.index + 1) - first);
    glFrontFace(GL_CCW);
    glDisable(GL_CULL_FACE);
}

Scene::Scene(const std::string& name, std::uint32_t width, std::uint32_t height)
    : impl_(std::make_unique<Impl>(name, width, height)) {}

Scene::~Scene() = default;

void Scene::input(const ViewerInput& input) {
    impl_->input(input);
}

void Scene::advance(std::chrono::nanoseconds time) {
    impl_->advance(time);
}

void Scene::draw(SceneTarget& target, std::uint64_t number) {
    impl_->draw(target, number);
}

void Scene::showAt(std::chrono::nanoseconds time) {
    impl_->showAt(time);
}

void Scene::setShare(std::uint32_t index, std::uint32_t count) {
    impl_->setShare(index, count);
}

void Scene::setEye(Eye eye) {
    impl_->setEye(eye);
}

const OrbitCamera& Scene::camera() const {
    return impl_->camera();
}

void Scene::fitTo(SceneTarget& target, std::chrono::nanoseconds processorTime) {
    impl_->fitTo(target, processorTime);
}

std::uint32_t Scene::boxes() const {
    return impl_->boxes();
}

int sceneSamples() {
    return rendersInSoftware() ? 0 : kSamplesInHardware;
}

}  // namespace verbcast
