#include "render/scenes/scene.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <vector>

#include "core/base/error.h"
#include "core/base/os/clock.h"
#include "render/gl/gl_renderer.h"
#include "render/scenes/scene_names.h"

namespace verbcast {

struct SceneLook {
    std::string_view name, shader;
    CameraPose start;
    Light haze, deep;  // linear light
    float hazeFrom, hazeTo;
};

namespace {

constexpr double kCycleSeconds = 240;

// Software OpenGL spends its time on triangles, hardware hardly any. Squares, because "waves" is a grid.
constexpr std::array<std::uint32_t, 9> kBoxesInSoftware{48 * 48, 44 * 44, 40 * 40, 36 * 36, 32 * 32,
                                                        28 * 28, 24 * 24, 20 * 20, 16 * 16};
constexpr std::uint32_t kBoxesInHardware = 160 * 160;
constexpr int kSamplesInHardware = 4;

constexpr std::array<SceneLook, 2> kLooks{{{"waves",
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

const SceneLook& lookOf(const std::string& name) {
    for (const SceneLook& look : kLooks) {
        if (look.name == name) {
            return look;
        }
    }
    std::vector<std::string_view> names;
    std::ranges::transform(kSceneNames, std::back_inserter(names), &SceneName::name);
    throw Error(ErrorKind::Usage, fmt::format("there is no scene \"{}\"", name),
                fmt::format("scenes are: {}", fmt::join(names, ", ")));
}

// Corner n of a box is at x = bit 0, y = bit 1, z = bit 2. The last corner of both triangles of a face is the
// one to which scene_box.vert gives the face's light: 5 right, 2 left, 3 top, 4 bottom, 6 front, 1 back.
constexpr std::array<std::uint8_t, 36> kBoxTriangles{1, 3, 5, 3, 7, 5, 0, 4, 2, 4, 6, 2, 2, 6, 3, 6, 7, 3,
                                                     0, 1, 4, 1, 5, 4, 4, 5, 6, 5, 7, 6, 0, 2, 1, 2, 3, 1};

}  // namespace

Scene::Scene(const std::string& name, std::uint32_t width, std::uint32_t height)
    : Scene(lookOf(name), width, height) {}

Scene::Scene(const SceneLook& look, std::uint32_t width, std::uint32_t height)
    : camera_(look.start, width, height),
      boxProgram_({"scene_tone.glsl", "scene_boxes.glsl", look.shader, "scene_box.vert"}, {"scene_box.frag"}),
      backdrop_(look.haze, look.deep, rendersInSoftware()),
      clipFromWorld_(boxProgram_.uniform("clipFromWorld")),
      eye_(boxProgram_.uniform("eye")),
      cycle_(boxProgram_.uniform("cycle")),
      firstBox_(boxProgram_.uniform("firstBox")) {
    glBindVertexArray(boxArray_.get());
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, triangles_.get());
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, kBoxTriangles.size(), kBoxTriangles.data(), GL_STATIC_DRAW);
    glBindVertexArray(0);
    boxProgram_.use();
    glUniform2f(boxProgram_.uniform("hazeRange"), look.hazeFrom, 1 / (look.hazeTo - look.hazeFrom));
    glUniform3fv(boxProgram_.uniform("hazeColour"), 1, look.haze.data());
    setBoxes(rendersInSoftware() ? kBoxesInSoftware.front() : kBoxesInHardware);
}

void Scene::setBoxes(std::uint32_t count) {
    boxes_ = count;
    boxProgram_.use();
    glUniform1i(boxProgram_.uniform("boxCount"), static_cast<GLint>(count));
    glUseProgram(0);
}

void Scene::drawBoxes(const CameraView& view) {
    glDepthFunc(GL_LESS);
    glEnable(GL_CULL_FACE);
    glFrontFace(GL_CW);  // upside down, counter-clockwise becomes clockwise
    boxProgram_.use();
    glUniformMatrix4fv(clipFromWorld_, 1, GL_TRUE, view.clipFromWorld.data());
    glUniform3fv(eye_, 1, view.eye.data());
    glUniform1f(cycle_, static_cast<float>(2 * std::numbers::pi * seconds_ / kCycleSeconds));
    const Share drawn = share_.value_or(Share{});
    const auto bound = [&](std::uint32_t index) {
        return static_cast<GLint>(std::uint64_t{boxes_} * index / drawn.count);
    };
    const GLint first = bound(drawn.index);
    glUniform1i(firstBox_, first);
    glBindVertexArray(boxArray_.get());
    glDrawElementsInstanced(GL_TRIANGLES, kBoxTriangles.size(), GL_UNSIGNED_BYTE, nullptr,
                            bound(drawn.index + 1) - first);
    glFrontFace(GL_CCW);
    glDisable(GL_CULL_FACE);
}

/// The CPU time of the cheapest of a few frames: other load only adds.
double Scene::processorSeconds(SceneTarget& target) {
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

void Scene::fitTo(SceneTarget& target, std::chrono::nanoseconds processorTime) {
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

void Scene::input(const ViewerInput& input) {
    camera_.input(input);
    if (camera_.resets() != resets_) {
        resets_ = camera_.resets();
        seconds_ = 0;
    }
}

void Scene::advance(std::chrono::nanoseconds time) {
    camera_.advance(time);
    if (!camera_.paused()) {
        seconds_ = std::fmod(seconds_ + std::chrono::duration<double>(time).count(), kCycleSeconds);
    }
}

void Scene::showAt(std::chrono::nanoseconds time) {
    camera_.showAt(time);
    seconds_ = std::fmod(std::chrono::duration<double>(time).count(), kCycleSeconds);
}

void Scene::setShare(std::uint32_t index, std::uint32_t count) {
    share_ = {index, count};
    setBoxes(kBoxesInSoftware.front());
}

void Scene::draw(SceneTarget& target, std::uint64_t number) {
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

int sceneSamples() {
    return rendersInSoftware() ? 0 : kSamplesInHardware;
}

}  // namespace verbcast
