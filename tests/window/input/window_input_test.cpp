// Real keys and clicks on the picture, as the sender receives them.
#include <algorithm>
#include <cmath>

#include "tests/window/input/input_sender.h"
#include "tests/window/window_fixture.h"

namespace verbcast::testing {
namespace {

class WindowInput : public WindowTest {
  protected:
    // By key code: given the name, xdotool also presses the left Ctrl.
    static constexpr const char* kRightControl = "105";

    void open(bool allowInput, const QStringList& more) {
        input_ = std::make_unique<InputSender>(allowInput);
        window_ =
            std::make_unique<Verbcast>(QStringList{"view", input_->url()} + more, folder(), x_.display());
        x_.movePointer(640, 360);
        ASSERT_NO_FATAL_FAILURE(waitForPicture());
    }
    void waitForPicture() {
        // With Latest, a frame sent before the viewer is connected is gone: submit until one is shown.
        ASSERT_TRUE(eventually([&] {
            input_->submit();
            return x_.screenshot().pixelColor(640, 360) == QColor(200, 200, 200);
        })) << window_->errors();
    }

    static bool isKey(const ViewerInput& input, std::uint32_t keysym, bool pressed) {
        return input.event.kind == InputKind::Key && input.event.code == keysym &&
               input.event.pressed == pressed;
    }
    bool gotKey(std::uint32_t keysym, bool pressed) {
        return eventually([&] {
            const auto& events = input_->take();
            return std::any_of(events.begin(), events.end(),
                               [&](const ViewerInput& input) { return isKey(input, keysym, pressed); });
        });
    }
    bool got(InputKind kind) {
        return eventually([&] {
            const auto& events = input_->take();
            return std::any_of(events.begin(), events.end(),
                               [&](const ViewerInput& input) { return input.event.kind == kind; });
        });
    }
    /// Presses a key until the sender receives it: only then is the window in input mode.
    bool typesThrough(const QString& name, std::uint32_t keysym) {
        return eventually([&] {
            x_.key(name);
            const auto& events = input_->take();
            return std::any_of(events.begin(), events.end(),
                               [&](const ViewerInput& input) { return isKey(input, keysym, true); });
        });
    }
    /// The strip's left end, with the badges.
    QImage strip() const { return x_.screenshot().copy(0, 724, 320, 28); }

    void TearDown() override {
        window_.reset();
        input_.reset();
        WindowTest::TearDown();
    }

    std::unique_ptr<InputSender> input_;
};

TEST_F(WindowInput, KeysAndClicksArriveInStreamPixels) {
    ASSERT_NO_FATAL_FAILURE(open(true, {"--input", "--stats-json", file("stats.json")}));
    ASSERT_TRUE(typesThrough("x", 'x')) << window_->errors();
    input_->forget();
    x_.key("shift+a");
    EXPECT_TRUE(gotKey('A', true));
    EXPECT_TRUE(gotKey('A', false));
    x_.key("Escape");
    EXPECT_TRUE(gotKey(0xff1b, false));

    // The 640x360 picture fills 1280x720: a window pixel is half a stream pixel.
    x_.movePointer(200, 100);
    x_.input({"click", "3"});
    EXPECT_TRUE(eventually([&] {
        const auto& events = input_->take();
        return std::any_of(events.begin(), events.end(), [](const ViewerInput& input) {
            const InputEvent& event = input.event;
            return event.kind == InputKind::PointerButton && event.code == 3 && !event.pressed &&
                   std::abs(event.x - 100) < 0.6 && std::abs(event.y - 50) < 0.6;
        });
    }));
    x_.input({"click", "4"});
    EXPECT_TRUE(got(InputKind::Wheel));
    EXPECT_TRUE(got(InputKind::PointerMove));
    EXPECT_TRUE(window_->running());

    // Each answer was a picture, so the time until it was shown is known.
    x_.key(kRightControl);
    EXPECT_TRUE(eventually([&] {
        x_.key("q");
        return !window_->running();
    })) << "with the input taken back Q is the viewer's";
    EXPECT_GT(readJson(file("stats.json"))["input_to_picture_us"].toObject()["count"].toInt(), 0);
}

TEST_F(WindowInput, RightControlSwitchesAndItsKeysStayTheViewers) {
    ASSERT_NO_FATAL_FAILURE(open(true, {}));
    const QImage off = strip();
    x_.key("s");
    x_.key(kRightControl);
    ASSERT_TRUE(typesThrough("x", 'x')) << window_->errors();
    EXPECT_TRUE(eventually([&] { return strip() != off; })) << "the strip does not say so";
    const auto& events = input_->take();
    EXPECT_TRUE(std::none_of(events.begin(), events.end(), [](const ViewerInput& input) {
        return input.event.code == 's' || input.event.code == 0xffe4;
    })) << "what was typed before, or the key itself, was sent";

    // With Right Ctrl held, F toggles fullscreen and is not sent.
    const auto fullscreen = [&] {
        return x_.screenshot().pixelColor(XServer::kWidth - 2, 500) == QColor(200, 200, 200);
    };
    x_.input({"keydown", kRightControl, "key", "f", "keyup", kRightControl});
    EXPECT_TRUE(eventually([&] {
        input_->submit();
        return fullscreen();
    }));
    ASSERT_TRUE(typesThrough("y", 'y')) << "it is still the sender's";
    EXPECT_TRUE(std::none_of(input_->take().begin(), input_->take().end(),
                             [](const ViewerInput& input) { return input.event.code == 'f'; }));
}

TEST_F(WindowInput, WhatIsDownAtTheSenderGoesUpAlsoWhileRightControlIsHeld) {
    constexpr const char* kLeftControl = "37";
    constexpr std::uint32_t kLeft = 0xffe3;
    ASSERT_NO_FATAL_FAILURE(open(true, {"--input"}));
    ASSERT_TRUE(typesThrough("x", 'x')) << window_->errors();
    input_->forget();
    x_.input({"keydown", kLeftControl});
    ASSERT_TRUE(gotKey(kLeft, true));
    x_.input({"keydown", kRightControl, "keyup", kLeftControl, "keyup", kRightControl});
    EXPECT_TRUE(gotKey(kLeft, false)) << "it stays pressed";
    // Tapped alone, Right Ctrl leaves input mode and releases everything.
    ASSERT_TRUE(typesThrough("y", 'y'));
    input_->forget();
    x_.input({"keydown", kLeftControl});
    ASSERT_TRUE(gotKey(kLeft, true));
    x_.input({"key", kRightControl});
    EXPECT_TRUE(got(InputKind::ReleaseAll)) << "it stays pressed";
    x_.input({"keyup", kLeftControl});
}

TEST_F(WindowInput, TheStripsButtonSwitches) {
    ASSERT_NO_FATAL_FAILURE(open(true, {}));
    // The transport badge is left of the button; both are in the strip's upper half.
    ASSERT_TRUE(eventually([&] {
        x_.movePointer(100, 740);
        x_.input({"click", "1"});
        x_.movePointer(640, 360);
        x_.key("x");
        const auto& events = input_->take();
        return std::any_of(events.begin(), events.end(),
                           [](const ViewerInput& input) { return isKey(input, 'x', true); });
    })) << window_->errors();
}

TEST_F(WindowInput, WhatIsHeldIsReleasedWhenTheFocusGoes) {
    ASSERT_NO_FATAL_FAILURE(open(true, {"--input"}));
    // Without a window manager, keyboard focus follows the pointer until a client requests it.
    ASSERT_TRUE(eventually([&] { return x_.focus("Verbcast - .*"); }));
    ASSERT_TRUE(typesThrough("x", 'x')) << window_->errors();
    input_->forget();
    x_.input({"keydown", "w"});
    ASSERT_TRUE(gotKey('w', true));
    const auto& events = input_->take();
    EXPECT_TRUE(std::none_of(events.begin(), events.end(),
                             [](const ViewerInput& input) { return isKey(input, 'w', false); }));
    x_.takeFocus();
    EXPECT_TRUE(got(InputKind::ReleaseAll));
    x_.input({"keyup", "w"});
}

TEST_F(WindowInput, WhenTheSenderTakesNoneKeysStayTheViewers) {
    ASSERT_NO_FATAL_FAILURE(open(false, {"--input"}));
    x_.key("f");
    EXPECT_TRUE(eventually([&] {
        input_->submit();
        return x_.screenshot().pixelColor(XServer::kWidth - 2, 500) == QColor(200, 200, 200);
    }));
    x_.key("q");
    EXPECT_EQ(window_->exitCode(), 0) << window_->errors();
    EXPECT_TRUE(input_->take().empty());
}

TEST_F(WindowInput, AKioskSendsAllKeysAndClicks) {
    ASSERT_NO_FATAL_FAILURE(open(true, {"--kiosk"}));
    ASSERT_TRUE(typesThrough("q", 'q')) << window_->errors();
    x_.key(kRightControl);
    EXPECT_TRUE(gotKey(0xffe4, false)) << "there is no key that leaves";
    x_.movePointer(800, 500);
    x_.input({"click", "1"});
    EXPECT_TRUE(eventually([&] {
        const auto& events = input_->take();
        return std::any_of(events.begin(), events.end(), [](const ViewerInput& input) {
            const InputEvent& event = input.event;
            return event.kind == InputKind::PointerButton && event.code == 1 &&
                   std::abs(event.x - 320) < 0.6 && std::abs(event.y - 180) < 0.6;
        });
    }));
    EXPECT_TRUE(window_->running());
}

}  // namespace
}  // namespace verbcast::testing
