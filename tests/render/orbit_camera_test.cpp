// How input turns the camera, and where the camera projects the world.
#include "render/scenes/orbit_camera.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

namespace verbcast::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kLeftKey = 0xff51, kUpKey = 0xff52, kRightKey = 0xff53, kSpace = 0x20, kR = 0x72;
constexpr CameraPose kStart{.yaw = 0.5, .pitch = 0.4, .distance = 10};

class OrbitCameraTest : public ::testing::Test {
  protected:
    void send(const InputEvent& event, std::uint64_t viewer = 1) {
        camera_.input({.serial = ++serial_, .viewer = viewer, .event = event});
    }
    void key(std::uint32_t code, bool pressed, std::uint64_t viewer = 1) {
        send({.kind = InputKind::Key, .pressed = pressed, .code = code}, viewer);
    }
    void button(std::uint32_t code, bool pressed, float x, float y, std::uint64_t viewer = 1) {
        send({.kind = InputKind::PointerButton, .pressed = pressed, .code = code, .x = x, .y = y}, viewer);
    }
    void move(float x, float y, std::uint64_t viewer = 1) {
        send({.kind = InputKind::PointerMove, .x = x, .y = y}, viewer);
    }
    void touch(std::uint32_t finger, bool down, float x, float y) {
        send({.kind = InputKind::Touch, .pressed = down, .code = finger, .x = x, .y = y});
    }

    OrbitCamera camera_{kStart, 800, 400};
    std::uint64_t serial_ = 0;
};

TEST_F(OrbitCameraTest, LeftDragTurnsAndOnlyWhileHeld) {
    move(100, 100);
    EXPECT_EQ(camera_.pose(), kStart);
    button(1, true, 100, 100);
    EXPECT_EQ(camera_.pose(), kStart);
    move(120, 110);
    const double perPixel = std::numbers::pi / 400;
    EXPECT_NEAR(camera_.pose().yaw, kStart.yaw - 20 * perPixel, 1e-9);
    EXPECT_NEAR(camera_.pose().pitch, kStart.pitch + 10 * perPixel, 1e-9);
    button(1, false, 120, 110);
    const CameraPose released = camera_.pose();
    move(300, 300);
    EXPECT_EQ(camera_.pose(), released);
}

/// A point's horizontal position in the picture, in clip space.
double across(const CameraView& view, const std::array<double, 3>& point) {
    const auto row = [&](std::size_t index) {
        const float* values = &view.clipFromWorld[index * 4];
        return values[0] * point[0] + values[1] * point[1] + values[2] * point[2] + values[3];
    };
    return row(0) / row(3);
}

TEST_F(OrbitCameraTest, EyesAgreeAtTheMiddlesDistanceAndSeeWhatIsNearerBeforeTheScreen) {
    OrbitCamera left(kStart, 800, 400), right(kStart, 800, 400);
    left.setEye(Eye::Left);
    right.setEye(Eye::Right);
    const CameraView one = camera_.view();
    // By similar triangles: x of the left eye minus x of the right one is focal * apart * (1/d - 1/D).
    const double focal = 0.5 / std::tan(0.36), apart = kStart.distance / 30;
    for (const double share : {0.25, 0.5, 1.0, 3.0}) {  // of the distance from the eye to the middle
        const double beyond = 1 - share;
        const std::array<double, 3> point{one.eye[0] * beyond, one.eye[1] * beyond, one.eye[2] * beyond};
        const double parallax = across(left.view(), point) - across(right.view(), point);
        EXPECT_NEAR(parallax, focal * apart * (1 / share - 1) / kStart.distance, 1e-5) << share;
        EXPECT_NEAR(across(left.view(), point) + across(right.view(), point), 0, 1e-5) << share;
    }
}

TEST_F(OrbitCameraTest, OtherButtonsDoNotTurn) {
    button(3, true, 100, 100);
    move(200, 200);
    EXPECT_EQ(camera_.pose(), kStart);
}

TEST_F(OrbitCameraTest, ViewersHaveButtonsOfTheirOwn) {
    button(1, true, 100, 100, 1);
    move(300, 300, 2);
    EXPECT_EQ(camera_.pose(), kStart);
    button(1, true, 300, 300, 2);
    button(1, false, 300, 300, 2);
    move(110, 100, 1);  // still pressed
    EXPECT_LT(camera_.pose().yaw, kStart.yaw);
}

TEST_F(OrbitCameraTest, WhatIsHeldIsReleasedWithFocusOrConnection) {
    button(1, true, 100, 100);
    key(kRightKey, true);
    send({.kind = InputKind::ReleaseAll});
    move(200, 200);
    camera_.input({.serial = ++serial_,
                   .viewer = 1,
                   .event = {.kind = InputKind::Key, .pressed = true, .code = kSpace}});
    camera_.advance(1s);
    EXPECT_EQ(camera_.pose(), kStart);
}

TEST_F(OrbitCameraTest, AFingerTurnsAndTwoTurnNoFaster) {
    touch(4, true, 10, 10);
    touch(4, true, 30, 10);
    const double one = camera_.pose().yaw - kStart.yaw;
    EXPECT_LT(one, 0);
    touch(7, true, 200, 10);
    touch(4, true, 50, 10);
    touch(7, true, 220, 10);
    EXPECT_NEAR(camera_.pose().yaw - kStart.yaw, 2 * one, 1e-9);
    touch(4, false, 50, 10);
    touch(7, false, 220, 10);
    const CameraPose released = camera_.pose();
    touch(7, false, 400, 400);
    EXPECT_EQ(camera_.pose(), released);
}

TEST_F(OrbitCameraTest, WheelZoomsWithinLimits) {
    send({.kind = InputKind::Wheel, .dy = 1});
    EXPECT_NEAR(camera_.pose().distance, 9, 1e-9);
    send({.kind = InputKind::Wheel, .dy = 1e30f});
    const double closest = camera_.pose().distance;
    EXPECT_GT(closest, 1);
    send({.kind = InputKind::Wheel, .dy = -1e30f});
    EXPECT_GT(camera_.pose().distance, kStart.distance);
    EXPECT_LT(camera_.pose().distance, 100);
}

TEST_F(OrbitCameraTest, ArrowKeysTurnForAsLongAsTheyAreHeld) {
    key(kRightKey, true);
    camera_.advance(500ms);
    const double half = camera_.pose().yaw - kStart.yaw;
    EXPECT_GT(half, 0);
    camera_.advance(500ms);
    EXPECT_NEAR(camera_.pose().yaw - kStart.yaw, 2 * half, 1e-9);
    key(kLeftKey, true);  // with both pressed they cancel out
    camera_.advance(500ms);
    EXPECT_NEAR(camera_.pose().yaw - kStart.yaw, 2 * half, 1e-9);
    key(kLeftKey, false);
    key(kRightKey, false);
    key(kUpKey, true);
    camera_.advance(100ms);
    EXPECT_GT(camera_.pose().pitch, kStart.pitch);
    camera_.advance(1h);
    EXPECT_LT(camera_.pose().pitch, std::numbers::pi / 2);
}

TEST_F(OrbitCameraTest, SpacePausesAndRResets) {
    key(kSpace, true);
    key(kSpace, false);
    EXPECT_TRUE(camera_.paused());
    camera_.advance(1s);
    EXPECT_EQ(camera_.pose(), kStart);
    key(kSpace, true);
    EXPECT_FALSE(camera_.paused());
    camera_.advance(1s);  // turns by itself
    EXPECT_NE(camera_.pose(), kStart);
    key(kR, true);
    EXPECT_EQ(camera_.pose(), kStart);
    EXPECT_EQ(camera_.resets(), 1U);
}

TEST_F(OrbitCameraTest, FingersWithoutEndAreForgotten) {
    for (std::uint32_t finger = 0; finger < 100'000; ++finger) {
        touch(finger, true, 0, 0);
    }
    touch(0, true, 160, 0);  // one of the touches that count: they share the turning
    EXPECT_NEAR(camera_.pose().yaw, kStart.yaw - std::numbers::pi / 400 * 10, 1e-9);
}

/// Clip coordinates of a point of the world.
std::array<double, 4> project(const CameraView& view, double x, double y, double z) {
    std::array<double, 4> clip{};
    for (std::size_t row = 0; row < 4; ++row) {
        const float* line = &view.clipFromWorld[row * 4];
        clip[row] = line[0] * x + line[1] * y + line[2] * z + double(line[3]);
    }
    return clip;
}

TEST_F(OrbitCameraTest, TheMiddleIsInTheMiddleAndUpIsFirst) {
    const CameraView view = camera_.view();
    const auto middle = project(view, 0, 0, 0);
    EXPECT_NEAR(middle[0], 0, 1e-5);
    EXPECT_NEAR(middle[1], 0, 1e-5);
    EXPECT_NEAR(middle[3], kStart.distance, 1e-5);
    EXPECT_LT(project(view, 0, 1, 0)[1], 0) << "row 0 of the framebuffer is the picture's top";
    const double right[3] = {std::cos(kStart.yaw), 0, -std::sin(kStart.yaw)};
    EXPECT_GT(project(view, right[0], right[1], right[2])[0], 0);
    const auto depth = [](const std::array<double, 4>& clip) { return clip[2] / clip[3]; };
    const double closer = depth(project(view, view.eye[0] * 0.5, view.eye[1] * 0.5, view.eye[2] * 0.5));
    EXPECT_LT(closer, depth(middle));
    EXPECT_GT(closer, -1);
    EXPECT_LT(depth(middle), 1);
}

TEST_F(OrbitCameraTest, FarAwayOnTheGroundIsTheHorizon) {
    const CameraView view = camera_.view();
    const auto far = project(view, -std::sin(kStart.yaw) * 1e6, 0, -std::cos(kStart.yaw) * 1e6);
    EXPECT_NEAR(far[1] / far[3], view.horizon, 1e-3);
}

TEST_F(OrbitCameraTest, ByTheClockTheSameInputIsTheSameViewWheneverItCame) {
    OrbitCamera early(kStart, 800, 400), late(kStart, 800, 400);
    const auto key = [](std::uint32_t code, bool pressed) {
        return InputEvent{.kind = InputKind::Key, .pressed = pressed, .code = code};
    };
    const std::vector<InputEvent> events{
        {.kind = InputKind::PointerButton, .pressed = true, .code = 1, .x = 100, .y = 100},
        {.kind = InputKind::PointerMove, .x = 160, .y = 90},
        key(0x20, true),
        {.kind = InputKind::PointerButton, .pressed = false, .code = 1, .x = 170, .y = 95},
        key(0xff53, true),
        key(0xff53, false),
        {.kind = InputKind::Wheel, .dy = 2}};
    early.showAt(0s);
    late.showAt(0s);
    std::uint64_t serial = 0;
    for (const InputEvent& event : events) {
        early.input({.serial = ++serial, .viewer = 1, .event = event});
    }
    for (int second = 1; second <= 3; ++second) {
        early.showAt(std::chrono::seconds(second));
        late.showAt(std::chrono::seconds(second));
    }
    const CameraView unsteered = late.view();
    serial = 0;
    for (const InputEvent& event : events) {
        late.input({.serial = ++serial, .viewer = 1, .event = event});
        late.showAt(4s + std::chrono::milliseconds(100 * serial));
    }
    early.showAt(10s);
    late.showAt(10s);
    EXPECT_EQ(early.pose(), late.pose());
    EXPECT_NE(early.pose(), kStart);
    EXPECT_EQ(early.view().clipFromWorld, late.view().clipFromWorld);
    EXPECT_NE(early.view().clipFromWorld, unsteered.clipFromWorld);
    EXPECT_FALSE(early.paused());
    early.input({.serial = 9, .viewer = 1, .event = key(0x72, true)});
    EXPECT_EQ(early.pose(), kStart);
}

}  // namespace
}  // namespace verbcast::testing
