#include "render/scenes/orbit_camera.h"

#include <xkbcommon/xkbcommon-keysyms.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace verbcast {
namespace {

constexpr std::uint32_t kLeftButton = 1;
constexpr std::uint32_t kMouse = UINT32_MAX;  // no finger has this number: they count from 0

constexpr std::size_t kMaxGrips = 16;  // per viewer: input from a peer must be bounded

constexpr double kPi = std::numbers::pi;
constexpr double kIdleTurn = 0.06;                  // radians a second
constexpr double kKeyTurn = 1.2;                    // radians a second
constexpr double kKeyStep = 0.1;                    // radians, by the clock
constexpr double kZoomPerNotch = 0.9;               // of the distance
constexpr double kClosest = 0.35, kFarthest = 2.5;  // relative to the initial distance
constexpr double kLowest = 0.05, kHighest = 1.5;    // pitch: above the ground, and not over the top

constexpr double kHalfFieldOfView = 0.36;  // radians, of the height
// Eye distance relative to the distance of the screen plane: the usual rule for comfortable depth.
constexpr double kEyeDistance = 1.0 / 30;
constexpr double kNear = 0.2, kFar = 200;

using Vector = std::array<double, 3>;

double dot(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

bool isArrow(std::uint32_t keysym) {
    return keysym >= XKB_KEY_Left && keysym <= XKB_KEY_Down;
}

}  // namespace

OrbitCamera::OrbitCamera(const CameraPose& start, std::uint32_t width, std::uint32_t height)
    : start_(start), pose_(start), width_(width), height_(height) {}

void OrbitCamera::input(const ViewerInput& input) {
    const InputEvent& event = input.event;
    Hold& hold = holds_[input.viewer];
    switch (event.kind) {
        case InputKind::Key:
            key(hold, event.code, event.pressed);
            break;
        case InputKind::PointerMove:
            drag(hold, kMouse, event);
            break;
        case InputKind::PointerButton:
            if (event.code == kLeftButton) {
                grip(hold, kMouse, event, event.pressed);
            }
            break;
        case InputKind::Wheel:
            pose_.distance = std::clamp(pose_.distance * std::pow(kZoomPerNotch, double(event.dy)),
                                        start_.distance * kClosest, start_.distance * kFarthest);
            break;
        case InputKind::Touch:
            grip(hold, event.code, event, event.pressed);
            break;
        case InputKind::ReleaseAll:
            hold = {};
            break;
        case InputKind::Application:
            break;
    }
    if (hold.grips.empty() && hold.keys.empty()) {
        holds_.erase(input.viewer);
    }
}

void OrbitCamera::key(Hold& hold, std::uint32_t keysym, bool pressed) {
    if (byClock_ && (isArrow(keysym) || keysym == XKB_KEY_space)) {
        if (pressed && keysym != XKB_KEY_space) {
            const auto is = [keysym](std::uint32_t other) { return keysym == other ? kKeyStep : 0.0; };
            turn(is(XKB_KEY_Right) - is(XKB_KEY_Left), is(XKB_KEY_Up) - is(XKB_KEY_Down));
        }
    } else if (isArrow(keysym)) {
        if (pressed) {
            hold.keys.insert(keysym);
        } else {
            hold.keys.erase(keysym);
        }
    } else if (pressed && keysym == XKB_KEY_space) {
        paused_ = !paused_;
    } else if (pressed && (keysym == XKB_KEY_r || keysym == XKB_KEY_R)) {
        pose_ = start_;
        paused_ = false;
        ++resets_;
    }
}

void OrbitCamera::grip(Hold& hold, std::uint32_t which, const InputEvent& event, bool down) {
    drag(hold, which, event);
    if (down && (hold.grips.size() < kMaxGrips || hold.grips.contains(which))) {
        hold.grips[which] = {event.x, event.y};
    } else if (!down) {
        hold.grips.erase(which);
    }
}

void OrbitCamera::drag(Hold& hold, std::uint32_t which, const InputEvent& event) {
    const auto found = hold.grips.find(which);
    if (found == hold.grips.end()) {
        return;
    }
    // Several fingers share the turning, so that it is no faster than with one.
    const double radiansPerPixel = kPi / height_ / static_cast<double>(hold.grips.size());
    turn(-(event.x - found->second.x) * radiansPerPixel, (event.y - found->second.y) * radiansPerPixel);
    found->second = {event.x, event.y};
}

bool OrbitCamera::isHeld() const {
    return std::any_of(holds_.begin(), holds_.end(), [](const auto& held) {
        return !held.second.grips.empty() || !held.second.keys.empty();
    });
}

void OrbitCamera::turn(double yaw, double pitch) {
    pose_.yaw = std::remainder(pose_.yaw + yaw, 2 * kPi);
    pose_.pitch = std::clamp(pose_.pitch + pitch, kLowest, kHighest);
}

void OrbitCamera::advance(std::chrono::nanoseconds time) {
    const double seconds = std::chrono::duration<double>(time).count();
    if (!paused_ && !isHeld()) {
        turn(kIdleTurn * seconds, 0);
    }
    std::set<std::uint32_t> keys;  // a key that two viewers hold turns no faster
    for (const auto& [viewer, hold] : holds_) {
        keys.insert(hold.keys.begin(), hold.keys.end());
    }
    const auto held = [&keys](std::uint32_t keysym) { return keys.contains(keysym) ? 1.0 : 0.0; };
    turn((held(XKB_KEY_Right) - held(XKB_KEY_Left)) * kKeyTurn * seconds,
         (held(XKB_KEY_Up) - held(XKB_KEY_Down)) * kKeyTurn * seconds);
}

void OrbitCamera::showAt(std::chrono::nanoseconds time) {
    byClock_ = true;
    turned_ = kIdleTurn * std::chrono::duration<double>(time).count();
}

void OrbitCamera::setEye(Eye eye) {
    eyeOffset_ = eye == Eye::Left ? -kEyeDistance / 2 : kEyeDistance / 2;
}

CameraView OrbitCamera::view() const {
    const double yaw = std::remainder(pose_.yaw + turned_, 2 * kPi);
    const double cosPitch = std::cos(pose_.pitch), sinPitch = std::sin(pose_.pitch);
    const double cosYaw = std::cos(yaw), sinYaw = std::sin(yaw);
    const Vector back{sinYaw * cosPitch, sinPitch, cosYaw * cosPitch};  // from the middle to the eye
    const Vector right{cosYaw, 0, -sinYaw};
    const Vector up{-sinYaw * sinPitch, cosPitch, -cosYaw * sinPitch};
    const double aside = eyeOffset_ * pose_.distance;
    const auto at = [&](std::size_t axis) { return back[axis] * pose_.distance + right[axis] * aside; };
    const Vector eye{at(0), at(1), at(2)};
    // Sheared, so that both eyes see the same rectangle at the distance of the middle.
    const auto sheared = [&](std::size_t axis) { return right[axis] - back[axis] * eyeOffset_; };
    const Vector across{sheared(0), sheared(1), sheared(2)};

    const double focal = 1 / std::tan(kHalfFieldOfView);
    const double depthScale = (kFar + kNear) / (kFar - kNear);
    const double depthOffset = -2 * kFar * kNear / (kFar - kNear);
    CameraView view{};
    const auto setRow = [&](std::size_t row, const Vector& axis, double scale, double offset) {
        for (std::size_t column = 0; column < 3; ++column) {
            view.clipFromWorld[row * 4 + column] = static_cast<float>(axis[column] * scale);
        }
        view.clipFromWorld[row * 4 + 3] = static_cast<float>(-dot(axis, eye) * scale + offset);
    };
    setRow(0, across, focal * height_ / width_, 0);
    setRow(1, up, -focal, 0);  // upside down
    setRow(2, back, -depthScale, depthOffset);
    setRow(3, back, -1, 0);
    view.eye = {static_cast<float>(eye[0]), static_cast<float>(eye[1]), static_cast<float>(eye[2])};
    view.horizon = static_cast<float>(-focal * std::tan(pose_.pitch));
    return view;
}

}  // namespace verbcast
