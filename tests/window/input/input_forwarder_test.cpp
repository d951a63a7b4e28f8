// Translating Qt events to input events for the sender, without a window.
#include "app/window/input/input_forwarder.h"

#include <gtest/gtest.h>

#include <QGuiApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPointingDevice>
#include <QTouchEvent>
#include <QWheelEvent>

#include "app/window/input/input_mode.h"
#include "app/window/input/keysym.h"

namespace verbcast::testing {
namespace {

QKeyEvent keyEvent(QEvent::Type type, int key, Qt::KeyboardModifiers modifiers, const QString& text,
                   quint32 place = 0, quint32 native = 0, bool repeated = false) {
    return QKeyEvent(type, key, modifiers, place, native, 0, text, repeated);
}

std::uint32_t keysymOf(int key, const QString& text, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    return x11Keysym(keyEvent(QEvent::KeyPress, key, modifiers, text), false);
}

TEST(Keysym, NativeOnesAreTaken) {
    const auto event = keyEvent(QEvent::KeyPress, Qt::Key_A, Qt::ShiftModifier, "A", 38, 0x41);
    EXPECT_EQ(x11Keysym(event, true), 0x41U);
    const auto control = keyEvent(QEvent::KeyPress, Qt::Key_Control, Qt::NoModifier, "", 105, 0xffe4);
    EXPECT_EQ(x11Keysym(control, true), 0xffe4U);
    EXPECT_EQ(x11Keysym(control, false), 0xffe3U) << "elsewhere the number means something else";
}

TEST(Keysym, CharactersByTheirText) {
    EXPECT_EQ(keysymOf(Qt::Key_A, "a"), 0x61U);
    EXPECT_EQ(keysymOf(Qt::Key_A, "A", Qt::ShiftModifier), 0x41U);
    EXPECT_EQ(keysymOf(Qt::Key_Space, " "), 0x20U);
    EXPECT_EQ(keysymOf(Qt::Key_Odiaeresis, "\u00f6"), 0xf6U);
    EXPECT_EQ(keysymOf(0x416, "\u0436"), 0x6d6U) << "the name that keyboards have for it";
    EXPECT_EQ(keysymOf(0, QString::fromUcs4(U"\U0001F600")), 0x0101F600U);
}

TEST(Keysym, WithControlByTheKeysName) {
    EXPECT_EQ(keysymOf(Qt::Key_C, "\x03", Qt::ControlModifier), 0x63U);
    EXPECT_EQ(keysymOf(Qt::Key_C, "\x03", Qt::ControlModifier | Qt::ShiftModifier), 0x43U);
    EXPECT_EQ(keysymOf(Qt::Key_Slash, "", Qt::ControlModifier), 0x2fU);
}

TEST(Keysym, NamedKeys) {
    EXPECT_EQ(keysymOf(Qt::Key_Escape, "\x1b"), 0xff1bU);
    EXPECT_EQ(keysymOf(Qt::Key_Return, "\r"), 0xff0dU);
    EXPECT_EQ(keysymOf(Qt::Key_Delete, "\x7f"), 0xffffU);
    EXPECT_EQ(keysymOf(Qt::Key_F1, ""), 0xffbeU);
    EXPECT_EQ(keysymOf(Qt::Key_F12, ""), 0xffc9U);
    EXPECT_EQ(keysymOf(Qt::Key_Dead_Acute, ""), 0xfe51U);
    EXPECT_EQ(keysymOf(Qt::Key_Up, ""), 0xff52U);
    EXPECT_EQ(keysymOf(Qt::Key_Meta, ""), 0xffebU);
    EXPECT_EQ(keysymOf(Qt::Key_unknown, ""), 0U);
}

TEST(Keysym, KeypadKeysAreTheirOwn) {
    EXPECT_EQ(keysymOf(Qt::Key_7, "7", Qt::KeypadModifier), 0xffb7U);
    EXPECT_EQ(keysymOf(Qt::Key_Plus, "+", Qt::KeypadModifier), 0xffabU);
    EXPECT_EQ(keysymOf(Qt::Key_Home, "", Qt::KeypadModifier), 0xff95U);
    EXPECT_EQ(keysymOf(Qt::Key_Enter, "\r", Qt::KeypadModifier), 0xff8dU);
}

class Forwarding : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        static int count = 1;
        static char name[] = "test";
        static char* arguments[] = {name, nullptr};
        // Never destroyed: Qt's input devices live until the process exits and still need it.
        static auto* const application = new QGuiApplication(count, arguments);
        static_cast<void>(application);
    }

    bool key(QEvent::Type type, int key, const QString& text, quint32 place, quint32 native = 0,
             bool repeated = false) {
        auto event = keyEvent(type, key, Qt::NoModifier, text, place, native, repeated);
        return forwarder_.forward(event);
    }
    void mouse(QEvent::Type type, double x, double y, Qt::MouseButton button = Qt::NoButton) {
        QMouseEvent event(type, {x, y}, {x, y}, button, button, Qt::NoModifier);
        forwarder_.forward(event);
    }
    void touch(QEvent::Type type, const QList<QEventPoint>& points) {
        QTouchEvent event(type, QPointingDevice::primaryPointingDevice(), Qt::NoModifier, points);
        forwarder_.forward(event);
        EXPECT_TRUE(event.isAccepted()) << "else Qt makes mouse events of it";
    }
    static QEventPoint finger(int id, QEventPoint::State state, double x, double y) {
        return QEventPoint(id, state, {x, y}, {x, y});
    }
    std::vector<InputEvent> takeSent() { return std::exchange(sent_, {}); }

    std::vector<InputEvent> sent_;
    bool allowed_ = true;
    bool picture_ = true;
    // The stream is twice as large as the window and starts 10 pixels further left.
    InputForwarder forwarder_{[this](const InputEvent& event) -> std::uint64_t {
                                  if (!allowed_) {
                                      return 0;
                                  }
                                  sent_.push_back(event);
                                  return sent_.size();
                              },
                              [this](const QPointF& position) -> std::optional<QPointF> {
                                  return picture_ ? std::optional(position * 2 + QPointF(10, 0))
                                                  : std::nullopt;
                              },
                              true};
};

InputEvent keyInput(bool pressed, std::uint32_t keysym) {
    return {.kind = InputKind::Key, .pressed = pressed, .code = keysym};
}
InputEvent moveTo(float x, float y) {
    return {.kind = InputKind::PointerMove, .x = x, .y = y};
}

TEST_F(Forwarding, AKeyGoesUpAsItWentDown) {
    EXPECT_TRUE(key(QEvent::KeyPress, Qt::Key_A, "A", 38, 0x41));
    // Shift was released in between.
    EXPECT_TRUE(key(QEvent::KeyRelease, Qt::Key_A, "a", 38, 0x61));
    EXPECT_EQ(takeSent(), (std::vector{keyInput(true, 0x41), keyInput(false, 0x41)}));
}

TEST_F(Forwarding, ARepeatedKeyIsPressedAgainAndReleasedOnce) {
    key(QEvent::KeyPress, Qt::Key_A, "a", 38, 0x61);
    for (int i = 0; i < 2; ++i) {
        key(QEvent::KeyRelease, Qt::Key_A, "a", 38, 0x61, true);
        key(QEvent::KeyPress, Qt::Key_A, "a", 38, 0x61, true);
    }
    key(QEvent::KeyRelease, Qt::Key_A, "a", 38, 0x61);
    const auto down = keyInput(true, 0x61);
    EXPECT_EQ(takeSent(), (std::vector{down, down, down, keyInput(false, 0x61)}));
}

TEST_F(Forwarding, WhatWasNotSentIsNotReleased) {
    allowed_ = false;
    EXPECT_TRUE(key(QEvent::KeyPress, Qt::Key_A, "a", 38, 0x61)) << "it is still not the viewer's";
    mouse(QEvent::MouseButtonPress, 1, 1, Qt::LeftButton);
    allowed_ = true;
    key(QEvent::KeyRelease, Qt::Key_A, "a", 38, 0x61);
    mouse(QEvent::MouseButtonRelease, 1, 1, Qt::LeftButton);
    forwarder_.releaseAll();
    EXPECT_EQ(takeSent(), std::vector<InputEvent>{});
}

TEST_F(Forwarding, ButtonsCarryThePlaceInTheStream) {
    mouse(QEvent::MouseButtonPress, 100, 50, Qt::RightButton);
    mouse(QEvent::MouseButtonRelease, 101.5, 50, Qt::RightButton);
    InputEvent press{.kind = InputKind::PointerButton, .pressed = true, .code = 3, .x = 210, .y = 100};
    InputEvent release{.kind = InputKind::PointerButton, .pressed = false, .code = 3, .x = 213, .y = 100};
    EXPECT_EQ(takeSent(), (std::vector{press, release}));
}

TEST_F(Forwarding, ADoubleClickIsTwoClicks) {
    for (const auto type : {QEvent::MouseButtonPress, QEvent::MouseButtonRelease, QEvent::MouseButtonPress,
                            QEvent::MouseButtonDblClick, QEvent::MouseButtonRelease}) {
        mouse(type, 5, 5, Qt::LeftButton);
    }
    const auto sent = takeSent();
    ASSERT_EQ(sent.size(), 4U);
    EXPECT_TRUE(sent[0].pressed && !sent[1].pressed && sent[2].pressed && !sent[3].pressed);
}

TEST_F(Forwarding, MovesGoOutOncePerFrame) {
    mouse(QEvent::MouseMove, 0, 0);
    EXPECT_EQ(takeSent(), std::vector{moveTo(10, 0)}) << "the first one does not wait";
    mouse(QEvent::MouseMove, 1, 1);
    mouse(QEvent::MouseMove, 2, 2);
    EXPECT_EQ(takeSent(), std::vector<InputEvent>{});
    forwarder_.frameDisplayed();
    EXPECT_EQ(takeSent(), std::vector{moveTo(14, 4)}) << "the newest one";
    forwarder_.frameDisplayed();
    EXPECT_EQ(takeSent(), std::vector<InputEvent>{});
    mouse(QEvent::MouseMove, 3, 3);
    EXPECT_EQ(takeSent(), std::vector{moveTo(16, 6)});
}

TEST_F(Forwarding, AWaitingMoveGoesBeforeAClickAndAKey) {
    mouse(QEvent::MouseMove, 0, 0);
    mouse(QEvent::MouseMove, 1, 1);
    mouse(QEvent::MouseButtonPress, 1, 1, Qt::LeftButton);
    mouse(QEvent::MouseMove, 2, 2);
    key(QEvent::KeyPress, Qt::Key_A, "a", 38, 0x61);
    const auto sent = takeSent();
    ASSERT_EQ(sent.size(), 5U);
    EXPECT_EQ(sent[1], moveTo(12, 2));
    EXPECT_EQ(sent[2].kind, InputKind::PointerButton);
    EXPECT_EQ(sent[3], moveTo(14, 4));
    EXPECT_EQ(sent[4].kind, InputKind::Key);
}

TEST_F(Forwarding, MovesGoOutWithoutFramesToo) {
    mouse(QEvent::MouseMove, 0, 0);
    mouse(QEvent::MouseMove, 1, 1);
    takeSent();
    while (sent_.empty()) {  // the test timeout ends this loop if nothing comes
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }
    EXPECT_EQ(takeSent(), std::vector{moveTo(12, 2)});
}

TEST_F(Forwarding, WheelInNotches) {
    const auto wheel = [&](QPoint angle, Qt::KeyboardModifiers modifiers) {
        QWheelEvent event({5, 6}, {5, 6}, {}, angle, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        forwarder_.forward(event);
    };
    wheel({0, 120}, Qt::NoModifier);
    wheel({-60, 0}, Qt::NoModifier);
    wheel({-120, 0}, Qt::AltModifier);  // Qt swaps the axes with Alt: this was one notch towards the user
    wheel({0, 0}, Qt::NoModifier);
    const InputEvent away{.kind = InputKind::Wheel, .x = 20, .y = 12, .dx = -0.0F, .dy = 1};
    const InputEvent right{.kind = InputKind::Wheel, .x = 20, .y = 12, .dx = 0.5F, .dy = 0};
    const InputEvent towards{.kind = InputKind::Wheel, .x = 20, .y = 12, .dx = -0.0F, .dy = -1};
    EXPECT_EQ(takeSent(), (std::vector{away, right, towards}));
}

TEST_F(Forwarding, FingersAreToldApart) {
    touch(QEvent::TouchBegin, {finger(4, QEventPoint::Pressed, 1, 1)});
    touch(QEvent::TouchUpdate,
          {finger(4, QEventPoint::Stationary, 1, 1), finger(9, QEventPoint::Pressed, 20, 20)});
    touch(QEvent::TouchUpdate,
          {finger(4, QEventPoint::Updated, 2, 2), finger(9, QEventPoint::Updated, 21, 21)});
    touch(QEvent::TouchUpdate,
          {finger(4, QEventPoint::Updated, 3, 3), finger(9, QEventPoint::Updated, 22, 22)});
    touch(QEvent::TouchEnd,
          {finger(4, QEventPoint::Released, 3, 3), finger(9, QEventPoint::Released, 22, 22)});
    std::vector<std::pair<std::uint32_t, bool>> story;
    for (const InputEvent& event : takeSent()) {
        EXPECT_EQ(event.kind, InputKind::Touch);
        story.emplace_back(event.code, event.pressed);
    }
    const std::vector<std::pair<std::uint32_t, bool>> expected{{4, true}, {9, true}, {4, true},  {9, true},
                                                               {4, true}, {9, true}, {4, false}, {9, false}};
    EXPECT_EQ(story, expected);
}

TEST_F(Forwarding, LosingTheFocusReleasesWhatIsDownOnce) {
    QFocusEvent away(QEvent::FocusOut);
    forwarder_.forward(away);
    EXPECT_EQ(takeSent(), std::vector<InputEvent>{}) << "nothing was down";
    key(QEvent::KeyPress, Qt::Key_A, "a", 38, 0x61);
    mouse(QEvent::MouseMove, 0, 0);
    mouse(QEvent::MouseMove, 1, 1);
    takeSent();
    EXPECT_FALSE(forwarder_.forward(away)) << "Qt has to know about it, too";
    forwarder_.forward(away);
    EXPECT_EQ(takeSent(), std::vector{InputEvent{.kind = InputKind::ReleaseAll}});
    key(QEvent::KeyRelease, Qt::Key_A, "a", 38, 0x61);
    EXPECT_EQ(takeSent(), std::vector<InputEvent>{});
}

TEST_F(Forwarding, WithoutAPictureThereIsNoPlace) {
    picture_ = false;
    mouse(QEvent::MouseMove, 0, 0);
    mouse(QEvent::MouseButtonPress, 0, 0, Qt::LeftButton);
    EXPECT_EQ(takeSent(), std::vector<InputEvent>{});
}

TEST(InputModeTest, IsOnWhenWantedAndAllowed) {
    InputMode mode(false);
    EXPECT_EQ(mode.state(), InputState::NoStream);
    EXPECT_FALSE(mode.update(true, false));
    EXPECT_EQ(mode.state(), InputState::Refused);
    EXPECT_FALSE(mode.update(true, true));
    EXPECT_EQ(mode.state(), InputState::Off);
    EXPECT_TRUE(mode.want(true));
    EXPECT_EQ(mode.state(), InputState::On);
    EXPECT_TRUE(mode.update(true, false)) << "the sender changed its mind";
    EXPECT_EQ(mode.state(), InputState::Refused);
}

TEST(InputModeTest, HasAChordForKeyboardsWithoutARightCtrl) {
    const auto chord = [](Qt::Key key, Qt::KeyboardModifiers modifiers, bool repeated = false) {
        return isInputChord(QKeyEvent(QEvent::KeyPress, key, modifiers, "", repeated));
    };
    EXPECT_TRUE(chord(Qt::Key_I, Qt::ControlModifier | Qt::AltModifier));
    EXPECT_FALSE(chord(Qt::Key_I, Qt::ControlModifier | Qt::AltModifier, true)) << "held";
    EXPECT_FALSE(chord(Qt::Key_I, Qt::AltModifier));
    EXPECT_FALSE(chord(Qt::Key_I, Qt::ControlModifier));
    EXPECT_FALSE(chord(Qt::Key_C, Qt::ControlModifier | Qt::AltModifier));
}

TEST(InputModeTest, IsOffWithoutAStreamAndOnAgainWithTheNext) {
    InputMode mode(true);
    EXPECT_TRUE(mode.update(true, true));
    EXPECT_TRUE(mode.leave()) << "keys are the viewer's: A adds a stream";
    EXPECT_FALSE(mode.on());
    EXPECT_EQ(mode.state(), InputState::NoStream);
    EXPECT_TRUE(mode.wanted()) << "what a session keeps";
    EXPECT_TRUE(mode.update(true, true));
}

TEST(InputModeTest, StaysOnWhileTheConnectionIsLost) {
    InputMode mode(true);
    EXPECT_FALSE(mode.update(false, false));
    EXPECT_FALSE(mode.on()) << "there was none to type to";
    EXPECT_TRUE(mode.update(true, true));
    EXPECT_FALSE(mode.update(false, false));
    EXPECT_TRUE(mode.on()) << "what is typed on would be commands";
    EXPECT_TRUE(mode.want(false));
    EXPECT_FALSE(mode.on());
}

TEST(HostKeyTest, AloneItSwitches) {
    HostKey host;
    const auto control = [&](QEvent::Type type, bool repeated = false) {
        return host.see(keyEvent(type, Qt::Key_Control, Qt::NoModifier, "", 105, 0xffe4, repeated), true);
    };
    const auto letter = [&](QEvent::Type type) {
        return host.see(keyEvent(type, Qt::Key_F, Qt::NoModifier, "f", 41, 0x66), true);
    };
    EXPECT_EQ(letter(QEvent::KeyPress), HostKey::Meaning::Nothing);
    EXPECT_EQ(control(QEvent::KeyPress), HostKey::Meaning::Taken);
    EXPECT_EQ(control(QEvent::KeyPress, true), HostKey::Meaning::Taken);
    EXPECT_EQ(control(QEvent::KeyRelease), HostKey::Meaning::Switch);
    EXPECT_EQ(control(QEvent::KeyPress), HostKey::Meaning::Taken);
    EXPECT_EQ(letter(QEvent::KeyPress), HostKey::Meaning::Viewer);
    EXPECT_EQ(letter(QEvent::KeyRelease), HostKey::Meaning::Viewer);
    EXPECT_EQ(control(QEvent::KeyRelease), HostKey::Meaning::Taken) << "it was not alone";
    EXPECT_EQ(letter(QEvent::KeyPress), HostKey::Meaning::Nothing);
    EXPECT_EQ(control(QEvent::KeyRelease), HostKey::Meaning::Taken) << "pressed in another window";
}

}  // namespace
}  // namespace verbcast::testing
