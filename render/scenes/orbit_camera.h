// A camera that looks at the scene's middle and is turned by viewers' input. No GL here.
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

/// What drawing needs. Row-major; the picture's top is where clip space is lowest, so that row 0 of the
/// framebuffer becomes the picture's top.
struct CameraView {
    std::array<float, 16> clipFromWorld;
    std::array<float, 3> eye;
    float horizon;  ///< its height in clip space
};

/// Drag with the left button or a finger turns, the wheel zooms, arrow keys turn, Space pauses the scene, R
/// puts everything back. Each viewer has keys, a button and fingers of its own; all turn the one camera. It
/// also turns slowly by itself, unless somebody holds it or it is paused.
class OrbitCamera {
  public:
    /// Pixels of the stream: dragging over its height turns half round.
    OrbitCamera(const CameraPose& start, std::uint32_t width, std::uint32_t height);

    void input(const ViewerInput& input);
    void advance(std::chrono::nanoseconds time);
    /// As it is so long after its beginning: from now on it turns by itself whoever holds it, an arrow key
    /// turns it by a step, and nothing pauses it. So cameras that were given the same input are the same,
    /// whenever each of them got it.
    void showAt(std::chrono::nanoseconds time);

    /// From now on the view is that of one of two eyes, a thirtieth of the distance to the middle apart, with
    /// parallel lines of sight: the middle lies in the plane of the screen, what is nearer before it.
    void setEye(Eye eye);

    const CameraPose& pose() const { return pose_; }
    bool paused() const { return paused_; }
    /// How often somebody has asked for the beginning: each starts the scene's time from 0.
    std::uint64_t resets() const { return resets_; }
    CameraView view() const;

  private:
    struct Point {
        float x, y;
    };
    /// What one viewer holds.
    struct Hold {
        std::map<std::uint32_t, Point> grips;  // finger, or kMouse; where it was last
        std::set<std::uint32_t> keys;          // arrow keys
    };

    void key(Hold& hold, std::uint32_t keysym, bool pressed);
    void grip(Hold& hold, std::uint32_t which, const InputEvent& event, bool down);
    void drag(Hold& hold, std::uint32_t which, const InputEvent& event);
    bool isHeld() const;
    void turn(double yaw, double pitch);

    CameraPose start_, pose_;
    double eyeOffset_ = 0;  // to the right, of the distance
    bool byClock_ = false;  // showAt(), and not advance()
    double turned_ = 0;     // by itself, by the clock
    double width_, height_;
    bool paused_ = false;
    std::uint64_t resets_ = 0;
    std::map<std::uint64_t, Hold> holds_;  // by viewer; none that is empty
};

}  // namespace verbcast
