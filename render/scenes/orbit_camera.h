// A camera that looks at the scene's middle and is steered by viewers' input. No GL here.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>

#include "core/session/messages/input.h"

namespace verbcast {

struct CameraPose {
    double yaw = 0;        ///< radians around the vertical, growing counter-clockwise from above
    double pitch = 0;      ///< radians above the horizon
    double distance = 10;  ///< from the middle
    friend bool operator==(const CameraPose&, const CameraPose&) = default;
};

enum class Eye { Left, Right };

/// The camera's values for drawing. Row-major. The picture's top is where clip space is lowest, so that row 0
/// of the framebuffer becomes the picture's top.
struct CameraView {
    std::array<float, 16> clipFromWorld;
    std::array<float, 3> eye;
    float horizon;  ///< the horizon's height in clip space
};

/// Dragging with the left button or a finger turns the camera, as do arrow keys; the wheel zooms, Space
/// pauses the scene, R resets everything. Each viewer has its own keys, button and fingers; all turn the same
/// camera. It also turns slowly by itself unless somebody holds it or it is paused.
class OrbitCamera {
  public:
    /// The size is the stream's, in pixels: dragging over its height makes half a turn.
    OrbitCamera(const CameraPose& start, std::uint32_t width, std::uint32_t height);

    void input(const ViewerInput& input);
    void advance(std::chrono::nanoseconds time);
    /// Shows the state that long after the beginning. From now on the camera turns by itself even while a
    /// viewer holds it, an arrow key turns it by a step, and nothing pauses it. So cameras given the same
    /// input are equal, whenever each of them got it.
    void showAt(std::chrono::nanoseconds time);

    /// Makes the view that of one of two eyes. They are a thirtieth of the distance to the middle apart, with
    /// parallel lines of sight: the middle is in the plane of the screen, nearer things before it.
    void setEye(Eye eye);

    const CameraPose& pose() const { return pose_; }
    bool paused() const { return paused_; }
    /// How often somebody reset it: each reset restarts the scene's time at 0.
    std::uint64_t resets() const { return resets_; }
    CameraView view() const;

  private:
    struct Point {
        float x, y;
    };
    /// What one viewer holds.
    struct Hold {
        std::map<std::uint32_t, Point> grips;  // by finger, or kMouse: its last position
        std::set<std::uint32_t> keys;          // arrow keys
    };

    void key(Hold& hold, std::uint32_t keysym, bool pressed);
    void grip(Hold& hold, std::uint32_t which, const InputEvent& event, bool down);
    void drag(Hold& hold, std::uint32_t which, const InputEvent& event);
    bool isHeld() const;
    void turn(double yaw, double pitch);

    CameraPose start_, pose_;
    double eyeOffset_ = 0;  // to the right, relative to the distance
    bool byClock_ = false;  // driven by showAt(), not advance()
    double turned_ = 0;     // by itself, driven by the clock
    double width_, height_;
    bool paused_ = false;
    std::uint64_t resets_ = 0;
    std::map<std::uint64_t, Hold> holds_;  // by viewer; no empty ones
};

}  // namespace verbcast
